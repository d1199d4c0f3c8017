import { questionOfChoice } from '~/forms/reports.ts'
import { reportInstitutionForm } from '~/forms/scheduled-reports.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict } from '../errors.ts'
import { parseInput } from '../input.ts'
import { describeQuestions } from './describe-questions.server.ts'
import { getReportChoice } from './reports.server.ts'
import { lockReport, resumeScheduledReport } from './scheduled-reports.server.ts'

/**
 * Gives a report another institution, if its own was deleted. One that is stopped goes out again, as after Resume.
 * Returns when it goes out next; null for one that waits until somebody resumes it.
 */
export async function replaceReportInstitution(
  ctx: Ctx,
  input: { reportUid: string; institution: string },
): Promise<{ nextAt: Date | null }> {
  requireAdmin(ctx, 'write')
  const { institution } = parseInput(reportInstitutionForm, input)
  return inTransaction(ctx, async (ctx) => {
    const report = await lockReport(ctx, input.reportUid)
    const { id, uid, path, question, state, nextAt } = report
    const [described] = await describeQuestions(ctx, [report])
    if (!described?.isInstitutionGone) {
      if (question.filters?.institution === institution) return { nextAt }
      const problem = 'This report already has an institution. Somebody else may have chosen it just now.'
      throw new Conflict('scheduled_report.has_institution', problem)
    }
    const filters = { ...question.filters, institution }
    const { choice } = await getReportChoice(ctx, { path, question: { ...question, filters } })
    await ctx.db
      .updateTable('scheduled_reports')
      .set({ question: JSON.stringify(questionOfChoice(choice)), updated_at: ctx.now })
      .where('id', '=', id)
      .execute()
    await recordAudit(ctx, {
      action: 'scheduled_report.updated',
      entity: 'scheduled_report',
      entityUid: uid,
      before: { institution: question.filters?.institution },
      after: { institution },
    })
    return state === 'stopped' ? resumeScheduledReport(ctx, input) : { nextAt }
  })
}
