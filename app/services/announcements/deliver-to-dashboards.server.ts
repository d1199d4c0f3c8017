import { sql } from 'kysely'
import { linksOf } from '~/lib/markdown.ts'
import type { Ctx } from '../context.ts'
import { cannotBeUsed } from './recipients.server.ts'

/** Longer links are not recorded, so their clicks are not counted. They stay in the text. */
const maxLinkLength = 2000

/**
 * Puts a message on the dashboards of its recipients, in the caller's transaction. Invited people find it there when they
 * can log in. Who was disabled or deleted since being chosen is left out, as the review did not count them.
 */
export async function deliverToDashboards(ctx: Ctx, announcementId: number): Promise<void> {
  await recordLinks(ctx, announcementId)
  await sql`
    update announcement_recipients r set
      channel = 'dashboard', sent_at = ${ctx.now}, skipped = chosen.reason,
      state = case when chosen.reason is null then 'sent' else 'skipped' end
    from (
      select recipient.id, case when ${cannotBeUsed(ctx)} then 'disabled' end as reason
      from announcement_recipients recipient left join users on users.id = recipient.user_id
      where recipient.announcement_id = ${announcementId} and recipient.state = 'draft') chosen
    where r.id = chosen.id`.execute(ctx.db)
  await sql`
    update announcements
    set status = 'sent', sending = 'done', sent_at = ${ctx.now}, prepared_at = ${ctx.now}, finished_at = ${ctx.now}
    where id = ${announcementId}`.execute(ctx.db)
}

/**
 * Records the links of the text, so that clicks can be counted. Skips email addresses, whose clicks cannot be counted.
 * The text can no longer change when this is called.
 */
export async function recordLinks(ctx: Ctx, announcementId: number): Promise<void> {
  const { text } = await ctx.db
    .selectFrom('announcements')
    .select('text')
    .where('id', '=', announcementId)
    .executeTakeFirstOrThrow()
  const urls = linksOf(text).filter((url) => /^https?:/i.test(url) && url.length <= maxLinkLength)
  if (urls.length === 0) return
  await sql`
    insert into announcement_links (announcement_id, url)
    select ${announcementId}, url from unnest(${urls}::text[]) with ordinality link (url, position)
    where not exists (
      select from announcement_links done where done.announcement_id = ${announcementId} and done.url = link.url)
    order by position`.execute(ctx.db)
}
