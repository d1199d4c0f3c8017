import { type Kysely, sql } from 'kysely'

/**
 * The chosen options of the questions with a key, beside the texts made from them: options can be compared whatever the
 * site calls them, and whatever people have typed beside "Other".
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table user_facets add column option_ids bigint[] not null default '{}'`.execute(db)
  await sql`
    update user_facets set option_ids = chosen.ids
    from (
      select answer.user_id, array_agg(picked.option_id order by picked.option_id) as ids
      from user_answers answer
      join profile_questions question on question.id = answer.question_id and question.key is not null
      join user_answer_options picked on picked.answer_id = answer.id
      group by answer.user_id) chosen
    where chosen.user_id = user_facets.user_id`.execute(db)
}
