/**
 * Reads plans, tags, covers, captions and chapters of all kinds of content, by the content's uid. Content that the
 * viewer may not see is missing from the result.
 */
import { type RawBuilder, sql } from 'kysely'
import { languageName } from '~/lib/caption-languages.ts'
import { fileAddress, imageAddress } from '~/lib/file-address.ts'
import { captionsAddress } from '~/lib/film-address.ts'
import type { Ctx } from '../context.ts'
import { pictureUidOf } from '../storage/files.server.ts'
import { type ContentKind, isManaged, isPlayable, seesDrafts } from './access.server.ts'

/** `url` is the address for this viewer, null if they may not fetch the file. */
export type FileInfo = { uid: string; originalFileName: string; name: string; size: number; url: string | null }

/** The tables that join content to its plans, tags and default chapter; parts-writes.server.ts writes the first two. */
export const joins = {
  modules: { plans: 'module_access_plans', tags: 'module_tags', chapters: 'module_chapters', column: 'module_id' },
  courses: { plans: 'course_access_plans', tags: 'course_tags', column: 'course_id' },
  lectures: { plans: 'lecture_access_plans', tags: 'lecture_tags', chapters: 'lecture_chapters', column: 'lecture_id' },
  videos: { plans: 'video_access_plans', tags: 'video_tags', column: 'video_id' },
} as const satisfies Record<ContentKind, object>

export type Plan = { uid: string; name: string }
type TagText = { uid: string; text: string }
type DefaultChapter = { uid: string; name: string; section: { uid: string; name: string; frontendId: string } }

export type Captions = { language: string; label: string; url: string }

export type Parts = {
  /** Sorted by name. */
  plans: Plan[]
  /** Sorted by text. */
  tags: TagText[]
  /** The default chapter with its section. Only modules and lectures have one. */
  chapter: DefaultChapter | null
  /** The picture made from an upload is for everyone, the original only for staff. */
  cover: FileInfo | null
  /** The wide picture of a course. */
  banner: FileInfo | null
  /** The captions of a film, in the order of its player; none for people who may not open it. */
  captions: Captions[]
  /** The words of a film's transcript; empty for people who may not open it. */
  transcript: string
}
export type PartName = keyof Parts

/** Returns the named parts of many items of one kind, with one query. */
export async function listPartsOf<Name extends PartName>(
  ctx: Ctx,
  kind: ContentKind,
  uids: readonly string[],
  names: readonly Name[],
): Promise<Map<string, Pick<Parts, Name>>> {
  if (uids.length === 0 || names.length === 0) return new Map()
  const columns = names.map((name) => sql`${selectPart[name](kind, ctx)} as ${sql.ref(name)}`)
  const { rows } = await sql<{ ownerUid: string } & Record<string, unknown>>`
    select ${sql.ref(`${kind}.uid`)} as "ownerUid", ${sql.join(columns)}
    from ${sql.table(kind)} ${names.some((name) => name === 'chapter') ? joinChapter(kind) : sql``}
    where ${sql.ref(`${kind}.uid`)} = any(${uids}::uuid[]) and ${isManaged(ctx, kind)}`.execute(ctx.db)
  return new Map(
    rows.map(({ ownerUid, ...parts }) => {
      for (const name of ['cover', 'banner']) {
        if (name in parts) parts[name] = withAddress(ctx, parts[name] as Picture | null)
      }
      if ('captions' in parts)
        parts.captions = toCaptions(ctx, kind, ownerUid, (parts.captions as string[] | null) ?? [])
      return [ownerUid, parts as Pick<Parts, Name>]
    }),
  )
}

/** SQL for each part as JSON, in the row of its owner. */
const selectPart: Record<PartName, (kind: ContentKind, ctx: Ctx) => RawBuilder<unknown>> = {
  plans: (kind) => sql`(
    select coalesce(json_agg(json_build_object('uid', plan.uid, 'name', plan.name) order by plan.name), '[]')
    from ${joined(kind, 'plans')} join access_plans plan on plan.id = joined.access_plan_id ${ofOwner(kind)})`,
  tags: (kind) => sql`(
    select coalesce(json_agg(json_build_object('uid', tag.uid, 'text', tag.text) order by tag.text), '[]')
    from ${joined(kind, 'tags')} join tags tag on tag.id = joined.tag_id ${ofOwner(kind)})`,
  chapter: () => sql`
    case when chapter.id is not null then json_build_object('uid', chapter.uid, 'name', chapter.name, 'section',
      json_build_object('uid', section.uid, 'name', section.name, 'frontendId', section.frontend_id)) end`,
  cover: (kind) => picture(`${kind}.cover_file_id`),
  banner: (kind) => picture(`${kind}.banner_file_id`),
  captions: (kind, ctx) => sql`case when ${isPlayable(ctx, filmKind(kind))} then (
    select coalesce(json_agg(captions.language order by captions.place, captions.id), '[]') from (
      select language, position as place, id from film_captions
      where ${sql.ref(joins[kind].column)} = ${sql.ref(`${kind}.id`)}
      union all select ${sql.ref(`${kind}.transcript_language`)}, -1, 0
        where ${sql.ref(`${kind}.transcript_as_captions`)}) captions) end`,
  transcript: (kind, ctx) =>
    sql`coalesce(case when ${isPlayable(ctx, filmKind(kind))} then ${sql.ref(`${kind}.transcript`)} end, '')`,
}

function joined(kind: ContentKind, part: 'plans' | 'tags' | 'chapters'): RawBuilder<unknown> {
  const tables: { plans: string; tags: string; chapters?: string } = joins[kind]
  const table = tables[part]
  if (!table) throw new Error(`There are no ${part} of ${kind}.`)
  return sql`${sql.table(table)} joined`
}

function ofOwner(kind: ContentKind): RawBuilder<unknown> {
  return sql`where joined.${sql.ref(joins[kind].column)} = ${sql.ref(`${kind}.id`)}`
}

/** An item has at most one chapter, so a join finds it with less work than a subquery in each row would. */
function joinChapter(kind: ContentKind): RawBuilder<unknown> {
  return sql`
    left join ${joined(kind, 'chapters')} on joined.${sql.ref(joins[kind].column)} = ${sql.ref(`${kind}.id`)}
    left join chapters chapter on chapter.id = joined.chapter_id
    left join sections section on section.id = chapter.section_id`
}

type Picture = Omit<FileInfo, 'url'> & { imageUid: string | null }

function picture(column: string): RawBuilder<unknown> {
  return sql`(
    select json_build_object('uid', file.uid, 'originalFileName', file.original_file_name, 'name', file.name,
      'size', file.size, 'imageUid', ${pictureUidOf('file.id')})
    from stored_files file where file.id = ${sql.ref(column)})`
}

function withAddress(ctx: Ctx, picture: Picture | null): FileInfo | null {
  if (!picture) return null
  const { imageUid, ...file } = picture
  const original = seesDrafts(ctx) ? fileAddress(file.name) : null
  const address = imageUid === null ? original : imageAddress(imageUid)
  return { ...file, url: address && `${ctx.site.baseUrl}${address}` }
}

type FilmContent = 'lectures' | 'videos'

function filmKind(kind: ContentKind): FilmContent {
  if (kind === 'lectures' || kind === 'videos') return kind
  throw new Error(`There are no captions of ${kind}.`)
}

function toCaptions(ctx: Ctx, kind: ContentKind, uid: string, languages: string[]): Captions[] {
  const film = filmKind(kind) === 'lectures' ? 'lecture' : 'video'
  return languages.map((language) => ({
    language,
    label: languageName(language),
    url: `${ctx.site.baseUrl}${captionsAddress(film, uid, language)}`,
  }))
}

/** True if this is the film of a lecture or video that the viewer may open, including drafts for staff. */
export async function isFilmPlayable(ctx: Ctx, { address }: { address: string }): Promise<boolean> {
  const ofKind = (kind: FilmContent) => sql`exists (
    select from ${sql.table(kind)} where ${sql.ref(`${kind}.video_url`)} = ${address} and ${isPlayable(ctx, kind)})`
  const { rows } = await sql<{ is: boolean }>`select ${ofKind('lectures')} or ${ofKind('videos')} as is`.execute(ctx.db)
  return rows[0]?.is ?? false
}
