/**
 * Prepared files: reports that are too long for a download are made by a job, and their requester gets a mail with a
 * link. A file belongs to the person who asked for it. Others neither see nor get it, and its requester only while they
 * are an admin.
 */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { missingFile, reportFileLimits, unreadyFile } from '~/forms/report-files.ts'
import { questionOfChoice, type ReportChoice, type ReportQuestion } from '~/forms/reports.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireAdmin, requireViewer, type SiteKey } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { newUid } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { queue } from '../queue/queue.server.ts'
import { storage } from '../storage/storage.server.ts'
import { getReportChoice } from './reports.server.ts'

/** `missing`: it is not expired, but its bytes are not in storage any more. */
export type ReportFileState = 'waiting' | 'making' | 'ready' | 'missing' | 'failed' | 'canceled' | 'expired'

export type ReportFile = {
  uid: string
  path: string
  question: ReportQuestion
  /** The names of the film and of the people that it is about. */
  about: string[]
  fileName: string
  state: ReportFileState
  /** Why it failed. */
  problem: string | null
  /** Written so far. */
  rows: number
  bytes: number | null
  askedAt: Date
  expiresAt: Date | null
}

/** The prefix of their keys in storage. */
export const reportFilesPrefix = 'report-files/'

export function keyOfReportFile(storageKey: string): string {
  return `${reportFilesPrefix}${storageKey}`
}

/** SQL: the job has not ended. */
export const isUnfinished = sql<boolean>`state in ('waiting', 'making')`

/** SQL: what is shown as expired, also before the job comes that deletes it. */
const stateAt = ({ now }: Ctx) => sql<Exclude<ReportFileState, 'missing'>>`
  case when state = 'ready' and expires_at <= ${now} then 'expired' else state end`

type Stored = { state: ReportFileState; storageKey: string | null; bytes: number | null }

/** True for a ready file whose bytes are not all there, as after a backup without them was restored. */
async function isMissing({ state, storageKey, bytes }: Stored): Promise<boolean> {
  if (state !== 'ready') return false
  const found = storageKey === null ? null : await storage().stat(keyOfReportFile(storageKey))
  return found?.size !== bytes
}

/**
 * Asks for the file of a report. The same question of the same person leads to the file that is waiting, being made or a
 * few minutes old, and so does a repeated request with a `uid` made by the client. Refuses what `openReport` refuses.
 */
export async function createReportFile(
  ctx: Ctx,
  input: { uid?: string; path: string; question: ReportQuestion },
): Promise<{ uid: string; isNew: boolean }> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const { report, choice, words, fileName } = await getReportChoice(ctx, input)
  const question = JSON.stringify(storedQuestion(choice))
  const asked = { viewerId: viewer.id, uid: newUid(input.uid), path: report.path, question }
  // Storage is asked before the transaction, in which others wait.
  const missing = await findMissing(await listSame(ctx, asked))
  return inTransaction(ctx, async (ctx) => {
    // Those who ask at the same time wait for each other, and count each other's files.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`report-files|${ctx.site.id}`}, 0))`.execute(ctx.db)
    const known = findSame(await listSame(ctx, asked), missing)
    if (known && !known.isOver) return { uid: known.uid, isNew: false }
    const uid = known ? randomUUID() : asked.uid
    await refuseMore(ctx, viewer.id)
    await ctx.db
      .insertInto('report_files')
      .values({
        uid,
        site_id: ctx.site.id,
        user_id: viewer.id,
        report: report.path,
        question,
        about: words,
        file_name: fileName,
        state: 'waiting',
        asked_at: ctx.now,
      })
      .execute()
    // One at a time for each site, so that long reports leave the worker to other jobs.
    const queueName = `report-files:${ctx.site.key}`
    await queue(ctx, 'make-report-file', { fileUid: uid }, { key: `report-file:${uid}`, queueName, attempts: 5 })
    return { uid, isNew: true }
  })
}

/** The job is tried for two days, like every mail that the server does not take. */
export async function queueReportFileMail(
  ctx: Pick<Ctx, 'db'> & { site: { key: SiteKey } },
  fileUid: string,
): Promise<void> {
  await queue(ctx, 'send-report-file-mail', { fileUid }, { attempts: 16 })
}

/** A file has no totals of the period before. An earlier day belongs to the question. */
function storedQuestion(choice: ReportChoice): ReportQuestion {
  const { on } = choice
  return { ...questionOfChoice({ ...choice, isCompared: false }), ...(on !== null && { on }) }
}

type Same = { viewerId: number; uid: string; path: string; question: string }

type SameFile = Stored & { uid: string; isMine: boolean }

/** Lists the file that a form has already asked for, and the latest of the same question that is unfinished or a few minutes old. */
async function listSame(ctx: Ctx, { viewerId, uid, path, question }: Same): Promise<SameFile[]> {
  const { rows } = await sql<SameFile>`
    select uid, user_id = ${viewerId} as "isMine", ${stateAt(ctx)} as state, storage_key as "storageKey", bytes
    from report_files where uid = ${uid}
    union all
    (select uid, true, state, storage_key, bytes from report_files
    where user_id = ${viewerId} and report = ${path} and md5(question::text) = md5(${question}::jsonb::text)
      and (${isUnfinished} or ${stateAt(ctx)} = 'ready' and asked_at > ${new Date(ctx.now.getTime() - recentMs)})
    order by id desc limit 1)`.execute(ctx.db)
  return rows
}

async function findMissing(files: SameFile[]): Promise<string[]> {
  const found = await Promise.all(files.map(isMissing))
  return files.filter((_, index) => found[index]).map(({ uid }) => uid)
}

/**
 * The one of these that answers the request. `isOver` if it was canceled, has failed, has expired or is missing. Throws
 * NotFound for a uid that is taken by something else.
 */
function findSame(files: SameFile[], missing: string[]): { uid: string; isOver: boolean } | null {
  if (files.some(({ isMine }) => !isMine)) throw new NotFound()
  const found = files.map(({ uid, state }) => ({
    uid,
    isOver: ['canceled', 'failed', 'expired'].includes(state) || missing.includes(uid),
  }))
  return found.find(({ isOver }) => !isOver) ?? found[0] ?? null
}

const recentMs = 10 * 60_000

async function refuseMore(ctx: Ctx, viewerId: number): Promise<void> {
  const { ofPerson, waiting, kept } = reportFileLimits
  // What is in preparation will be kept too.
  const { rows } = await sql<{ mine: number; waiting: number; kept: number }>`
    select count(*) filter (where user_id = ${viewerId} and ${isUnfinished})::int as mine,
      count(*) filter (where state = 'waiting')::int as waiting,
      count(*) filter (where user_id = ${viewerId} and ${stateAt(ctx)} <> 'expired')::int as kept
    from report_files where site_id = ${ctx.site.id} and (${isUnfinished} or state = 'ready')`.execute(ctx.db)
  if ((rows[0]?.kept ?? 0) >= kept) {
    const sentence = `You have ${kept} files. Delete one that you no longer need, and ask again.`
    throw new Conflict('report_file.too_many_kept', sentence)
  }
  if ((rows[0]?.mine ?? 0) >= ofPerson) {
    const sentence = `You already have ${ofPerson} files in preparation. Wait until one is ready, or cancel one.`
    throw new Conflict('report_file.too_many', sentence)
  }
  if ((rows[0]?.waiting ?? 0) >= waiting) {
    const sentence = `${waiting} files of this site are waiting already. Try again when some of them are ready.`
    throw new Conflict('report_file.many_waiting', sentence)
  }
}

/** Lists the viewer's files, the newest first. */
export async function listReportFiles(
  ctx: Ctx,
  input: NumberedPageInput = {},
): Promise<{ items: ReportFile[]; total: number }> {
  requireAdmin(ctx)
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage({ size: reportFileLimits.page, ...input })
  const [items, { rows: counts }] = await Promise.all([
    readFiles(ctx, sql`true`, sql`order by id desc limit ${limit} offset ${offset}`),
    sql<{ total: number }>`
      select count(*)::int as total from report_files
      where site_id = ${ctx.site.id} and user_id = ${viewer.id}`.execute(ctx.db),
  ])
  return { items, total: counts[0]?.total ?? 0 }
}

/** Returns one of the viewer's files. */
export async function getReportFile(ctx: Ctx, input: { fileUid: string }): Promise<ReportFile> {
  requireAdmin(ctx)
  const [file] = isUid(input.fileUid) ? await readFiles(ctx, sql`uid = ${input.fileUid}`, sql``) : []
  if (!file) throw new NotFound()
  return file
}

async function readFiles(ctx: Ctx, which: RawBuilder<unknown>, rest: RawBuilder<unknown>): Promise<ReportFile[]> {
  const { rows } = await sql<ReportFile & { storageKey: string | null }>`
    select uid, report as path, question, about, file_name as "fileName", ${stateAt(ctx)} as state, problem, rows, bytes,
      asked_at as "askedAt", expires_at as "expiresAt", storage_key as "storageKey"
    from report_files
    where site_id = ${ctx.site.id} and user_id = ${ctx.viewer?.id ?? 0} and ${which} ${rest}`.execute(ctx.db)
  return Promise.all(
    rows.map(async ({ storageKey, ...file }) =>
      (await isMissing({ ...file, storageKey })) ? { ...file, state: 'missing' as const } : file,
    ),
  )
}

/** Finds the bytes of one of the viewer's files. Throws NotFound if it is not ready yet or no longer kept. */
export async function getReportFileToServe(
  ctx: Ctx,
  input: { fileUid: string },
): Promise<{ fileName: string; storageKey: string; size: number }> {
  requireAdmin(ctx)
  const { rows } = isUid(input.fileUid)
    ? await sql<Stored & { fileName: string }>`
        select file_name as "fileName", storage_key as "storageKey", bytes, ${stateAt(ctx)} as state
        from report_files
        where site_id = ${ctx.site.id} and user_id = ${ctx.viewer?.id ?? 0} and uid = ${input.fileUid}`.execute(ctx.db)
    : { rows: [] }
  const [file] = rows
  if (file?.state === 'waiting' || file?.state === 'making') throw new NotFound(unreadyFile, 'report_file.unready')
  if (file?.state !== 'ready' || file.storageKey === null || file.bytes === null || (await isMissing(file))) {
    throw new NotFound(missingFile, 'report_file.gone')
  }
  return { fileName: file.fileName, storageKey: keyOfReportFile(file.storageKey), size: file.bytes }
}

/** Ends the preparation of one of the viewer's files. Does nothing if it has ended already. */
export async function cancelReportFile(ctx: Ctx, input: { fileUid: string }): Promise<{ state: ReportFileState }> {
  requireAdmin(ctx, 'write')
  await getReportFile(ctx, input)
  // The job notices it, and deletes what it has written.
  await sql`
    update report_files set state = 'canceled', ended_at = ${ctx.now}
    where site_id = ${ctx.site.id} and user_id = ${ctx.viewer?.id ?? 0} and uid = ${input.fileUid}
      and ${isUnfinished}`.execute(ctx.db)
  const { state } = await getReportFile(ctx, input)
  return { state }
}

/** Deletes one of the viewer's files with its bytes. There is no way back, but the report can be asked for again. */
export async function deleteReportFile(ctx: Ctx, input: { fileUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  const { rows } = isUid(input.fileUid)
    ? await sql<{ storageKey: string | null }>`
        delete from report_files
        where site_id = ${ctx.site.id} and user_id = ${ctx.viewer?.id ?? 0} and uid = ${input.fileUid}
        returning storage_key as "storageKey"`.execute(ctx.db)
    : { rows: [] }
  const [file] = rows
  if (!file) throw new NotFound()
  // If the process is killed here, deleteExpiredReportFiles deletes what has no row.
  if (file.storageKey !== null) await storage().delete(keyOfReportFile(file.storageKey))
}
