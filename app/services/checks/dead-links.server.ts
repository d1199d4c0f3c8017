import { type RawBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { linksIn } from './links.ts'

/** The links of a text that lead nowhere, as far as the job knows; those to this site as the database knows now. */
export async function listDeadLinks(ctx: Ctx, text: string): Promise<string[]> {
  const { outside, own } = linksIn(text, ctx.site.baseUrl)
  const [away, here] = await Promise.all([listDeadOutside(ctx, outside), listDeadOwn(ctx, own)])
  return [...away, ...here]
}

async function listDeadOutside(ctx: Ctx, urls: string[]): Promise<string[]> {
  if (urls.length === 0) return []
  const { rows } = await sql<{ url: string }>`
    select url from link_checks
    where site_id = ${ctx.site.id} and url = any(${urls}::text[])
      and (outcome in ('gone', 'private') or failures >= 2)
    order by url`.execute(ctx.db)
  return rows.map(({ url }) => url)
}

/** What learners find under an address of ours: content that is published or announced. */
const found: Record<string, RawBuilder<unknown>> = {
  courses: sql`courses item on item.uid = own.uid and item.published_version_id is not null`,
  modules: sql`modules item on item.uid = own.uid and (item.published_version_id is not null or item.coming_soon)`,
  lectures: sql`lectures item on item.uid = own.uid and (item.status = 'published' or item.coming_soon)`,
  videos: sql`videos item on item.uid = own.uid and item.status = 'published'`,
  glossary: sql`glossary_terms item on item.slug = own.slug`,
}

async function listDeadOwn(ctx: Ctx, paths: string[]): Promise<string[]> {
  const wanted = paths.flatMap((path) => {
    const [, area = '', typed = ''] = /^\/(courses|modules|lectures|videos|glossary)\/([^/]+)\/?$/.exec(path) ?? []
    if (area === '') return []
    return [{ path, area, uid: isUid(typed) ? typed : null, slug: typed }]
  })
  if (wanted.length === 0) return []
  const areas = [...new Set(wanted.map(({ area }) => area))]
  const alive = areas.map(
    (area) => sql`
      select own.path from own join ${found[area]} and item.site_id = ${ctx.site.id} and item.deleted_at is null
      where own.area = ${area}`,
  )
  const { rows } = await sql<{ path: string }>`
    with own as (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as own (path text, area text, uid uuid, slug text))
    select path from own except (${sql.join(alive, sql` union all `)}) order by path`.execute(ctx.db)
  return rows.map(({ path }) => `${ctx.site.baseUrl}${path}`)
}
