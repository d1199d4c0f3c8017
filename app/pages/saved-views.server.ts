/** Saved views of reports in the console: their list, and the dialog that saves the question of a report. */
import { randomUUID } from 'node:crypto'
import { redirect } from '@remix-run/node'
import type { SavedViewRow, SavedViewsView, SaveViewView } from '~/components/console/reports/view.ts'
import { findReport, findReportOfPage, reportPagePath } from '~/forms/report-list.ts'
import {
  questionInWords,
  type ReportChoice,
  type ReportQuestion,
  reportParams,
  reportQuestionOf,
  whyNotKept,
} from '~/forms/reports.ts'
import { savedViewLimits, sortPattern } from '~/forms/saved-views.ts'
import { formatDay } from '~/lib/dates.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { getReportChoice } from '~/services/reports/reports.server.ts'
import { type DescribedView, listRemovedViews, listSavedViews } from '~/services/reports/saved-views.server.ts'

export async function getSavedViews(ctx: Ctx, { page }: { page: number }): Promise<SavedViewsView> {
  const size = savedViewLimits.page
  const [{ items, total }, removed] = await Promise.all([listSavedViews(ctx, { page, size }), listRemovedViews(ctx)])
  return {
    rows: items.map(rowOf),
    ...{ page, size, total },
    removed: removed.map(({ uid, name, removedAt }) => ({
      uid,
      name,
      how: `Deleted on ${formatDay(removedAt, ctx.site.timeZone)}`,
    })),
  }
}

function rowOf({ uid, name, path, choice, words, problem, sort, isOwn, isShared, owner }: DescribedView): SavedViewRow {
  return {
    uid,
    name,
    to: choice && addressOf(path, choice, { sort, view: uid }),
    words: choice ? questionInWords(path, choice, words) : path,
    sharing: isOwn ? (isShared ? 'Shared with all admins' : null) : `Shared by ${owner}`,
    isOwn,
    problem,
  }
}

type Opened = { sort?: string | null; view?: string | null }

/** The page of a stored question, in the order of a column, and as the saved view that it is opened from. */
export function addressOf(path: string, choice: ReportChoice, { sort = null, view = null }: Opened = {}): string {
  const report = findReport(path)
  if (!report) throw new NotFound()
  const params = reportParams(report, choice)
  if (sort !== null) params.set('sort', sort)
  if (view !== null) params.set('view', view)
  return `${reportPagePath(report)}?${params}`
}

/** Where a job is asked to make the file of a question. */
export function prepareAddressOf(path: string, choice: ReportChoice): string {
  return addressOf(path, choice).replace('?', 'prepare/?')
}

type ReportArgs = { params: { report?: string }; request: Request }

/** The report and the question that an address below the page of a report is about. */
export function askedAt({ params, request }: ReportArgs): {
  path: string
  question: ReportQuestion
  sort: string | null
  /** The uid of the saved view that the report was opened from. */
  view: string | null
} {
  const report = findReportOfPage(params.report ?? '')
  if (!report) throw new NotFound()
  const { searchParams } = new URL(request.url)
  const sort = searchParams.get('sort') ?? ''
  const view = searchParams.get('view') ?? ''
  return {
    path: report.path,
    question: reportQuestionOf(searchParams),
    sort: sortPattern.test(sort) ? sort : null,
    view: isUid(view) ? view : null,
  }
}

/** The choice that such an address asks for. Redirects to the report if it is refused, because its page says why. */
export async function choiceAt(ctx: Ctx, args: ReportArgs) {
  const asked = askedAt(args)
  const found = await getReportChoice(ctx, asked).catch((error: unknown) => {
    throw error instanceof Invalid ? toReport(args) : error
  })
  return { ...found, asked, closeTo: addressOf(asked.path, found.choice, asked) }
}

/** The report with the question that an address below it has. */
export function reportOf({ params, request }: ReportArgs): string {
  const report = findReportOfPage(params.report ?? '')
  if (!report) throw new NotFound()
  return `${reportPagePath(report)}${new URL(request.url).search}`
}

function toReport(args: ReportArgs): Response {
  return redirect(reportOf(args))
}

/**
 * The choice of a report that can be saved or scheduled, and the question in words. `name` is these without the name of a
 * person, for what is kept after the person is erased. Redirects to any other report.
 */
export async function keptChoiceAt(ctx: Ctx, args: ReportArgs) {
  const { report, choice, words, lastingWords, closeTo } = await choiceAt(ctx, args)
  if (whyNotKept(report, choice) !== null) throw toReport(args)
  const inWords = (names: string[]) => questionInWords(report.path, choice, names)
  return { choice, words: inWords(words), name: inWords(lastingWords), closeTo }
}

export async function getSaveView(ctx: Ctx, args: ReportArgs): Promise<SaveViewView> {
  const { words, name, closeTo } = await keptChoiceAt(ctx, args)
  return {
    uid: randomUUID(),
    words,
    defaults: { name: [...name].slice(0, savedViewLimits.name).join('').trim() },
    closeTo,
  }
}
