/** Everything that the viewer may see, of all kinds in one list by name. */

import { sql } from 'kysely'
import { imageAddress } from '~/lib/file-address.ts'
import type { ContentItem, ContentKind as Kind } from '~/lib/learner-views.ts'
import { type ContentKind, isListed } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { pictureUidOf } from '../storage/files.server.ts'

export const contentKinds: readonly Kind[] = ['course', 'module', 'video', 'lecture']

/** These texts become SQL as they stand: they are written here and nowhere else. */
const parts: Record<Kind, { table: ContentKind; text: string; comingSoon: string; extra: string }> = {
  // Courses outside the catalogue are open by their address, and found; a list of everything leaves nothing out.
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

/** A page of them with how many there are of each kind; two queries. */
export async function listAllContent(
  ctx: Ctx,
  input: { kind: Kind | null; limit: number; offset: number },
): Promise<{ items: ContentItem[]; counts: Record<Kind, number> }> {
  const of = (kind: Kind) => {
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
    sql<Omit<ContentItem, 'cover'> & { imageUid: string | null; alt: string }>`
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
  return {
    counts,
    items: rows.map(({ imageUid, alt, ...item }) => ({
      ...item,
      cover: imageUid === null ? null : { address: imageAddress(imageUid), alt },
    })),
  }
}
