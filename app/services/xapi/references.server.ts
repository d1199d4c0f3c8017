import { type RawBuilder, sql } from 'kysely'
import type { Ctx, SystemCtx } from '../context.ts'
import { queueSystemJob } from '../queue/queue.server.ts'
import { voidedVerb } from './types.ts'

/*
 * A statement about another one is found by whatever that one is found by, through any number of references (xAPI 1.0.3
 * communication 2.1.3). So that no reader has to follow them, `xapi_statement_references` holds a row for each statement
 * that can be reached, with what it is found by, and `xapi_reference_related` what `xapi_statement_related` says of that one.
 */

/** Further away nothing is followed: a chain of all statements of a batch would be as many rows as its square. */
const furthest = 16

/**
 * What is not there by then came later, and found who refers to it. But a transaction may live longer: on the web each of its
 * SQL statements may take 20 s, in jobs and in a process of both roles any time. If one that stored a statement is still open a
 * minute after another referred to that, the two stay unlinked: the other is not found by it, and does not void it.
 */
const lateMillis = 60_000

/** What is found by the terms of `target`, the alias of its row. */
function termsOf(target: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${target}.verb_id, ${target}.actor_id, ${target}.authority_id, ${target}.object_activity_id, ${target}.registration`
}

const columns = sql`seq, target_seq, distance, verb_id, actor_id, authority_id, object_activity_id, registration`

/**
 * The parts of the statement that stores `news` (seq, id and the terms) and what is `related` to them, which write down
 * who referred to them before they came.
 */
export function referringBefore(
  ctx: Pick<Ctx, 'site'>,
  news: RawBuilder<unknown>,
  related: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`referring as (
    insert into xapi_statement_references (${columns})
    select referring.seq, t.seq, min(referring.distance), ${termsOf(sql`t`)}
    from ${news} t
    join xapi_statements r on r.ref_target = t.id and r.site_id = ${ctx.site.id}
    cross join lateral (
      select r.seq, 1 as distance
      union all
      select x.seq, x.distance + 1 from xapi_statement_references x
      where x.target_seq = r.seq and x.distance < ${furthest}) as referring
    where referring.seq <> t.seq
    group by referring.seq, t.seq, ${termsOf(sql`t`)}
    returning seq, target_seq),
  referring_related as (${relatedOf(sql`referring`, related)})`
}

function relatedOf(linked: RawBuilder<unknown>, related: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into xapi_reference_related (kind, ref_id, seq, target_seq)
    select related.kind, related.ref_id, linked.seq, linked.target_seq
    from ${linked} linked join ${related} related on related.seq = linked.target_seq
    on conflict do nothing`
}

/** Writes down what these statements refer to, for them and for who refers to them. Returns those whose way ends at one that
 * is not there. */
async function linkTargets(ctx: Pick<Ctx, 'db'>, seqs: number[]): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    with recursive reached(seq, site_id, target_seq, next, distance) as (
      select r.seq, r.site_id, r.seq, r.ref_target, 0 from xapi_statements r where r.seq = any(${seqs}::bigint[])
      union
      select reached.seq, reached.site_id, t.seq, t.ref_target, reached.distance + 1 from reached
      join xapi_statement_ids ids on ids.site_id = reached.site_id and ids.statement_id = reached.next
      join xapi_statements t on t.seq = ids.seq
      where reached.distance < ${furthest}),
    linked as (
    insert into xapi_statement_references (${columns})
    select referring.seq, t.seq, min(referring.distance), ${termsOf(sql`t`)}
    from reached
    join xapi_statements t on t.seq = reached.target_seq
    cross join lateral (
      select reached.seq, reached.distance
      union all
      select x.seq, x.distance + reached.distance from xapi_statement_references x
      where x.target_seq = reached.seq and x.distance + reached.distance <= ${furthest}) as referring
    where reached.distance > 0 and referring.seq <> t.seq
    group by referring.seq, t.seq, ${termsOf(sql`t`)}
    on conflict do nothing
    returning seq, target_seq),
    linked_related as (${relatedOf(sql`linked`, sql`xapi_statement_related`)})
    select distinct reached.seq from reached
    where reached.next is not null and reached.distance < ${furthest} and not exists (
      select from xapi_statement_ids ids
      where ids.site_id = reached.site_id and ids.statement_id = reached.next)`.execute(ctx.db)
  return rows.map(({ seq }) => seq)
}

/** A statement that voids cannot itself be voided (xAPI 1.0.3 data 2.3.2). Others among `seqs` void nothing. */
async function voidTargets(ctx: Pick<Ctx, 'db'>, seqs: number[]): Promise<void> {
  await sql`
    update xapi_statements target set voided_by = v.statement_id
    from xapi_statements v
    join xapi_statement_ids ids on ids.site_id = v.site_id and ids.statement_id = v.ref_target
    where v.seq = any(${seqs}::bigint[]) and v.verb_id = (select id from xapi_verbs where iri = ${voidedVerb})
      and target.seq = ids.seq and target.voided_by is null and target.verb_id <> v.verb_id`.execute(ctx.db)
}

/**
 * In the transaction that stored these statements, which refer to others. Two that are stored at the same moment do not
 * see each other: what was not there is looked for once more when nobody can still be writing it.
 */
export async function followReferences(ctx: SystemCtx, seqs: number[]): Promise<void> {
  await voidTargets(ctx, seqs)
  const missing = await linkTargets(ctx, seqs)
  if (missing.length === 0) return
  await queueSystemJob(ctx, 'follow-references', { seqs: missing }, { runAt: new Date(Date.now() + lateMillis) })
}

/** The job of what `followReferences` did not find. Safe to repeat. */
export async function followLateReferences(ctx: SystemCtx, { seqs }: { seqs: number[] }): Promise<void> {
  await voidTargets(ctx, seqs)
  await linkTargets(ctx, seqs)
}
