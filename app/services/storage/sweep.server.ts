/** Stored files that nothing refers to any more, and bytes without a row. */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { SystemCtx } from '../context.ts'
import { storage } from './storage.server.ts'

/**
 * Every column that keeps a file. An upload does not keep the file that came of it, and a derivative lives as long as its original;
 * a test compares this with the database's foreign keys.
 */
export const keepers = [
  ['modules', 'cover_file_id'],
  ['cmi5_packages', 'zip_file_id'],
  ['courses', 'banner_file_id'],
  ['courses', 'cover_file_id'],
  ['lectures', 'cover_file_id'],
  ['lectures', 'captions_file_id'],
  ['videos', 'cover_file_id'],
  ['videos', 'captions_file_id'],
  ['announcements', 'attachment_file_id'],
  ['announcement_files', 'file_id'],
] as const

const atOnce = 500

/** Row first and bytes after it: killed in between, the bytes are strays of the next run. */
export async function deleteUnusedFiles(ctx: SystemCtx, before: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const keys = await deleteSomeRows(ctx, before)
    for (const key of keys) await storage().delete(key)
    deleted += keys.length
    if (keys.length === 0) return deleted
  }
}

async function deleteSomeRows(ctx: SystemCtx, before: Date): Promise<string[]> {
  return inTransaction(ctx, async ({ db }) => {
    // Locked first and looked at again then: who attaches a file meanwhile waits for us, or we see what they did.
    const locked = await db
      .selectFrom('stored_files as file')
      .select('file.id')
      .where('file.created_at', '<', before)
      .where('file.original_id', 'is', null)
      .where(isUnused)
      .orderBy('file.id')
      .limit(atOnce)
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

/** Neither the file nor a derivative of it is kept by anything. */
const isUnused = sql<boolean>`not exists (
  select from stored_files as own
  where (own.id = file.id or own.original_id = file.id) and (${sql.join(
    keepers.map(([table, column]) => sql`exists (select from ${sql.table(table)} where ${sql.ref(column)} = own.id)`),
    sql` or `,
  )}))`

/** Posts that nobody completed, and bytes of a process that was killed before it wrote their row. */
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
    // Only what has the shape of our own keys: a stranger's file in the folder is not ours to take away.
    if (modifiedAt >= before || !isUid(key)) continue
    if (old.push(key) === atOnce) await sweep()
  }
  await sweep()
  return deleted
}

async function findKnownKeys(ctx: SystemCtx, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await ctx.db.selectFrom('stored_files').select('storage_key').where('storage_key', 'in', keys).execute()
  return new Set(rows.map((row) => row.storage_key))
}
