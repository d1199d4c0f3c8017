import { type Kysely, sql } from 'kysely'

/**
 * Tells PostgreSQL how many different questions there are. It took each question to be asked in every module, and sorted a
 * million answers on disk to group them (1.9 s instead of 0.25).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create statistics question_answers_questions (ndistinct) on module_id, question_iri, response
    from question_answers`.execute(db)
  await sql`analyze question_answers`.execute(db)
}
