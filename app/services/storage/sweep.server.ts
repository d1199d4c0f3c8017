/** Deletes stored files that nothing refers to, and bytes without a row. */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireStaff, type SystemCtx } from '../context.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { storage } from './storage.server.ts'

/**
 * Every column whose reference keeps a file. An upload does not keep its stored file, and a derivative lives as long as
 * its original. A test compares this list with the foreign keys of the database.
 */
export const keepers = [
  ['modules', 'cover_file_id'],
  ['cmi5_packages', 'zip_file_id'],
  ['courses', 'banner_file_id'],
  ['courses', 'cover_file_id'],
  ['lectures', 'cover_file_id'],
  ['lectures', 'captions_file_id'],
  ['lectures', 'video_file_id'],
  ['videos', 'cover_file_id'],
  ['videos', 'captions_file_id'],
  ['videos', 'video_file_id'],
  ['film_captions', 'file_id'],
  ['replaced_files', 'file_id'],
  ['announcements', 'attachment_file_id'],
  ['announcement_files', 'file_id'],
] as const

const batchSize = 500

/** Keeps files that a save replaces, by their stored names, for the history. Call it in the transaction of the save. */
export async function keepReplacedFiles(ctx: Ctx, names: (string | null)[]): Promise<void> {
  requireStaff(ctx, 'write')
  const known = names.filter((name) => name !== null)
  if (known.length === 0) return
  await sql`
    insert into replaced_files (file_id, site_id, replaced_at)
    select id, site_id, ${ctx.now} from stored_files where site_id = ${ctx.site.id} and name = any(${known}::text[])
    order by id
    on conflict (file_id) do update set replaced_at = greatest(replaced_files.replaced_at, excluded.replaced_at)`.execute(
    ctx.db,
  )
}

/** Deletes rows before their bytes. If it is killed in between, the next run deletes the bytes as strays. */
export async function deleteUnusedFiles(ctx: SystemCtx, before: Date): Promise<number> {
  let deleted = 0
  await ctx.db.deleteFrom('replaced_files').where('replaced_at', '<', daysAgo(ctx, restorableDays)).execute()
  for (;;) {
    const keys = await deleteSomeRows(ctx, before)
    for (const key of keys) await storage().delete(key)
    deleted += keys.length
    if (keys.length === 0) return deleted
  }
}

async function deleteSomeRows(ctx: SystemCtx, before: Date): Promise<string[]> {
  return inTransaction(ctx, async ({ db }) => {
    // Locks the rows first and then checks again: a request that attaches a file now either waits for this transaction
    // or has become visible to it.
    const locked = await db
      .selectFrom('stored_files as file')
      .select('file.id')
      .where('file.created_at', '<', before)
      .where('file.original_id', 'is', null)
      .where(isUnused)
      .orderBy('file.id')
      .limit(batchSize)
      .forUpdate()
      .skipLocked()
      .execute()
    const ids = locked.map(({ id }) => id)
    if (ids.length === 0) return []
    const unused = await db
      .selectFrom('stored_files as file')
      .select('file.id')
      .where('file.id', 'in', ids)
      .where(isUnused)
      .execute()
    if (unused.length === 0) return []
    const gone = unused.map(({ id }) => id)
    const rows = await db
      .deleteFrom('stored_files')
      .where((eb) => eb.or([eb('id', 'in', gone), eb('original_id', 'in', gone)]))
      .returning('storage_key')
      .execute()
    return rows.map((row) => row.storage_key)
  })
}

/** SQL condition: nothing refers to the file or to its derivatives. */
const isUnused = sql<boolean>`not exists (
  select from stored_files as own
  where (own.id = file.id or own.original_id = file.id) and (${sql.join(
    keepers.map(([table, column]) => sql`exists (select from ${sql.table(table)} where ${sql.ref(column)} = own.id)`),
    sql` or `,
  )}))`

/** Deletes posts that nobody completed, and bytes left by a process that was killed before it wrote their row. */
export async function deleteStrayBytes(ctx: SystemCtx, before: Date): Promise<number> {
  let deleted = 0
  for await (const { key, modifiedAt } of storage().list('incoming/')) {
    if (modifiedAt >= before) continue
    await storage().delete(key)
    deleted++
  }
  let old: string[] = []
  const sweep = async () => {
    const known = await findKnownKeys(ctx, old)
    for (const key of old.filter((key) => !known.has(key))) {
      await storage().delete(key)
      deleted++
    }
    old = []
  }
  for await (const { key, modifiedAt } of storage().list('')) {
    // Deletes only files that look like our own keys, because the folder may contain other people's files.
    if (modifiedAt >= before || !isUid(key)) continue
    if (old.push(key) === batchSize) await sweep()
  }
  await sweep()
  return deleted
}

async function findKnownKeys(ctx: SystemCtx, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await ctx.db.selectFrom('stored_files').select('storage_key').where('storage_key', 'in', keys).execute()
  return new Set(rows.map((row) => row.storage_key))
}
