import { questionOfChoice } from '~/forms/reports.ts'
import { reportInstitutionForm } from '~/forms/scheduled-reports.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { describeQuestions } from './describe-questions.server.ts'
import { getReportChoice } from './reports.server.ts'
import { lockReport, resumeScheduledReport, throwUnanswerable } from './scheduled-reports.server.ts'
import { isInstitutionUnknown } from './why-unanswerable.ts'

export const needsNoInstitution =
  'This report does not need another institution. Somebody else may have chosen one just now.'

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
      throw new Conflict('scheduled_report.has_institution', needsNoInstitution)
    }
    const filters = { ...question.filters, institution }
    const { choice } = await getReportChoice(ctx, { path, question: { ...question, filters } }).catch(refuseUnknown)
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
    if (state !== 'stopped') return { nextAt }
    const resumed = await resumeScheduledReport(ctx, input)
    return { nextAt: resumed.nextAt }
  })
}

/** The sentence of a report is about the institution that it had. */
function refuseUnknown(error: unknown): never {
  if (!isInstitutionUnknown(error)) throwUnanswerable(error)
  const problem = 'This institution no longer exists. Choose another one.'
  throw new Invalid(problem, { institution: problem })
}
