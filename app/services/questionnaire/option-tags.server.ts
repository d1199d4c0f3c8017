/**
 * The tags that answers of the questionnaire stand for (profile_option_tags). A tag is named by its key
 * (tags.text_key), since an answer may stand for one that the site does not have yet.
 */
import { sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'

const optionsOfSite = (ctx: Ctx) => sql`(
  select option.id from profile_options option
  join profile_questions question on question.id = option.question_id
  where question.site_id = ${ctx.site.id})`

/** Lists the ids of the options that stand for each of these tags. */
export async function listOptionsOfTags(ctx: Ctx, input: { keys: string[] }): Promise<Map<string, number[]>> {
  requireAdmin(ctx)
  const { rows } = await sql<{ key: string; ids: number[] }>`
    select lower(tag) as key, array_agg(distinct option_id order by option_id) as ids from profile_option_tags
    where lower(tag) = any(${input.keys}) and option_id in ${optionsOfSite(ctx)}
    group by 1`.execute(ctx.db)
  return new Map(rows.map(({ key, ids }) => [key, ids]))
}

type KeyAndOptions = { key: string; optionIds: number[] }

export async function addTagToOptions(ctx: Ctx, { key, optionIds }: KeyAndOptions): Promise<void> {
  requireAdmin(ctx, 'write')
  if (optionIds.length === 0) return
  await sql`
    insert into profile_option_tags (option_id, tag)
    select id, ${key} from profile_options where id = any(${optionIds}::bigint[]) and id in ${optionsOfSite(ctx)}
    on conflict do nothing`.execute(ctx.db)
}

export async function removeTagFromOptions(ctx: Ctx, { key, optionIds }: KeyAndOptions): Promise<void> {
  requireAdmin(ctx, 'write')
  if (optionIds.length === 0) return
  await sql`
    delete from profile_option_tags
    where lower(tag) = ${key} and option_id = any(${optionIds}::bigint[]) and option_id in ${optionsOfSite(ctx)}`.execute(
    ctx.db,
  )
}

/** Lets what stands for one tag stand for another. */
export async function renameTagOfOptions(ctx: Ctx, input: { from: string; to: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  if (input.from === input.to) return
  const optionIds = (await listOptionsOfTags(ctx, { keys: [input.from] })).get(input.from) ?? []
  await addTagToOptions(ctx, { key: input.to, optionIds })
  await removeTagFromOptions(ctx, { key: input.from, optionIds })
}
