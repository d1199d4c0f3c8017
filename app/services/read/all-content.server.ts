/** All content that the viewer may see, of every kind, in one list sorted by name. */

import { sql } from 'kysely'
import { type ContentKind, isListed } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'

type Kind = 'course' | 'module' | 'video' | 'lecture'

export const contentKinds: readonly Kind[] = ['course', 'module', 'video', 'lecture']

export type ContentKey = { kind: Kind; uid: string }

const parts: Record<Kind, { table: ContentKind; extra: string }> = {
  // Includes courses outside the catalog, because people can open and find them, and this list must be complete.
  course: { table: 'courses', extra: 'true' },
  module: { table: 'modules', extra: 'modules.in_self_study' },
  video: { table: 'videos', extra: 'true' },
  lecture: { table: 'lectures', extra: 'lectures.in_lectures_page' },
}

/** Returns a page of the list, and the number of items of each kind. Takes two queries. */
export async function listAllContent(
  ctx: Ctx,
  input: { kind: Kind | null; limit: number; offset: number },
): Promise<{ items: ContentKey[]; counts: Record<Kind, number> }> {
  requireViewer(ctx)
  const of = (kind: Kind) => {
    // `sql.raw` is safe here: `extra` is one of the constants above.
    const { table, extra } = parts[kind]
    return sql`
      select ${kind} as kind, ${sql.ref(`${table}.uid`)} as uid, ${sql.ref(`${table}.name`)} as name,
        ${sql.ref(`${table}.id`)} as id
      from ${sql.table(table)} where ${isListed(ctx, table)} and ${sql.raw(extra)}`
  }
  const everything = (kinds: readonly Kind[]) => sql.join(kinds.map(of), sql` union all `)
  const [{ rows }, { rows: totals }] = await Promise.all([
    sql<ContentKey>`
      select kind, uid from (${everything(input.kind ? [input.kind] : contentKinds)}) content
      order by content.name, kind, content.id
      limit ${input.limit} offset ${input.offset}`.execute(ctx.db),
    sql<{ kind: Kind; count: number }>`
      select kind, count(*)::int as count from (${everything(contentKinds)}) content group by kind`.execute(ctx.db),
  ])
  const counts: Record<Kind, number> = { course: 0, module: 0, video: 0, lecture: 0 }
  for (const { kind, count } of totals) counts[kind] = count
  return { counts, items: rows }
}
