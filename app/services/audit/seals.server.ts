/**
 * Seals the audit log with a chain of hashes, so that an entry that was taken away or changed is found. The hash of a
 * seal is made from the hash before it and its entries in order: who (by uid), what, when, and the values before and
 * after. Names are left out, so the erasure of a person does not break the chain.
 */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import type { SystemCtx } from '../context.ts'

const mostAtOnce = 5000
const before = Buffer.alloc(32)

/** The content of an entry that is sealed. PostgreSQL stores the keys of its values in a fixed order. */
const sealedText: RawBuilder<string> = sql`jsonb_build_array(
  entry.id, entry.site_id, extract(epoch from entry.at)::text, actor.uid, entry.action, entry.entity, entry.entity_uid,
  entry.before, entry.after)::text`

/**
 * The job: seals the entries that no seal covers, in their order. An entry of a transaction that ends later gets into
 * the next seal. Done twice at once, it seals once.
 */
export async function sealAuditEntries(ctx: SystemCtx): Promise<{ sealed: number }> {
  return inTransaction(ctx, async (ctx) => {
    // One at a time: each seal needs the hash of the one before.
    await sql`lock table audit_seals in share row exclusive mode`.execute(ctx.db)
    const entries = await sql<{ id: number; text: string }>`
      select entry.id, ${sealedText} as text
      from audit_entries entry left join users actor on actor.id = entry.actor_id
      where entry.seal is null order by entry.id limit ${mostAtOnce}`.execute(ctx.db)
    if (entries.rows.length === 0) return { sealed: 0 }
    const last = await ctx.db
      .selectFrom('audit_seals')
      .select(['number', 'hash'])
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    const number = (last?.number ?? 0) + 1
    const hash = hashOf(
      last?.hash ?? before,
      entries.rows.map(({ text }) => text),
    )
    await ctx.db
      .insertInto('audit_seals')
      .values({ number, entries: entries.rows.length, hash, sealed_at: ctx.now })
      .execute()
    await sql`
      update audit_entries set seal = ${number}
      where id = any(${entries.rows.map(({ id }) => id)}::bigint[])`.execute(ctx.db)
    // Outside the database, so that somebody who changes both entries and seals is found by comparing with the log.
    ctx.log.info({ seal: number, entries: entries.rows.length, hash: hash.toString('hex') }, 'audit sealed')
    return { sealed: entries.rows.length }
  })
}

function hashOf(previous: Buffer, texts: string[]): Buffer {
  const hash = createHash('sha256').update(previous)
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:${text}`)
  return hash.digest()
}

export type AuditCheck = {
  seals: number
  entries: number
  unsealed: number
  /** The hash of the last seal, in hex, to compare with the log; null without a seal. */
  head: string | null
  /** One sentence for each seal that does not match its entries. */
  problems: string[]
}

/** Computes every seal again from the entries, one seal at a time. */
export async function verifyAudit(ctx: SystemCtx): Promise<AuditCheck> {
  const check: AuditCheck = { seals: 0, entries: 0, unsealed: 0, head: null, problems: [] }
  let previous: Buffer = before
  for (let number = 1; ; number += 1) {
    const seal = await ctx.db
      .selectFrom('audit_seals')
      .select(['number', 'entries', 'hash', 'sealed_at as sealedAt'])
      .where('number', '>=', number)
      .orderBy('number')
      .limit(1)
      .executeTakeFirst()
    if (!seal) break
    const missing = seal.number - number
    if (missing === 1) check.problems.push(`Seal ${number} is missing.`)
    if (missing > 1) check.problems.push(`Seals ${number} to ${seal.number - 1} are missing.`)
    number = seal.number
    const { rows } = await sql<{ text: string }>`
      select ${sealedText} as text
      from audit_entries entry left join users actor on actor.id = entry.actor_id
      where entry.seal = ${number} order by entry.id`.execute(ctx.db)
    const made = seal.sealedAt.toISOString()
    if (rows.length !== seal.entries) {
      check.problems.push(`Seal ${number} of ${made} covers ${seal.entries} entries, but there are ${rows.length}.`)
    } else if (
      !hashOf(
        previous,
        rows.map(({ text }) => text),
      ).equals(seal.hash)
    ) {
      check.problems.push(`Seal ${number} of ${made} does not match its ${rows.length} entries: one was changed.`)
    }
    previous = seal.hash
    check.seals += 1
    check.entries += rows.length
  }
  check.head = check.seals === 0 ? null : previous.toString('hex')
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_entries where seal is null`.execute(ctx.db)
  check.unsealed = rows[0]?.count ?? 0
  return check
}
