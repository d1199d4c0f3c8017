import { type RawBuilder, sql } from 'kysely'
import type { Ctx, SystemCtx } from '../context.ts'
import { queueSystemJob } from '../queue/queue.server.ts'
import { voidedVerb } from './types.ts'

/*
 * A query that finds a statement also finds statements that refer to it, through any number of references (xAPI 1.0.3
 * communication 2.1.3). So that queries need not follow references, `xapi_statement_references` has a row for each
 * statement that can be reached, with its search terms, and `xapi_reference_related` has a copy of its
 * `xapi_statement_related`.
 */

/**
 * References are followed up to this distance. Without a limit, a batch of n statements in a chain would need n² rows.
 */
const maxDistance = 16

/**
 * A target that is still missing after this time will arrive later, and links itself to the statements that refer to
 * it. A transaction may live longer than this, though: each of its SQL statements may take 20 s on the web, and any
 * time in jobs and in a process with both roles. If the transaction that stores the target is still open a minute after
 * the reference was stored, the two stay unlinked: queries for the target do not find the reference, and a void has no
 * effect.
 */
const lateMillis = 60_000

/** Returns the search terms of `target`, which is the alias of its row. */
function termsOf(target: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${target}.verb_id, ${target}.actor_id, ${target}.authority_id, ${target}.object_activity_id, ${target}.registration`
}

const columns = sql`seq, target_seq, distance, verb_id, actor_id, authority_id, object_activity_id, registration`

/**
 * Returns the parts of the SQL that link the statements in `newStatements` (seq, id and terms) and their `related` rows
 * to older statements that refer to them. `+ 0` leaves only the index by `ref_target`: a plan that was made while the
 * table was small would also read the index by site, whole and for each statement.
 */
export function referringBefore(
  ctx: Pick<Ctx, 'site'>,
  newStatements: RawBuilder<unknown>,
  related: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`referring as (
    insert into xapi_statement_references (${columns})
    select referring.seq, t.seq, min(referring.distance), ${termsOf(sql`t`)}
    from ${newStatements} t
    join xapi_statements r on r.ref_target = t.id and r.site_id + 0 = ${ctx.site.id}
    cross join lateral (
      select r.seq, 1 as distance
      union all
      select x.seq, x.distance + 1 from xapi_statement_references x
      where x.target_seq = r.seq and x.distance < ${maxDistance}) as referring
    where referring.seq <> t.seq
    group by referring.seq, t.seq, ${termsOf(sql`t`)}
    returning seq, target_seq),
  referring_related as (${relatedOf(sql`referring linked join ${related} related on related.seq = linked.target_seq`)})`
}

/** `from` names new links `linked` and the terms of their targets `related`. */
function relatedOf(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into xapi_reference_related (kind, ref_id, seq, target_seq)
    select related.kind, related.ref_id, linked.seq, linked.target_seq from ${from}
    on conflict do nothing`
}

/** By index for each link (`offset 0`): a plan that was made while the table was small would read all of it each time. */
const storedRelated = sql`linked cross join lateral (
  select kind, ref_id from xapi_statement_related where seq = linked.target_seq offset 0) related`

/**
 * Links these statements, and statements that refer to them, to their targets. Returns those with a target that is
 * missing.
 */
async function linkTargets(ctx: Pick<Ctx, 'db'>, seqs: number[]): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    with recursive reached(seq, site_id, target_seq, next, distance) as (
      select r.seq, r.site_id, r.seq, r.ref_target, 0 from xapi_statements r where r.seq = any(${seqs}::bigint[])
      union
      select reached.seq, reached.site_id, t.seq, t.ref_target, reached.distance + 1 from reached
      join xapi_statement_ids ids on ids.site_id = reached.site_id and ids.statement_id = reached.next
      join xapi_statements t on t.seq = ids.seq
      where reached.distance < ${maxDistance}),
    linked as (
    insert into xapi_statement_references (${columns})
    select referring.seq, t.seq, min(referring.distance), ${termsOf(sql`t`)}
    from reached
    join xapi_statements t on t.seq = reached.target_seq
    cross join lateral (
      select reached.seq, reached.distance
      union all
      select x.seq, x.distance + reached.distance from xapi_statement_references x
      where x.target_seq = reached.seq and x.distance + reached.distance <= ${maxDistance}) as referring
    where reached.distance > 0 and referring.seq <> t.seq
    group by referring.seq, t.seq, ${termsOf(sql`t`)}
    on conflict do nothing
    returning seq, target_seq),
    linked_related as (${relatedOf(storedRelated)})
    select distinct reached.seq from reached
    where reached.next is not null and reached.distance < ${maxDistance} and not exists (
      select from xapi_statement_ids ids
      where ids.site_id = reached.site_id and ids.statement_id = reached.next)`.execute(ctx.db)
  return rows.map(({ seq }) => seq)
}

/**
 * Voids the targets of voiding statements among `seqs`. Voiding statements cannot be voided (xAPI 1.0.3 data 2.3.2).
 */
async function voidTargets(ctx: Pick<Ctx, 'db'>, seqs: number[]): Promise<void> {
  await sql`
    update xapi_statements target set voided_by = v.statement_id
    from xapi_statements v
    join xapi_statement_ids ids on ids.site_id = v.site_id and ids.statement_id = v.ref_target
    where v.seq = any(${seqs}::bigint[]) and v.verb_id = (select id from xapi_verbs where iri = ${voidedVerb})
      and target.seq = ids.seq and target.voided_by is null and target.verb_id <> v.verb_id`.execute(ctx.db)
}

/**
 * Follows the references of new statements, in the transaction that stores them. Two statements stored at the same
 * moment do not see each other, so missing targets are looked up again once nobody can still be writing them. Voiding
 * comes last: a target that arrives after it was found missing is looked up again, also if it was voided.
 */
export async function followReferences(ctx: SystemCtx, seqs: number[]): Promise<void> {
  const missing = await linkTargets(ctx, seqs)
  await voidTargets(ctx, seqs)
  if (missing.length === 0) return
  await queueSystemJob(ctx, 'follow-references', { seqs: missing }, { runAt: new Date(Date.now() + lateMillis) })
}

/** Job: looks up the targets that `followReferences` did not find. Safe to repeat. */
export async function followLateReferences(ctx: SystemCtx, { seqs }: { seqs: number[] }): Promise<void> {
  await linkTargets(ctx, seqs)
  await voidTargets(ctx, seqs)
}
