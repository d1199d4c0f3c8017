import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Ctx, SystemCtx } from '../context.ts'
import { storage } from '../storage/storage.server.ts'
import { type AttachmentPart, attachmentsIn, matchParts } from './attachment-rules.ts'
import { checkSignature } from './signatures.ts'
import type { Statement, XapiVersion } from './types.ts'

/*
 * The bytes of attachments, in storage under `xapi/` and a uid, once per site and SHA-2. A statement is returned with
 * only the bytes that were sent with it, so knowing a hash does not give access to bytes that somebody else sent.
 */
export type StoredBytes = { sha2: string; storageKey: string; size: number }
/** Received bytes by their SHA-2 in lower case. */
export type ReceivedAttachments = ReadonlyMap<string, StoredBytes>

const prefix = 'xapi/'
const dayMs = 24 * 60 * 60 * 1000
const batchSize = 500

export const noAttachments: ReceivedAttachments = new Map()

/**
 * Checks the attachments of statements and stores their bytes while `work` stores the statements. Then deletes the
 * bytes that no row refers to: copies of bytes that were already stored, or all of them if `work` throws.
 */
export async function withAttachments<T>(
  ctx: Ctx,
  input: { statements: Statement[]; attachments: AttachmentPart[]; version: XapiVersion },
  work: (received: ReceivedAttachments) => Promise<T>,
): Promise<T> {
  const bytes = matchParts(input.statements, input.attachments)
  for (const statement of input.statements) await checkSignature(statement, bytes, input.version)
  if (bytes.size === 0) return work(noAttachments)
  const received = new Map<string, StoredBytes>()
  try {
    for (const [sha2, content] of bytes) {
      const storageKey = `${prefix}${randomUUID()}`
      received.set(sha2, { sha2, storageKey, size: content.length })
      await storage().write(storageKey, Readable.from([content]), { maxBytes: content.length })
    }
    return await work(received)
  } finally {
    await deleteUnreferenced(ctx, [...received.values()]).catch((error) =>
      ctx.log.warn({ err: error }, 'unused bytes of attachments were not deleted, the sweep will do it'),
    )
  }
}

async function deleteUnreferenced(ctx: Pick<Ctx, 'db'>, received: StoredBytes[]): Promise<void> {
  const keys = received.map(({ storageKey }) => storageKey)
  const kept = await findKnownKeys(ctx, keys)
  for (const key of keys) if (!kept.has(key)) await storage().delete(key)
}

async function findKnownKeys({ db }: Pick<Ctx, 'db'>, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await db
    .selectFrom('xapi_attachments')
    .select('storage_key')
    .where(sql<boolean>`storage_key = any(${keys}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.storage_key))
}

export type StatementBytes = StoredBytes & { contentType: string }

/** Returns the attachments whose bytes were sent with the statement. */
export function bytesOf(statement: Statement, received: ReceivedAttachments): StatementBytes[] {
  if (received.size === 0) return []
  const found = new Map<string, StatementBytes>()
  for (const { sha2, contentType } of attachmentsIn(statement)) {
    const stored = received.get(sha2.toLowerCase())
    if (stored && !found.has(stored.sha2)) found.set(stored.sha2, { ...stored, contentType })
  }
  return [...found.values()]
}

/**
 * Stores attachments in the transaction that stores their statements. Renews the creation time of known rows first,
 * because the sweep deletes unused rows that are older than a day.
 */
export async function storeAttachments(
  ctx: Ctx,
  statements: { seq: number; attachments: StatementBytes[] }[],
): Promise<void> {
  const links = statements.flatMap(({ seq, attachments }) => attachments.map((one) => ({ ...one, seq })))
  if (links.length === 0) return
  const bytes = [...new Map(links.map((link) => [link.sha2, link])).values()].sort((a, b) => (a.sha2 < b.sha2 ? -1 : 1))
  const sums = bytes.map(({ sha2 }) => sha2)
  await sql`
    update xapi_attachments set created_at = ${ctx.now}
    where (site_id, sha2) in (
      select site_id, sha2 from xapi_attachments
      where site_id = ${ctx.site.id} and sha2 = any(${sums}::text[])
        and created_at < ${new Date(ctx.now.getTime() - dayMs / 2)}
      order by sha2 for update)`.execute(ctx.db)
  await sql`
    insert into xapi_attachments (site_id, sha2, content_type, size, storage_key, created_at)
    select ${ctx.site.id}, t.*, ${ctx.now} from unnest(${sums}::text[], ${bytes.map((one) => one.contentType)}::text[],
      ${bytes.map((one) => one.size)}::bigint[], ${bytes.map((one) => one.storageKey)}::text[]) as t
    on conflict (site_id, sha2) do nothing`.execute(ctx.db)
  await sql`
    insert into xapi_statement_attachments (seq, site_id, sha2, content_type)
    select t.seq, ${ctx.site.id}, t.sha2, t.content_type
    from unnest(${links.map((link) => link.seq)}::bigint[], ${links.map((link) => link.sha2)}::text[],
      ${links.map((link) => link.contentType)}::text[]) as t(seq, sha2, content_type)`.execute(ctx.db)
}

export type AttachmentFile = { sha2: string; contentType: string; size: number; open: () => Promise<Readable> }

/** Lists the bytes that were sent with these statements, each once. Callers decide who may see the statements. */
export async function listAttachments(ctx: Ctx, seqs: number[]): Promise<AttachmentFile[]> {
  if (seqs.length === 0) return []
  const rows = await ctx.db
    .selectFrom('xapi_statement_attachments as link')
    .innerJoin('xapi_attachments as bytes', (join) =>
      join.onRef('bytes.site_id', '=', 'link.site_id').onRef('bytes.sha2', '=', 'link.sha2'),
    )
    .distinctOn('link.sha2')
    .select([
      'link.sha2',
      'link.content_type as contentType',
      'link.seq',
      'bytes.size',
      'bytes.storage_key as storageKey',
    ])
    .where('link.site_id', '=', ctx.site.id)
    .where(sql<boolean>`link.seq = any(${seqs}::bigint[])`)
    .orderBy('link.sha2')
    .orderBy('link.seq')
    .execute()
  const files: AttachmentFile[] = []
  for (const { storageKey, seq, ...row } of rows.sort((a, b) => a.seq - b.seq)) {
    const found = await storage().stat(storageKey)
    // Checks storage now, because nothing can be left out once the response has announced its length.
    if (found?.size === row.size) files.push({ ...row, open: () => storage().read(storageKey) })
    else ctx.log.error({ storageKey, seq }, 'bytes of an attachment are missing in storage')
  }
  return files
}

/**
 * Deletes, for all sites, rows that no statement refers to and bytes without a row, both after a day. Safe to repeat.
 */
export async function sweepAttachments(ctx: SystemCtx): Promise<number> {
  const before = new Date(ctx.now.getTime() - dayMs)
  return (await deleteUnusedRows(ctx, before)) + (await deleteStrays(ctx, before))
}

async function deleteUnusedRows(ctx: SystemCtx, before: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rows } = await sql<{ key: string }>`
      delete from xapi_attachments where (site_id, sha2) in (
        select site_id, sha2 from xapi_attachments bytes
        where created_at < ${before} and not exists (
          select from xapi_statement_attachments link where link.site_id = bytes.site_id and link.sha2 = bytes.sha2)
        order by created_at limit ${batchSize} for update skip locked)
      returning storage_key as key`.execute(ctx.db)
    for (const { key } of rows) await storage().delete(key)
    deleted += rows.length
    if (rows.length < batchSize) return deleted
  }
}

async function deleteStrays(ctx: SystemCtx, before: Date): Promise<number> {
  let deleted = 0
  let old: string[] = []
  const sweep = async () => {
    const known = await findKnownKeys(ctx, old)
    for (const key of old.filter((key) => !known.has(key))) {
      await storage().delete(key)
      deleted++
    }
    old = []
  }
  for await (const { key, modifiedAt } of storage().list(prefix)) {
    if (modifiedAt >= before) continue
    if (old.push(key) === batchSize) await sweep()
  }
  await sweep()
  return deleted
}
