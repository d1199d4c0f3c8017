import { type Kysely, sql } from 'kysely'

/**
 * Indexes that each filter of statements, and each pair of a filter with a verb, can be read from in order. No two of
 * them begin with the same column or expression, so that PostgreSQL has no choice (app/services/xapi/leads.server.ts).
 * `xapi_statement_related` gets the verb of the statement and the activity that is its object (-1 if it is something
 * else). Rows that an older build writes after a rollback have 0 there, and readers look there too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table xapi_statement_related 
    add column verb_id bigint not null default 0,
    add column object_activity_id bigint not null default 0`.execute(db)
  await sql`alter table xapi_statement_related drop constraint xapi_statement_related_pkey`.execute(db)
  await sql`drop index xapi_statement_related_by_seq`.execute(db)
  await sql`
    update xapi_statement_related set verb_id = s.verb_id, object_activity_id = coalesce(s.object_activity_id, -1)
    from xapi_statements s where s.seq = xapi_statement_related.seq`.execute(db)
  await sql`alter table xapi_statement_related 
    add primary key (kind, ref_id, verb_id, seq, object_activity_id)`.execute(db)
  await sql`create index xapi_statement_related_by_seq on xapi_statement_related (seq)`.execute(db)

  await sql`
    create index xapi_statements_by_activity_and_verb on xapi_statements (object_activity_id, verb_id, seq)
    where object_activity_id is not null`.execute(db)
  await sql`drop index xapi_statements_by_activity`.execute(db)
  // Of one site: a verb that is common on one site may be rare on the other.
  await sql`create index xapi_statements_by_verb_and_site on xapi_statements (verb_id, site_id, seq)`.execute(db)
  await sql`drop index xapi_statements_by_verb`.execute(db)
  await sql`
    create index xapi_statements_by_actor_in_order on xapi_statements ((actor_id + 0), seq, (object_activity_id + 0))`.execute(
    db,
  )
  await sql`drop index xapi_statements_by_actor`.execute(db)
}
