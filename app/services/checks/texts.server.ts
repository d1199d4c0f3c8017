import { type RawBuilder, sql } from 'kysely'
import type { CheckedKind } from '~/forms/checks.ts'
import { isUid } from '~/lib/uid.ts'
import type { SystemCtx } from '../context.ts'

export const tables: Record<CheckedKind, string> = {
  course: 'courses',
  lecture: 'lectures',
  module: 'modules',
  video: 'videos',
  glossary: 'glossary_terms',
}

/** SQL for all texts of an item in which an author can write a link, as one text. */
const textOf: Record<CheckedKind, RawBuilder<string>> = {
  course: sql`concat_ws(E'\n\n', item.synopsis, item.description, array_to_string(item.learning_objectives, E'\n\n'),
    (select string_agg(description, E'\n\n' order by position, id) from course_sections
      where version_id = item.latest_version_id),
    (select string_agg(description, E'\n\n' order by position, id) from course_chapters
      where version_id = item.latest_version_id))`,
  lecture: sql`concat_ws(E'\n\n', item.description, item.questions_markdown)`,
  module: sql`item.description`,
  video: sql`item.description`,
  glossary: sql`item.definition`,
}

type Texts = { uid: string; siteId: number; siteUrl: string; text: string }

/** Reads the texts of items of any site that contain an address. Items that are deleted are missing. */
export async function readTextsWithLinks(
  ctx: Pick<SystemCtx, 'db'>,
  { kind, uids }: { kind: CheckedKind; uids: string[] },
): Promise<Texts[]> {
  const known = uids.filter(isUid)
  if (known.length === 0) return []
  const { rows } = await sql<Texts>`
    select * from (
      select item.uid, item.site_id as "siteId", sites.base_url as "siteUrl", ${textOf[kind]} as text
      from ${sql.table(tables[kind])} item join sites on sites.id = item.site_id
      where item.uid = any(${known}::uuid[]) and item.deleted_at is null) texts
    where text ~* '(https?://|www\\.)' order by uid`.execute(ctx.db)
  return rows
}
