/** The tags of a site in the console: where each is used, and which ones can be brought back. */
import type { MergePreview } from '~/components/console/tags/merge-dialog.tsx'
import type { RemovedTagRow, TaggedItemView, TagRow } from '~/components/console/tags/view.ts'
import { formatDay } from '~/lib/dates.ts'
import type { Ctx } from '~/services/context.ts'
import {
  getTagWithItems,
  listRemovedTags,
  listTagsWithUses,
  planMerge,
  type RemovedTag,
} from '~/services/tags/change-tags.server.ts'

const nouns = {
  modules: ['module', 'modules'],
  courses: ['course', 'courses'],
  lectures: ['lecture', 'lectures'],
  videos: ['video', 'videos'],
} as const

type Uses = Record<keyof typeof nouns, number>

export async function listTagRows(ctx: Ctx): Promise<{ tags: TagRow[]; removed: RemovedTagRow[] }> {
  const [tags, removed] = await Promise.all([listTagsWithUses(ctx), listRemovedTags(ctx)])
  return {
    tags: tags.map(({ uid, text, uses }) => ({ uid, text, uses: usesInWords(uses) })),
    removed: removed.map((one) => ({ uid: one.uid, name: one.text, how: howInWords(ctx, one) })),
  }
}

function usesInWords(uses: Uses): string {
  const parts = Object.entries(nouns).flatMap(([kind, [one, many]]) => {
    const count = uses[kind as keyof Uses]
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${count === 1 ? one : many}`]
  })
  return parts.join(', ') || 'not used'
}

function howInWords(ctx: Ctx, { mergedInto, removedAt, removedBy }: RemovedTag): string {
  const what = mergedInto === null ? 'Removed' : `Merged into “${mergedInto}”`
  const who = removedBy === '' ? '' : ` by ${removedBy}`
  return `${what} on ${formatDay(removedAt, ctx.site.timeZone)}${who}`
}

const mostItems = 50

export async function getTagDialog(ctx: Ctx, input: { tagUid: string }) {
  const { tag, items, total } = await getTagWithItems(ctx, { ...input, most: mostItems })
  const shown: TaggedItemView[] = items.map(({ uid, name, kind }) => ({
    uid,
    name,
    kind: nouns[kind][0],
    to: `/dashboard/${kind}/${uid}/`,
  }))
  return { tag, items: shown, total }
}

/** The tag to merge, the others, and the one of them that the address names. */
export async function getMergeDialog(ctx: Ctx, input: { tagUid: string; into: string }) {
  const [{ tag }, tags] = await Promise.all([getTagWithItems(ctx, { ...input, most: 1 }), listTagsWithUses(ctx)])
  const others = tags.filter(({ uid }) => uid !== tag.uid)
  return {
    tag,
    into: input.into,
    others: others.map(({ uid, text, uses }) => ({ value: uid, label: `${text} (${usesInWords(uses)})` })),
  }
}

const mostInPreview = 10

export async function previewMerge(ctx: Ctx, input: { tagUid: string; into: string }): Promise<MergePreview> {
  const { into, items, alreadyThere, first } = await planMerge(ctx, { ...input, most: mostInPreview })
  return {
    ...{ into: into.uid, text: into.text, items, alreadyThere },
    first: first.map(({ uid, name, kind, hasOther }) => ({ uid, name, kind: nouns[kind][0], hasOther })),
  }
}
