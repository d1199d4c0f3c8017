/** Plans, tags, covers, captions and chapters of whatever kind of content, by its uid: without an entry for what the viewer may not see. */
import { sql } from 'kysely'
import { fileAddress, imageAddress } from '~/lib/file-address.ts'
import { groupBy } from '~/lib/groups.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import type { CaptionsFile } from '../storage/captions.server.ts'
import { pictureUidOf } from '../storage/files.server.ts'
import { type ContentKind, isManaged, isPlayable, seesDrafts } from './access.server.ts'

/** `url`: where this viewer fetches it, null where they may not. */
export type FileInfo = { uid: string; originalFileName: string; name: string; size: number; url: string | null }

/** The tables that join content to its plans, tags and default chapter; parts-writes.server.ts writes the first two. */
export const joins = {
  modules: { plans: 'module_access_plans', tags: 'module_tags', chapters: 'module_chapters', column: 'module_id' },
  courses: { plans: 'course_access_plans', tags: 'course_tags', column: 'course_id' },
  lectures: { plans: 'lecture_access_plans', tags: 'lecture_tags', chapters: 'lecture_chapters', column: 'lecture_id' },
  videos: { plans: 'video_access_plans', tags: 'video_tags', column: 'video_id' },
} as const satisfies Record<ContentKind, object>

/** By name. */
export async function listPlansOf(
  ctx: Ctx,
  kind: ContentKind,
  uids: string[],
): Promise<Map<string, { uid: string; name: string }[]>> {
  if (uids.length === 0) return new Map()
  const { plans, column } = joins[kind]
  const { rows } = await sql<{ ownerUid: string; uid: string; name: string }>`
    select ${sql.ref(`${kind}.uid`)} as "ownerUid", access_plans.uid, access_plans.name
    from ${sql.table(kind)}
    join ${sql.table(plans)} joined on joined.${sql.ref(column)} = ${sql.ref(`${kind}.id`)}
    join access_plans on access_plans.id = joined.access_plan_id
    where ${sql.ref(`${kind}.uid`)} = any(${uids}::uuid[]) and ${isManaged(ctx, kind)}
    order by access_plans.name`.execute(ctx.db)
  return groupBy(
    rows,
    ({ ownerUid }) => ownerUid,
    ({ uid, name }) => ({ uid, name }),
  )
}

/** By text. */
export async function listTagsOf(
  ctx: Ctx,
  kind: ContentKind,
  uids: string[],
): Promise<Map<string, { uid: string; text: string }[]>> {
  if (uids.length === 0) return new Map()
  const { tags, column } = joins[kind]
  const { rows } = await sql<{ ownerUid: string; uid: string; text: string }>`
    select ${sql.ref(`${kind}.uid`)} as "ownerUid", tags.uid, tags.text
    from ${sql.table(kind)}
    join ${sql.table(tags)} joined on joined.${sql.ref(column)} = ${sql.ref(`${kind}.id`)}
    join tags on tags.id = joined.tag_id
    where ${sql.ref(`${kind}.uid`)} = any(${uids}::uuid[]) and ${isManaged(ctx, kind)}
    order by tags.text`.execute(ctx.db)
  return groupBy(
    rows,
    ({ ownerUid }) => ownerUid,
    ({ uid, text }) => ({ uid, text }),
  )
}

/** The picture that was made of an upload is for everyone; the original for staff only. */
export async function listPicturesOf(
  ctx: Ctx,
  kind: ContentKind,
  uids: string[],
  column: 'cover_file_id' | 'banner_file_id' = 'cover_file_id',
): Promise<Map<string, FileInfo>> {
  if (uids.length === 0) return new Map()
  const { rows } = await sql<Omit<FileInfo, 'url'> & { ownerUid: string; imageUid: string | null }>`
    select ${sql.ref(`${kind}.uid`)} as "ownerUid", file.uid, file.original_file_name as "originalFileName", file.name,
      file.size, ${pictureUidOf('file.id')} as "imageUid"
    from ${sql.table(kind)} join stored_files file on file.id = ${sql.ref(`${kind}.${column}`)}
    where ${sql.ref(`${kind}.uid`)} = any(${uids}::uuid[]) and ${isManaged(ctx, kind)}`.execute(ctx.db)
  return new Map(
    rows.map(({ ownerUid, imageUid, ...file }) => {
      const original = seesDrafts(ctx) ? fileAddress(file.name) : null
      const address = imageUid === null ? original : imageAddress(imageUid)
      return [ownerUid, { ...file, url: address && `${ctx.site.baseUrl}${address}` }]
    }),
  )
}

export type FilmContent = 'lectures' | 'videos'

/** A film's captions, for whoever may open it; for staff of drafts too. */
export async function findCaptionsOf(ctx: Ctx, kind: FilmContent, uid: string): Promise<CaptionsFile | null> {
  if (!isUid(uid)) return null
  const { rows } = await sql<CaptionsFile>`
    select file.uid, file.storage_key as "storageKey", file.size
    from ${sql.table(kind)} join stored_files file on file.id = ${sql.ref(`${kind}.captions_file_id`)}
    where ${sql.ref(`${kind}.uid`)} = ${uid} and ${isPlayable(ctx, kind)}`.execute(ctx.db)
  return rows[0] ?? null
}

export async function getCaptionsOf(ctx: Ctx, kind: FilmContent, uid: string): Promise<CaptionsFile> {
  const file = await findCaptionsOf(ctx, kind, uid)
  if (!file) throw new NotFound()
  return file
}

export type DefaultChapter = { uid: string; name: string; section: { uid: string; name: string; frontendId: string } }

/** The default chapter with its section. */
export async function listChaptersOf(
  ctx: Ctx,
  kind: 'modules' | 'lectures',
  uids: string[],
): Promise<Map<string, DefaultChapter>> {
  if (uids.length === 0) return new Map()
  const { chapters, column } = joins[kind]
  const { rows } = await sql<DefaultChapter & { ownerUid: string }>`
    select ${sql.ref(`${kind}.uid`)} as "ownerUid", chapters.uid, chapters.name,
      jsonb_build_object('uid', sections.uid, 'name', sections.name, 'frontendId', sections.frontend_id) as section
    from ${sql.table(kind)}
    join ${sql.table(chapters)} joined on joined.${sql.ref(column)} = ${sql.ref(`${kind}.id`)}
    join chapters on chapters.id = joined.chapter_id
    join sections on sections.id = chapters.section_id
    where ${sql.ref(`${kind}.uid`)} = any(${uids}::uuid[]) and ${isManaged(ctx, kind)}`.execute(ctx.db)
  return new Map(rows.map(({ ownerUid, ...chapter }) => [ownerUid, chapter]))
}
