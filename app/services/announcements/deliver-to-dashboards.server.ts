import { sql } from 'kysely'
import { linksOf } from '~/lib/markdown.ts'
import type { Ctx } from '../context.ts'

/** Longer links are not recorded, so their clicks are not counted. They stay in the text. */
const maxLinkLength = 2000

/**
 * Puts a message on the dashboards of all its recipients, in the caller's transaction. Invited people and people with a
 * disabled account find it there when they can log in.
 */
export async function deliverToDashboards(ctx: Ctx, announcementId: number): Promise<void> {
  await recordLinks(ctx, announcementId)
  await sql`
    update announcement_recipients set state = 'sent', channel = 'dashboard', sent_at = ${ctx.now}
    where announcement_id = ${announcementId} and state = 'draft'`.execute(ctx.db)
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
