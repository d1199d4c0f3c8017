/**
 * The trash: what was deleted in the last thirty days, and how to bring it back. Each domain deletes, restores and purges
 * its own content.
 */
import { type RawBuilder, sql } from 'kysely'
import { restoreForm, type TrashKind, type TrashSort, trashKey, trashTable } from '~/forms/trash.ts'
import { longestLiveList, type TableQuery } from '~/lib/table-query.ts'
import { isStorable } from '~/lib/text.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import { restoreAnnouncement } from '../announcements/delete-announcement.server.ts'
import { actsAsAdmin, type Ctx, requireStaff } from '../context.ts'
import { restoreCourse } from '../courses/publish-course.server.ts'
import { NotFound, ServiceError } from '../errors.ts'
import { restoreGlossaryTerm } from '../glossary/save-term.server.ts'
import { parseInput } from '../input.ts'
import { restoreLecture } from '../lectures/save-lecture.server.ts'
import { restoreModule } from '../modules/modules.server.ts'
import { limitsOfPage } from '../paging.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { isFoundBy, searchKeyOf } from '../search-conditions.server.ts'
import { restoreTag } from '../tags/change-tags.server.ts'
import { restoreUser } from '../users/delete-user.server.ts'
import { restoreVideo } from '../videos/save-video.server.ts'

/** A kind of content in the trash. `rows` selects what was deleted after a moment. */
type Kind = {
  /** Only admins see it, as they alone may delete it. */
  isForAdmins?: boolean
  rows: (ctx: Ctx, after: Date) => RawBuilder<unknown>
  restore: (ctx: Ctx, uid: string) => Promise<{ name: string }>
}

/** Rows of a table whose content is deleted softly. */
const deletedIn =
  (table: 'courses' | 'modules' | 'lectures' | 'videos' | 'glossary_terms') => (ctx: Ctx, after: Date) =>
    sql`
  select uid, name, name_key collate "C" as name_key, search_key, deleted_at, deleted_by, null::text as merged_into
  from ${sql.table(table)} where site_id = ${ctx.site.id} and deleted_at > ${after}`

const kinds: Record<TrashKind, Kind> = {
  course: { rows: deletedIn('courses'), restore: (ctx, courseUid) => restoreCourse(ctx, { courseUid }) },
  module: { rows: deletedIn('modules'), restore: (ctx, moduleUid) => restoreModule(ctx, { moduleUid }) },
  lecture: { rows: deletedIn('lectures'), restore: (ctx, lectureUid) => restoreLecture(ctx, { lectureUid }) },
  video: { rows: deletedIn('videos'), restore: (ctx, videoUid) => restoreVideo(ctx, { videoUid }) },
  term: {
    isForAdmins: true,
    rows: (ctx, after) => sql`${deletedIn('glossary_terms')(ctx, after)} and ${isSwitchedOn(ctx, 'GLOSSARY')}`,
    restore: (ctx, termUid) => restoreGlossaryTerm(ctx, { termUid }),
  },
  tag: {
    isForAdmins: true,
    rows: (ctx, after) => sql`
      select removed.uid, removed.text as name, removed.text_key collate "C" as name_key,
        ${searchKeyOf(sql`removed.text`)} as search_key,
        removed.removed_at as deleted_at, removed.deleted_by, target.text as merged_into
      from removed_tags removed
      left join tags target on target.uid = removed.merged_into_uid and target.site_id = removed.site_id
      where removed.site_id = ${ctx.site.id} and removed.removed_at > ${after}`,
    restore: async (ctx, removalUid) => ({ name: (await restoreTag(ctx, { removalUid })).text }),
  },
  message: {
    isForAdmins: true,
    // A site has few messages, so their names are folded here.
    rows: (ctx, after) => sql`
      select uid, name, lower(name) collate "C" as name_key,
        ${searchKeyOf(sql`name`)} as search_key,
        deleted_at, deleted_by, null::text as merged_into
      from announcements
      where site_id = ${ctx.site.id} and deleted_at > ${after} and ${isSwitchedOn(ctx, 'ANNOUNCEMENTS')}`,
    restore: (ctx, announcementUid) => restoreAnnouncement(ctx, { announcementUid }),
  },
  user: {
    isForAdmins: true,
    rows: (ctx, after) => sql`
      select users.uid, concat_ws(' ', users.first_name, users.last_name) || ' (' || users.email || ')' as name,
        users.name_key, users.search_key, users.erased_at as deleted_at, (
          select actor_id from audit_entries
          where entity = 'user' and entity_uid = users.uid and action = 'user.deleted'
          order by at desc, id desc limit 1) as deleted_by,
        null::text as merged_into
      from users
      where users.site_id = ${ctx.site.id} and users.erased_at > ${after} and users.purged_at is null
        and users.email is not null`,
    restore: async (ctx, userUid) => {
      const { firstName, lastName } = await restoreUser(ctx, { userUid })
      return { name: `${firstName} ${lastName}`.trim() }
    },
  },
}

export type TrashEntry = {
  kind: TrashKind
  uid: string
  name: string
  /** The tag that a tag was merged into. */
  mergedInto: string | null
  deletedAt: Date
  /** Null for what a command or an erased person has deleted. */
  deletedBy: string | null
}

export type TrashInput = Partial<Omit<TableQuery, 'columns'>>

/** The kinds of content that the viewer may bring back, for staff. */
export function listTrashKinds(ctx: Ctx): TrashKind[] {
  requireStaff(ctx)
  return (Object.keys(kinds) as TrashKind[]).filter((kind) => actsAsAdmin(ctx) || !kinds[kind].isForAdmins)
}

/** Everything in the trash that the viewer may bring back, as `trash`. */
function trashOf(ctx: Ctx): RawBuilder<unknown> {
  const after = daysAgo(ctx, restorableDays)
  const selects = listTrashKinds(ctx).map(
    (kind) => sql`select ${kind} as kind, one.* from (${kinds[kind].rows(ctx, after)}) one`,
  )
  return sql`(
    select rows.*, nullif(concat_ws(' ', users.first_name, users.last_name), '') as by, users.name_key as by_key
    from (${sql.join(selects, sql` union all `)}) rows left join users on users.id = rows.deleted_by) trash`
}

/**
 * Lists one page of the trash, for staff. Authors see courses, modules, lectures and videos, admins everything, also
 * deleted accounts.
 */
export async function listTrash(ctx: Ctx, input: TrashInput = {}): Promise<{ items: TrashEntry[]; total: number }> {
  requireStaff(ctx)
  const matches = conditionOf(input)
  if (!matches) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage(input)
  const sort = trashTable.sorts.find((known) => known === input.sort) ?? 'name'
  const direction = input.isDescending ? sql`desc` : sql`asc`
  const { rows } = await sql<TrashEntry & { total: number }>`
    with found as materialized (select * from ${trashOf(ctx)} where ${matches})
    select kind, uid, name, merged_into as "mergedInto", deleted_at as "deletedAt", by as "deletedBy",
      (select count(*)::int from found) as total
    from found
    order by ${sortKeys[sort]} ${direction} nulls last, name_key, kind, uid
    limit ${limit} offset ${offset}`.execute(ctx.db)
  if (rows.length > 0) return { items: rows.map(({ total: _, ...entry }) => entry), total: rows[0]?.total ?? 0 }
  const { total } = await count(ctx, matches)
  return { items: [], total }
}

async function count(ctx: Ctx, matches: RawBuilder<unknown>): Promise<{ total: number }> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from ${trashOf(ctx)} where ${matches}`.execute(ctx.db)
  return rows[0] ?? { total: 0 }
}

const sortKeys: Record<TrashSort, RawBuilder<unknown>> = {
  name: sql`name_key`,
  kind: sql`kind`,
  by: sql`by_key`,
  deleted: sql`deleted_at`,
}

function conditionOf({ search = '', filters = {} }: TrashInput): RawBuilder<unknown> | null {
  if (!isStorable(search)) return null
  return sql`${isFoundBy(sql`search_key`, search)}
    and ${filters.kind ? sql`kind = any(${filters.kind}::text[])` : sql`true`}`
}

/** Returns the length of the whole trash, counted up to one more than a browser keeps, and a key of its state. */
export async function describeTrash(ctx: Ctx): Promise<{ listed: number; state: string }> {
  requireStaff(ctx)
  const { rows } = await sql<{ listed: number; hash: string | null }>`
    select count(*)::int as listed, md5(string_agg(key, ',' order by key)) as hash from (
      select kind || uid || deleted_at as key from ${trashOf(ctx)} limit ${longestLiveList + 1}) listed`.execute(ctx.db)
  const { listed = 0, hash = null } = rows[0] ?? {}
  return { listed, state: hash ?? 'empty' }
}

/** Lists the keys of all that is found, up to `most`, for a selection. For staff. */
export async function listTrashKeys(ctx: Ctx, input: TrashInput & { most: number }): Promise<string[]> {
  requireStaff(ctx)
  const { items } = await listTrash(ctx, { ...input, page: 1, size: input.most })
  return items.map(trashKey)
}

/** How a restore ended: what is back, and what is not and why. */
export type RestoredItems = { names: string[]; refused: { name: string; reason: string }[] }

type Item = { kind: TrashKind; uid: string }

/**
 * Brings things back from the trash by their keys, each on its own, so that one refusal does not stop the others. For
 * staff; tags, terms, messages and accounts only for admins.
 */
export async function restoreFromTrash(ctx: Ctx, input: { items: string[] }): Promise<RestoredItems> {
  requireStaff(ctx, 'write')
  const { items } = parseInput(restoreForm, input)
  const restored: RestoredItems = { names: [], refused: [] }
  const names = await namesOf(ctx, items)
  for (const { kind, uid } of items) {
    try {
      restored.names.push((await kinds[kind].restore(ctx, uid)).name)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const reason = error instanceof NotFound && error.code === 'not_found' ? gone : error.message
      restored.refused.push({ name: names.get(trashKey({ kind, uid })) ?? 'One item', reason })
    }
  }
  return restored
}

const gone = 'It is no longer in the trash.'

async function namesOf(ctx: Ctx, items: Item[]): Promise<Map<string, string>> {
  const { rows } = await sql<Item & { name: string }>`
    select kind, uid, name from ${trashOf(ctx)}
    where kind || ':' || uid = any(${items.map(trashKey)}::text[])`.execute(ctx.db)
  return new Map(rows.map((row) => [trashKey(row), row.name]))
}
