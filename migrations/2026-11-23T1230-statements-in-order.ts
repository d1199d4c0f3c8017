import { type Kysely, sql } from 'kysely'

/**
 * Indexes that each filter of statements, and each pair of a filter with a verb, can be read from in order.
 * `xapi_statement_related` gets the verb of the statement. Rows that an older build writes after a rollback have 0
 * there, and readers look there too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table xapi_statement_related add column verb_id bigint not null default 0`.execute(db)
  await sql`alter table xapi_statement_related drop constraint xapi_statement_related_pkey`.execute(db)
  await sql`drop index xapi_statement_related_by_seq`.execute(db)
  await sql`
    update xapi_statement_related set verb_id = s.verb_id
    from xapi_statements s where s.seq = xapi_statement_related.seq`.execute(db)
  await sql`alter table xapi_statement_related add primary key (kind, ref_id, verb_id, seq)`.execute(db)
  await sql`create index xapi_statement_related_by_seq on xapi_statement_related (seq)`.execute(db)

  await sql`
    create index xapi_statements_by_activity_and_verb on xapi_statements (object_activity_id, verb_id, seq)
    where object_activity_id is not null`.execute(db)
  await sql`drop index xapi_statements_by_activity`.execute(db)
  // Of one site: a verb that is common on one site may be rare on the other.
  await sql`create index xapi_statements_by_site_and_verb on xapi_statements (site_id, verb_id, seq)`.execute(db)
  await sql`drop index xapi_statements_by_verb`.execute(db)
}
