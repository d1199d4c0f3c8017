/** All content that the viewer may see, of every kind, in one list sorted by name. */

import { sql } from 'kysely'
import { type ContentKind, isListed } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { pictureUidOf } from '../storage/files.server.ts'

type Kind = 'course' | 'module' | 'video' | 'lecture'

export const contentKinds: readonly Kind[] = ['course', 'module', 'video', 'lecture']

type ContentRow = {
  kind: Kind
  uid: string
  name: string
  text: string
  isComingSoon: boolean
  isSaved: boolean
  /** The picture made from the uploaded cover; null without one. */
  imageUid: string | null
  alt: string
}

/** These texts become SQL unchanged. They are constants of this file, never input. */
const parts: Record<Kind, { table: ContentKind; text: string; comingSoon: string; extra: string }> = {
  // Includes courses outside the catalog, because people can open and find them, and this list must be complete.
  course: { table: 'courses', text: 'courses.synopsis', comingSoon: 'false', extra: 'true' },
  module: {
    table: 'modules',
    text: 'modules.description',
    comingSoon: 'modules.coming_soon',
    extra: 'modules.in_self_study',
  },
  video: { table: 'videos', text: 'videos.description', comingSoon: 'false', extra: 'true' },
  lecture: {
    table: 'lectures',
    text: 'lectures.description',
    comingSoon: 'lectures.coming_soon',
    extra: 'lectures.in_lectures_page',
  },
}

/** Returns a page of the list, and the number of items of each kind. Takes two queries. */
export async function listAllContent(
  ctx: Ctx,
  input: { kind: Kind | null; limit: number; offset: number },
): Promise<{ items: ContentRow[]; counts: Record<Kind, number> }> {
  const of = (kind: Kind) => {
    // `sql.raw` is safe here: these expressions are constants of this file.
    const { table, text, comingSoon, extra } = parts[kind]
    return sql`
      select ${kind} as kind, ${sql.ref(`${table}.uid`)} as uid, ${sql.ref(`${table}.name`)} as name,
        ${sql.raw(text)} as text, ${sql.raw(comingSoon)} as "isComingSoon", ${sql.ref(`${table}.id`)} as id,
        ${sql.ref(`${table}.cover_file_id`)} as cover_file_id, ${sql.ref(`${table}.cover_img_desc`)} as alt,
        exists (select from favorites where favorites.user_id = ${requireViewer(ctx).id}
          and ${sql.ref(`favorites.${kind}_id`)} = ${sql.ref(`${table}.id`)}) as "isSaved"
      from ${sql.table(table)} where ${isListed(ctx, table)} and ${sql.raw(extra)}`
  }
  const everything = (kinds: readonly Kind[]) => sql.join(kinds.map(of), sql` union all `)
  const [{ rows }, { rows: totals }] = await Promise.all([
    sql<ContentRow>`
      select kind, uid, name::text as name, text, "isComingSoon", "isSaved", alt,
        ${pictureUidOf('content.cover_file_id')} as "imageUid"
      from (${everything(input.kind ? [input.kind] : contentKinds)}) content
      order by content.name, kind, content.id
      limit ${input.limit} offset ${input.offset}`.execute(ctx.db),
    sql<{ kind: Kind; count: number }>`
      select kind, count(*)::int as count from (${everything(contentKinds)}) content group by kind`.execute(ctx.db),
  ])
  const counts: Record<Kind, number> = { course: 0, module: 0, video: 0, lecture: 0 }
  for (const { kind, count } of totals) counts[kind] = count
  return { counts, items: rows }
}
