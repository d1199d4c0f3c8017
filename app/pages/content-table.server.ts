import type { ContentRow } from '~/components/console/content-columns.tsx'
import { formatDay } from '~/lib/dates.ts'
import { shortName } from '~/lib/short-name.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import type { ContentEntry, FilterChoice } from '~/services/access/content-tables.server.ts'
import type { Ctx } from '~/services/context.ts'

/** What the console's tables of content show of every row. */
export function contentRowOf(ctx: Ctx, entry: ContentEntry): ContentRow {
  const { version, publishedVersion } = entry
  const status = version !== null && version === publishedVersion ? 'published' : 'draft'
  return {
    uid: entry.uid,
    name: entry.name,
    status,
    olderLive: status === 'draft' ? publishedVersion : null,
    tags: entry.tags,
    plans: entry.plans.map(({ name }) => name),
    planUids: entry.plans.map(({ uid }) => uid),
    author: entry.author && shortName(entry.author),
    authorUid: entry.author?.uid ?? null,
    version,
    updatedOn: formatDay(entry.updatedAt, ctx.site.timeZone),
    updatedAt: entry.updatedAt.getTime(),
  }
}

export function filterOptionOf({ uid, name }: FilterChoice): FilterOption {
  return { value: uid, label: name }
}
