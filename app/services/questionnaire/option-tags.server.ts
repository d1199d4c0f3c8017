import { sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'

/**
 * Lets the answers of the questionnaire that stand for one tag (profile_option_tags) stand for another, or with
 * `keepsOld` for both. `from` and `to` are the keys of tags (tags.text_key).
 */
export async function moveOptionTags(ctx: Ctx, input: { from: string; to: string; keepsOld: boolean }): Promise<void> {
  requireAdmin(ctx, 'write')
  const ofFrom = sql`
    lower(tag) = ${input.from} and option_id in (
      select option.id
      from profile_options option
      join profile_questions question on question.id = option.question_id
      where question.site_id = ${ctx.site.id})`
  await sql`
    insert into profile_option_tags (option_id, tag)
    select distinct option_id, ${input.to} from profile_option_tags where ${ofFrom}
    on conflict do nothing`.execute(ctx.db)
  if (!input.keepsOld) {
    await sql`delete from profile_option_tags where ${ofFrom} and tag <> ${input.to}`.execute(ctx.db)
  }
}
