import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/**
 * Writes the values by which recipients are filtered and reports are grouped: the answers to the five questions with a
 * key, as texts and as ids of options, and the group. A custom answer replaces the text of the option that asked for it. Call it in every transaction
 * that changes answers, institution or subscription.
 */
export async function projectFacets(ctx: Ctx, input: { userUid: string }): Promise<void> {
  await projectFacetsOf(ctx, { userUids: [input.userUid] })
}

/** The same for many people in one statement. */
export async function projectFacetsOf(ctx: Ctx, input: { userUids: string[] }): Promise<void> {
  await sql`
    insert into user_facets (user_id, site_id, institution_type, position, research_type, modality, region, group_key,
      option_ids)
    select users.id, users.site_id,
      max(said.text) filter (where said.key = 'institution_type'),
      max(said.text) filter (where said.key = 'position'),
      max(said.text) filter (where said.key = 'research_type'),
      max(said.text) filter (where said.key = 'modality'),
      max(said.text) filter (where said.key = 'region'),
      ${groupOfUser},
      array(
        select o.option_id
        from user_answers a
          join profile_questions q on q.id = a.question_id and q.key is not null
          join user_answer_options o on o.answer_id = a.id
        where a.user_id = users.id order by o.option_id)
    from users left join lateral (
      select q.key, string_agg(
        case when p.allows_custom_answer then coalesce(nullif(trim(a.custom_answer), ''), p.text) else p.text end,
        ', ' order by p.position, p.id) as text
      from user_answers a
        join profile_questions q on q.id = a.question_id
        join user_answer_options o on o.answer_id = a.id
        join profile_options p on p.id = o.option_id
      where a.user_id = users.id and q.key is not null
      group by q.key) said on true
    where users.uid = any(${input.userUids}::uuid[])
    group by users.id
    on conflict (user_id) do update set
      institution_type = excluded.institution_type,
      position = excluded.position,
      research_type = excluded.research_type,
      modality = excluded.modality,
      region = excluded.region,
      group_key = excluded.group_key,
      option_ids = excluded.option_ids`.execute(ctx.db)
}

/** The group of `users`: that of the site's default institution, of subsidized people, or of all others. */
const groupOfUser = sql`(
  select case
      when users.university_id = sites.default_university_id then 'university'
      when subscriptions.type = 'subsidized' then 'site'
      else 'external' end
  from sites left join subscriptions on subscriptions.user_id = users.id
  where sites.id = users.site_id)`

/** Writes the group of all people of some institutions. Call it when the default institution of the site changes. */
export async function projectGroupsOf(ctx: Ctx, input: { universityUids: string[] }): Promise<void> {
  if (input.universityUids.length === 0) return
  await sql`
    update user_facets set group_key = ${groupOfUser}
    from users
    where users.id = user_facets.user_id and users.site_id = ${ctx.site.id} and users.university_id in (
      select id from universities where site_id = ${ctx.site.id} and uid = any(${input.universityUids}::uuid[]))`.execute(
    ctx.db,
  )
}
