import { type Kysely, sql } from 'kysely'

/**
 * Voids statements whose voiding statement arrived at the same moment. Such a void was stored and had no effect
 * (xAPI 1.0.3 data 2.3.2: a voiding statement cannot be voided).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update xapi_statements target set voided_by = voiding.statement_id
    from xapi_verbs verb
    join xapi_statements voiding on voiding.verb_id = verb.id and voiding.ref_target is not null
    join xapi_statement_ids ids on ids.site_id = voiding.site_id and ids.statement_id = voiding.ref_target
    where verb.iri = 'http://adlnet.gov/expapi/verbs/voided' and target.seq = ids.seq
      and target.voided_by is null and target.verb_id <> verb.id`.execute(db)
}
