/**
 * Favorites: content that a person has saved for later. There is one row per person and item, so adding twice has no
 * further effect.
 */
import { sql } from 'kysely'
import { type FavoriteChange, favoriteForm, type StudyUnitType } from '~/forms/favorites.ts'
import { isUid } from '~/lib/uid.ts'
import { type ContentKind, isListed } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'

export type Favorites = { moduleUids: string[]; courseUids: string[]; videoUids: string[]; lectureUids: string[] }

const tables = {
  module: { content: 'modules', column: 'module_id' },
  course: { content: 'courses', column: 'course_id' },
  video: { content: 'videos', column: 'video_id' },
  lecture: { content: 'lectures', column: 'lecture_id' },
} as const satisfies Record<StudyUnitType, { content: ContentKind; column: string }>

/** More items than anybody reads. */
const maxItems = 1000

/** Adds or removes a favorite. Only visible items can be added; any item can be removed. */
export async function setFavorite(ctx: Ctx, input: FavoriteChange): Promise<Favorites> {
  const viewer = requireViewer(ctx, 'write')
  // Anything that is not a uid is treated like an unknown uid.
  if (input.uid && !isUid(input.uid)) throw new NotFound()
  const { action, studyUnitType, uid } = parseInput(favoriteForm, input)
  const { content, column } = tables[studyUnitType]
  if (action === 'REMOVE') {
    await sql`
      delete from favorites using ${sql.table(content)} item
      where item.id = favorites.${sql.ref(column)} and item.uid = ${uid} and favorites.user_id = ${viewer.id}`.execute(
      ctx.db,
    )
    return getFavorites(ctx)
  }
  // No alias for the table: the visibility fragment requires its own name.
  const { rows } = await sql<{ id: number }>`
    select ${sql.ref(`${content}.id`)} as id from ${sql.table(content)}
    where ${sql.ref(`${content}.uid`)} = ${uid} and ${isListed(ctx, content)}`.execute(ctx.db)
  const [item] = rows
  if (!item) throw new NotFound()
  await sql`
    insert into favorites (site_id, user_id, ${sql.ref(column)}, created_at)
    values (${ctx.site.id}, ${viewer.id}, ${item.id}, ${ctx.now})
    on conflict (user_id, ${sql.ref(column)}) do nothing`.execute(ctx.db)
  return getFavorites(ctx)
}

/** Returns the favorites that the viewer can still see, newest first. */
export async function getFavorites(ctx: Ctx): Promise<Favorites> {
  const viewer = requireViewer(ctx)
  const of = (type: StudyUnitType) => {
    const { content, column } = tables[type]
    return sql<{ type: StudyUnitType; uid: string; at: Date }>`
      select ${type} as type, ${sql.ref(`${content}.uid`)} as uid, favorites.id as at
      from favorites join ${sql.table(content)} on ${sql.ref(`${content}.id`)} = favorites.${sql.ref(column)}
      where favorites.user_id = ${viewer.id} and ${isListed(ctx, content)}`
  }
  const { rows } = await sql<{ type: StudyUnitType; uid: string }>`
    select type, uid from (
      ${of('module')} union all ${of('course')} union all ${of('video')} union all ${of('lecture')}) saved
    order by at desc limit ${maxItems}`.execute(ctx.db)
  const uidsOf = (type: StudyUnitType) => rows.filter((row) => row.type === type).map(({ uid }) => uid)
  return {
    moduleUids: uidsOf('module'),
    courseUids: uidsOf('course'),
    videoUids: uidsOf('video'),
    lectureUids: uidsOf('lecture'),
  }
}

/** Finds out which of these items the viewer has saved, for cards, with a single query. */
export async function findSaved(ctx: Ctx, input: { type: StudyUnitType; uids: string[] }): Promise<Set<string>> {
  const viewer = requireViewer(ctx)
  if (input.uids.length === 0) return new Set()
  const { content, column } = tables[input.type]
  const { rows } = await sql<{ uid: string }>`
    select item.uid from favorites join ${sql.table(content)} item on item.id = favorites.${sql.ref(column)}
    where favorites.user_id = ${viewer.id} and item.uid = any(${input.uids}::uuid[])`.execute(ctx.db)
  return new Set(rows.map(({ uid }) => uid))
}

/** Returns the number in the badge. Lectures can be saved but do not count (L-181). */
export function countForBadge(favorites: Favorites): number {
  return favorites.moduleUids.length + favorites.courseUids.length + favorites.videoUids.length
}
