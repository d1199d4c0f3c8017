import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'

/**
 * Finds the names of films by the uids that questions of reports have, in one query, whatever their number. One that was
 * deleted or purged still has the name that its plays have. What is no film of the site is not among them. Callers
 * decide who may know.
 */
export async function nameFilms(ctx: Ctx, uids: string[]): Promise<Map<string, string>> {
  const asked = [...new Set(uids.filter(isUid))]
  if (asked.length === 0) return new Map()
  const { rows } = await sql<{ uid: string; name: string }>`
    select asked.uid, film.name from unnest(${asked}::text[]) asked (uid) cross join lateral (
      select name::text from videos where uid = asked.uid::uuid and site_id = ${ctx.site.id}
      union all select name::text from lectures where uid = asked.uid::uuid and site_id = ${ctx.site.id}
      union all (
        select title from video_plays where site_id = ${ctx.site.id} and subject_uid = asked.uid::uuid
        order by user_id, started_at limit 1)
      limit 1) film`.execute(ctx.db)
  return new Map(rows.map(({ uid, name }) => [uid, name]))
}
