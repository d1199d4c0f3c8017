/** SQL of the announcements domain for readers of messages. Ids stay inside this file. */
import { sql } from 'kysely'
import { escapeMarkdown, fillPlaceholders } from '~/lib/placeholders.ts'
import { isSentToViewer } from '../access/announcements.server.ts'
import type { Ctx } from '../context.ts'

type AnnouncementLink = { url: string; token: string }

export type AnnouncementRow = {
  uid: string
  subject: string
  /** The text in Markdown. */
  text: string
  from: string
  sentAt: Date
  openedAt: Date | null
  pinnedAt: Date | null
  /** `name` is the stored name, with which the file is fetched. */
  attachment: { name: string; originalFileName: string; size: number } | null
  /** The links in the text whose clicks are recorded. */
  links: AnnouncementLink[]
}

const inOrder = sql`r.pinned_at desc nulls last, a.sent_at desc, a.id desc`

/** What the recipient has for the placeholders. */
const forPlaceholders = [
  sql<string | null>`(select first_name from users where users.id = r.user_id)`.as('firstName'),
  sql<string | null>`(
    select universities.name from users join universities on universities.id = users.university_id
    where users.id = r.user_id)`.as('institution'),
] as const

function selectOwn(ctx: Ctx) {
  return ctx.db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as a', 'a.id', 'r.announcement_id')
    .leftJoin('stored_files as f', 'f.id', 'a.attachment_file_id')
    .select([
      'a.uid',
      'a.subject',
      'a.text',
      'a.from_field as from',
      sql<Date>`a.sent_at`.as('sentAt'),
      'r.opened_at as openedAt',
      'r.pinned_at as pinnedAt',
      'f.name as fileName',
      'f.original_file_name as originalFileName',
      'f.size as fileSize',
      ...forPlaceholders,
      sql<AnnouncementLink[]>`(
        select coalesce(json_agg(json_build_object('url', l.url, 'token', l.token) order by l.id), '[]')
        from announcement_links l where l.announcement_id = a.id)`.as('links'),
    ])
    .where(isSentToViewer(ctx))
}

type OwnRow = Awaited<ReturnType<ReturnType<typeof selectOwn>['executeTakeFirstOrThrow']>>

function toAnnouncement(own: OwnRow): AnnouncementRow {
  const { fileName, originalFileName, fileSize, firstName, institution, ...row } = own
  const values = { 'first name': firstName, institution }
  return {
    ...row,
    subject: fillPlaceholders(row.subject, values),
    text: fillPlaceholders(row.text, values, escapeMarkdown),
    attachment:
      fileName === null ? null : { name: fileName, originalFileName: originalFileName ?? '', size: fileSize ?? 0 },
  }
}

export async function selectPage(ctx: Ctx, page: { limit: number; offset: number }): Promise<AnnouncementRow[]> {
  const rows = await selectOwn(ctx).orderBy(inOrder).limit(page.limit).offset(page.offset).execute()
  return rows.map(toAnnouncement)
}

export async function countOwn(ctx: Ctx): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as a', 'a.id', 'r.announcement_id')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(isSentToViewer(ctx))
    .executeTakeFirstOrThrow()
  return count
}

export async function findOwn(ctx: Ctx, uid: string): Promise<AnnouncementRow | undefined> {
  const row = await selectOwn(ctx).where('a.uid', '=', uid).executeTakeFirst()
  return row && toAnnouncement(row)
}

export type Neighbour = { uid: string; subject: string }

/** Returns the messages above and below in the list. */
export async function findNeighbours(
  ctx: Ctx,
  uid: string,
): Promise<{ previous: Neighbour | null; next: Neighbour | null } | undefined> {
  // `sql.raw` is safe here: the function name is one of these two.
  const neighbour = (move: 'lag' | 'lead') => sql<Neighbour | null>`
    ${sql.raw(move)}(json_build_object('uid', a.uid, 'subject', a.subject)) over (order by ${inOrder})`
  const row = await ctx.db
    .selectFrom((db) =>
      db
        .selectFrom('announcement_recipients as r')
        .innerJoin('announcements as a', 'a.id', 'r.announcement_id')
        .select(['a.uid', neighbour('lag').as('previous'), neighbour('lead').as('next'), ...forPlaceholders])
        .where(isSentToViewer(ctx))
        .as('own'),
    )
    .select(['own.previous', 'own.next', 'own.firstName', 'own.institution'])
    .where('own.uid', '=', uid)
    .executeTakeFirst()
  if (!row) return undefined
  const values = { 'first name': row.firstName, institution: row.institution }
  const filled = (one: Neighbour | null) => one && { ...one, subject: fillPlaceholders(one.subject, values) }
  return { previous: filled(row.previous), next: filled(row.next) }
}

/** `link` is the token or the address. */
export async function findLink(ctx: Ctx, uid: string, link: string): Promise<{ url: string } | undefined> {
  return ctx.db
    .selectFrom('announcement_links as l')
    .innerJoin('announcements as a', 'a.id', 'l.announcement_id')
    .innerJoin('announcement_recipients as r', 'r.announcement_id', 'a.id')
    .select('l.url')
    .where(isSentToViewer(ctx))
    .where('a.uid', '=', uid)
    .where(sql<boolean>`(l.token::text = ${link.toLowerCase()} or l.url = ${link})`)
    .orderBy('l.id')
    .limit(1)
    .executeTakeFirst()
}

/** Keeps the first opening and the first click. A click is also an opening. */
export async function setOpened(ctx: Ctx, uid: string, options: { isClick: boolean }): Promise<void> {
  await updateOwn(ctx, uid)
    .set({
      opened_at: sql`coalesce(r.opened_at, ${ctx.now})`,
      ...(options.isClick && { clicked_at: sql`coalesce(r.clicked_at, ${ctx.now})` }),
    })
    .where(options.isClick ? 'r.clicked_at' : 'r.opened_at', 'is', null)
    .execute()
}

export async function setPinned(ctx: Ctx, uid: string, isPinned: boolean): Promise<void> {
  await updateOwn(ctx, uid)
    .set({ pinned_at: isPinned ? sql`coalesce(r.pinned_at, ${ctx.now})` : null })
    .execute()
}

function updateOwn(ctx: Ctx, uid: string) {
  return ctx.db
    .updateTable('announcement_recipients as r')
    .from('announcements as a')
    .whereRef('a.id', '=', 'r.announcement_id')
    .where('a.uid', '=', uid)
    .where(isSentToViewer(ctx))
}
