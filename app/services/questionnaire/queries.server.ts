import { type RawBuilder, sql } from 'kysely'
import type { Database } from '~db/client.server.ts'

/**
 * SQL condition: the person has a valid answer to every required question of the site, with an option, and with a text
 * if a chosen option needs one. True if the site has no required questions. It is computed each time, so that new
 * questions are asked of everybody.
 */
export function hasAnsweredAll(user: { id: string; siteId: string }): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from profile_questions q
    where q.site_id = ${sql.ref(user.siteId)} and q.is_required and not exists (
      select from user_answers a
        join user_answer_options o on o.answer_id = a.id
        join profile_options p on p.id = o.option_id
      where a.user_id = ${sql.ref(user.id)} and a.question_id = q.id
      having count(*) > 0
        and (not bool_or(p.allows_custom_answer) or max(nullif(trim(a.custom_answer), '')) is not null)))`
}

export function questionsQuery(db: Database, siteId: number) {
  return db
    .selectFrom('profile_questions as q')
    .innerJoin('profile_options as o', 'o.question_id', 'q.id')
    .select([
      'q.id as questionId',
      'q.uid as questionUid',
      'q.text as questionText',
      'q.type',
      'q.is_required as isRequired',
      'o.id as optionId',
      'o.uid as optionUid',
      'o.text as optionText',
      'o.is_default as isDefault',
      'o.allows_custom_answer as allowsCustomAnswer',
    ])
    .where('q.site_id', '=', siteId)
    .orderBy('q.position')
    .orderBy('q.id')
    .orderBy('o.position')
    .orderBy('o.id')
}
