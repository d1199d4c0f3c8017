/**
 * Reports for admins: what people did on the site in a period, as lines of a file. What each figure means is in
 * docs/words.md. Reports only read.
 */
import {
  findReport,
  type ReportChoice,
  type ReportDefinition,
  type ReportPath,
  type ReportQuestion,
  readReportQuestion,
} from '~/forms/reports.ts'
import type { CsvRow } from '~/lib/csv.ts'
import { type ReportPeriod, reportPeriod } from '~/lib/report-periods.ts'
import { getAnnouncementToEdit } from '../announcements/read-announcement.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { listUserReportFields } from '../users/report-fields.server.ts'
import {
  messagesQuery,
  type ReportCells,
  type ReportInput,
  type ReportSource,
  reportQueries,
  usersQuery,
} from './queries.server.ts'
import { readInSnapshot } from './snapshot.server.ts'

export type OpenReport = {
  title: string
  period: ReportPeriod
  /** The heads first, then the lines in batches, all from one snapshot. `signal` of the input ends the reading. */
  parts: AsyncGenerator<CsvRow[]>
}

/**
 * Opens a report, for admins. Throws NotFound for an unknown path, and Invalid with a sentence for what the question lacks
 * or for what nobody knows. Nothing of the report is read before `parts` is.
 */
export async function openReport(
  ctx: Ctx,
  input: { path: string; question: ReportQuestion; signal?: AbortSignal },
): Promise<OpenReport> {
  requireAdmin(ctx)
  const report = findReport(input.path)
  if (!report) throw new NotFound()
  const read = readReportQuestion(report, input.question)
  if (!read.ok) throw new Invalid(sentenceOf(Object.values(read.errors)), read.errors)
  const period = reportPeriod(read.choice.period ?? 'all_time', { now: ctx.now, timeZone: ctx.site.timeZone })
  const source = await sourceOf(ctx, report, { ...read.choice, period })
  return { title: report.title, period, parts: readParts(ctx, source, input.signal) }
}

async function sourceOf(
  ctx: Ctx,
  { path }: ReportDefinition & { path: ReportPath },
  input: ReportInput & Pick<ReportChoice, 'fields' | 'uid'>,
): Promise<ReportSource> {
  if (path === 'announcements') {
    // Throws NotFound for a message that is not there or not of this site.
    if (input.uid !== null) await getAnnouncementToEdit(ctx, { announcementUid: input.uid })
    return messagesQuery(ctx, input)
  }
  if (path !== 'users') return reportQueries[path](ctx, input)
  const known = new Map((await listUserReportFields(ctx)).map((field) => [field.id, field]))
  const unknown = input.fields.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const message = `There is no field ${unknown.slice(0, 5).join(', ').slice(0, 200)}.`
    throw new Invalid(message, { fields: message })
  }
  const fields = input.fields.flatMap((id) => known.get(id) ?? [])
  return usersQuery(ctx, { period: input.period, fields })
}

async function* readParts(ctx: Ctx, source: ReportSource, signal?: AbortSignal): AsyncGenerator<CsvRow[]> {
  yield [source.heads]
  for await (const rows of readInSnapshot<ReportCells>(ctx, source.query, { signal })) {
    yield rows.map((row) => Object.values(row))
  }
}

function sentenceOf(sentences: string[]): string {
  return sentences.map((sentence) => (sentence.endsWith('.') ? sentence : `${sentence}.`)).join(' ')
}
