/** The trash in the console: rows of the table, and what is said about a restore. */
import type { TrashRow } from '~/components/console/trash/view.ts'
import type { HistoryKind } from '~/forms/history.ts'
import { mostRestored, type TrashKind, trashKey, trashKindLabels } from '~/forms/trash.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import type { Notice } from '~/lib/notice.ts'
import type { Ctx } from '~/services/context.ts'
import { restorableDays } from '~/services/restorable.ts'
import {
  describeTrash,
  listTrash,
  listTrashKeys,
  type RestoredItems,
  type TrashEntry,
  type TrashInput,
} from '~/services/trash/trash.server.ts'
import { pathsOf } from './history.server.ts'

/** Reads one page of the table, for staff. */
export async function listTrashPage(ctx: Ctx, input: TrashInput) {
  const [{ items, total }, list] = await Promise.all([listTrash(ctx, input), describeTrash(ctx)])
  return { rows: items.map((entry) => rowOf(ctx, entry)), total, ...list }
}

const batch = 100

/** Reads the next hundred rows, for staff. The cursor is the number of the page. */
export async function listTrashBatch(
  ctx: Ctx,
  input: { after: string | null },
): Promise<{ rows: TrashRow[]; next: string | null }> {
  const page = Number(input.after ?? '1')
  const { items, total } = await listTrash(ctx, { page: Number.isInteger(page) ? page : 1, size: batch })
  const rows = items.map((entry) => rowOf(ctx, entry))
  return { rows, next: rows.length > 0 && page * batch < total ? String(page + 1) : null }
}

export function listTrashKeysFound(ctx: Ctx, input: TrashInput): Promise<string[]> {
  return listTrashKeys(ctx, { ...input, most: mostRestored })
}

const historyOf: Partial<Record<TrashKind, HistoryKind>> = {
  course: 'course',
  module: 'module',
  lecture: 'lecture',
  video: 'video',
  term: 'glossary_term',
  message: 'announcement',
}

function rowOf(ctx: Ctx, entry: TrashEntry): TrashRow {
  const { timeZone } = ctx.site
  const { kind, uid, deletedAt } = entry
  const history = historyOf[kind]
  return {
    key: trashKey(entry),
    name: entry.name,
    kind: trashKindLabels[kind],
    kindValue: kind,
    note: entry.mergedInto === null ? null : `Merged into “${entry.mergedInto}”`,
    deletedBy: entry.deletedBy,
    deletedOn: formatMoment(deletedAt, timeZone),
    deletedAt: deletedAt.getTime(),
    until: formatDay(new Date(deletedAt.getTime() + restorableDays * 86_400_000), timeZone),
    history: history ? pathsOf(history, uid).history : null,
  }
}

const mostRefusals = 5

/** Says what is back, and what is not and why. */
export function restoredInWords({ names, refused }: RestoredItems): Pick<Notice, 'kind' | 'text'> {
  const [first] = names
  const back = names.length === 1 ? `“${first}” is back.` : `${names.length} items are back.`
  const more = refused.length - mostRefusals
  const sentences = [
    ...(names.length > 0 ? [back] : []),
    ...refused.slice(0, mostRefusals).map(({ name, reason }) => `“${name}” could not be restored: ${reason}`),
    ...(more > 0 ? [`${more} more could not be restored.`] : []),
  ]
  return { kind: refused.length === 0 ? 'success' : 'error', text: sentences.join(' ') }
}
