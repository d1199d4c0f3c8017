import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { SiteKey, SystemCtx } from '../context.ts'
import { hasUnfinishedJob } from '../queue/queue.server.ts'
import { daysAgo } from '../restorable.ts'
import { storage } from '../storage/storage.server.ts'
import { isUnfinished, keyOfReportFile, queueReportFileMail, reportFilesPrefix } from './report-files.server.ts'

/** How long the list names a file that has ended, besides its seven days. */
const daysListed = 30 + 7

/**
 * Job, every ten minutes: ends files whose time is over or whose job was lost, and deletes the bytes that belong to no
 * file. Those are what a killed process has left, and the files of people who were erased.
 */
export async function deleteExpiredReportFiles(
  ctx: SystemCtx,
): Promise<{ expired: number; stuck: number; bytes: number; abandoned: number }> {
  const { numAffectedRows: expired = 0n } = await sql`
    update report_files set state = 'expired' where state = 'ready' and expires_at <= ${ctx.now}`.execute(ctx.db)
  const stuck = await failLost(ctx)
  await ctx.db.deleteFrom('report_files').where('ended_at', '<', daysAgo(ctx, daysListed)).execute()
  const bytes = await deleteStrays(ctx)
  return { expired: Number(expired), stuck, bytes, abandoned: await storage().deleteAbandoned() }
}

/** A process that is killed during the last try of the job cannot say that the file has failed. */
async function failLost(ctx: SystemCtx): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string; site: SiteKey }>`
      update report_files set state = 'failed', ended_at = ${ctx.now},
        problem = 'The work on the file was interrupted. Ask for the report again.'
      from sites
      where sites.id = site_id and ${isUnfinished} and not ${hasUnfinishedJob('fileUid', sql.ref('report_files.uid'))}
      returning report_files.uid, sites.key as site`.execute(ctx.db)
    for (const { uid, site } of rows) await queueReportFileMail({ db: ctx.db, site: { key: site } }, uid)
    return rows.length
  })
}

const batchSize = 500

/** A run writes its key into the row before the first byte, so bytes without a row are nobody's, however new. */
async function deleteStrays(ctx: SystemCtx): Promise<number> {
  let deleted = 0
  let found: string[] = []
  const sweep = async () => {
    const { rows } = await sql<{ key: string }>`
      select storage_key as key from report_files
      where storage_key = any(${found}::uuid[]) and state in ('making', 'ready')`.execute(ctx.db)
    const known = new Set(rows.map(({ key }) => key))
    for (const key of found.filter((key) => !known.has(key))) {
      await storage().delete(keyOfReportFile(key))
      deleted++
    }
    found = []
  }
  for await (const { key } of storage().list(reportFilesPrefix)) {
    const name = key.slice(reportFilesPrefix.length)
    if (isUid(name) && found.push(name) === batchSize) await sweep()
  }
  if (found.length > 0) await sweep()
  return deleted
}
