import { type Kysely, sql } from 'kysely'

/** What one person did of one kind, the latest first: without it all that the person ever did is read on the way. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index xapi_statements_by_actor_and_verb on xapi_statements (actor_id, verb_id, seq)`.execute(db)
}
