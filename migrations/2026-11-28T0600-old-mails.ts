import { type Kysely, sql } from 'kysely'

/** The rows of the ledger that a job will empty or delete once they are old. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index mails_to_clear on mails (ended_at)
    where subject <> '' or address is not null or kind <> 'message' or announcement_id is null`.execute(db)
}
