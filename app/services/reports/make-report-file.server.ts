/**
 * The job that makes the file of a report. It may be killed at any point and run again, also while an earlier run that
 * seemed dead still works: each run writes bytes under a key of its own, and only the run whose key stands in the row
 * makes the file ready.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { reportFileLimits } from '~/forms/report-files.ts'
import type { ReportQuestion } from '~/forms/reports.ts'
import { type CsvRow, csvText } from '~/lib/csv.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, Viewer } from '../context.ts'
import { Forbidden } from '../errors.ts'
import { queue } from '../queue/queue.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { storage } from '../storage/storage.server.ts'
import { isUnfinished, keyOfReportFile } from './report-files.server.ts'
import { openReport } from './reports.server.ts'
import { whyUnanswerable } from './why-unanswerable.ts'

type Attempt = { isLast?: boolean; signal?: AbortSignal }
type Begun = {
  key: string
  earlierKey: string | null
  userId: number
  path: string
  question: ReportQuestion
  askedAt: Date
}

/** Job: makes a file, and queues the mail that tells its requester. Returns what became of it. */
export async function makeReportFile(
  ctx: Ctx,
  input: { fileUid: string },
  { isLast = false, signal }: Attempt = {},
): Promise<{ rows: number } | { ended: string }> {
  const file = await begin(ctx, input.fileUid)
  if (!file) return { ended: 'it has no work left' }
  const { key } = file
  // An earlier run may have been killed between its last byte and the row.
  if (file.earlierKey !== null) await storage().delete(keyOfReportFile(file.earlierKey))
  const requester = await findViewer(ctx, { userId: file.userId })
  if (!requester) return fail(ctx, input, key, noAdmin)
  const watch = watchOver(ctx, key, signal)
  let written: Written
  try {
    written = await write(ctx, { file, requester, watch })
  } catch (error) {
    await storage().delete(keyOfReportFile(key))
    if (watch.isCanceled()) return { ended: 'it was canceled' }
    if (error instanceof Forbidden) return fail(ctx, input, key, noAdmin)
    const why = whyUnanswerable(error)
    if (why !== null) return fail(ctx, input, key, why)
    if (isLast && !signal?.aborted) await fail(ctx, input, key, broken)
    throw error
  } finally {
    watch.end()
  }
  return finish(ctx, input, key, written)
}

const noAdmin = 'You are no longer an admin.'
const broken =
  'Something went wrong while the file was being prepared. The error has been logged. Ask for the report again.'

/** Takes the file over from an earlier run, if there was one. */
async function begin(ctx: Ctx, fileUid: string): Promise<Begun | undefined> {
  const { rows } = await sql<Begun>`
    with waiting as (
      select id, storage_key from report_files
      where site_id = ${ctx.site.id} and uid = ${fileUid} and ${isUnfinished} for update)
    update report_files file set state = 'making', storage_key = ${randomUUID()}, rows = 0
    from waiting where file.id = waiting.id
    returning file.storage_key as key, waiting.storage_key as "earlierKey", file.user_id as "userId",
      file.report as path, file.question, file.asked_at as "askedAt"`.execute(ctx.db)
  return rows[0]
}

type Watch = { signal: AbortSignal; rows: number; isCanceled: () => boolean; end: () => void }

const everyMs = 1000

/** Each second, writes how many rows there are, and ends the reading if the file is no longer this run's to make. */
function watchOver(ctx: Ctx, key: string, signal: AbortSignal | undefined): Watch {
  const canceling = new AbortController()
  const watch: Watch = {
    signal: signal ? AbortSignal.any([signal, canceling.signal]) : canceling.signal,
    rows: 0,
    isCanceled: () => canceling.signal.aborted,
    end: () => clearInterval(timer),
  }
  let isBusy = false
  const look = async () => {
    if (isBusy) return
    isBusy = true
    try {
      const { rows } = await sql`
        update report_files set rows = ${watch.rows} where storage_key = ${key} and state = 'making'
        returning id`.execute(ctx.db)
      if (rows.length === 0) canceling.abort()
    } catch (error) {
      ctx.log.warn({ err: error }, 'the progress of a report could not be written')
    } finally {
      isBusy = false
    }
  }
  const timer = setInterval(look, everyMs)
  return watch
}

type Written = { rows: number; bytes: number }
type Work = { file: Begun; requester: Viewer; watch: Watch }

/** Its period is that of the moment when it was asked for. */
async function write(ctx: Ctx, { file, requester, watch }: Work): Promise<Written> {
  const { path, question, askedAt } = file
  const asRequester = { ...ctx, viewer: requester, now: askedAt }
  const { parts } = await openReport(asRequester, { path, question, signal: watch.signal })
  const bytes = Readable.from(csvParts(parts, watch), { objectMode: false })
  const { size } = await storage().write(keyOfReportFile(file.key), bytes, { maxBytes: Number.POSITIVE_INFINITY })
  return { rows: watch.rows, bytes: size }
}

async function* csvParts(parts: AsyncGenerator<CsvRow[]>, watch: Watch): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const rows of parts) {
    yield Buffer.from(csvText(rows, { isFirst }))
    // The heads come first.
    if (!isFirst) watch.rows += rows.length
    isFirst = false
  }
}

async function finish(
  ctx: Ctx,
  input: { fileUid: string },
  key: string,
  { rows, bytes }: Written,
): Promise<{ rows: number } | { ended: string }> {
  const isReady = await inTransaction(ctx, async (ctx) => {
    const { rows: made } = await sql`
      update report_files set state = 'ready', rows = ${rows}, bytes = ${bytes}, ended_at = ${ctx.now},
        expires_at = ${ctx.now}::timestamptz + make_interval(days => ${reportFileLimits.days})
      where storage_key = ${key} and state = 'making' returning id`.execute(ctx.db)
    if (made.length > 0) await queue(ctx, 'send-report-file-mail', input, { attempts: mailAttempts })
    return made.length > 0
  })
  if (isReady) return { rows }
  await storage().delete(keyOfReportFile(key))
  return { ended: 'it was canceled' }
}

/** The job is tried for two days, like every mail that the server does not take. */
const mailAttempts = 16

async function fail(ctx: Ctx, input: { fileUid: string }, key: string, problem: string): Promise<{ ended: string }> {
  await inTransaction(ctx, async (ctx) => {
    const { rows } = await sql`
      update report_files set state = 'failed', problem = ${problem}, ended_at = ${ctx.now}
      where storage_key = ${key} and state = 'making' returning id`.execute(ctx.db)
    if (rows.length > 0) await queue(ctx, 'send-report-file-mail', input, { attempts: mailAttempts })
  })
  return { ended: problem }
}
