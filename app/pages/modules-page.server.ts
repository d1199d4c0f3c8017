/** The Modules page in the console: the chapters of each section with their modules, in the order that learners see. */
import type { ListToArrange } from '~/components/console/sortable/order-form.tsx'
import { inOrderOf, moveTo, type OrderItem, type OrderStep, placeAfterStep, writeOrder } from '~/forms/order.ts'
import type { Ctx } from '~/services/context.ts'
import type { ModulesOrder } from '~/services/modules/order.server.ts'
import { listModulesOfChapters } from '~/services/modules/parts.server.ts'
import { listChaptersOfSections, listSections } from '~/services/sections/sections.server.ts'

/** Lists the sections of the site, for staff. Takes three queries. */
export async function listSectionsToArrange(ctx: Ctx): Promise<ListToArrange[]> {
  const sections = await listSections(ctx)
  const chaptersOf = await listChaptersOfSections(
    ctx,
    sections.map(({ uid }) => uid),
  )
  const modulesOf = await listModulesOfChapters(
    ctx,
    [...chaptersOf.values()].flat().map(({ uid }) => uid),
  )
  return sections.map(({ uid, name }) => ({
    uid,
    name,
    label: `Chapters of ${name}`,
    items: (chaptersOf.get(uid) ?? []).map((chapter) => ({
      ...chapter,
      inside: (modulesOf.get(chapter.uid) ?? []).map((module) => ({ uid: module.uid, name: module.name })),
    })),
  }))
}

/** Answers a move button of the plain form. A chapter stays in its section, and a module in its chapter. */
export function orderAfterMove(
  lists: ListToArrange[],
  order: OrderItem[],
  move: { uid: string; step: OrderStep },
): string {
  const wanted = writeOrder(order)
  return writeOrder(
    lists.flatMap((list) => {
      const items = inOrderOf(list.items, wanted)
      const to = placeAfterStep(items, move.uid, move.step)
      return to ? moveTo(items, move.uid, to) : items
    }),
  )
}

/** Returns what changed in each section, as input for the service: one entry for each section with a change. */
export function changedSections(
  lists: ListToArrange[],
  { order, opened }: { order: OrderItem[]; opened: OrderItem[] },
): ModulesOrder[] {
  return lists.flatMap(({ uid, items }) => {
    const isHere = (item: OrderItem) => items.some((own) => own.uid === item.uid)
    return changedOrder(uid, { order: order.filter(isHere), opened: opened.filter(isHere) }) ?? []
  })
}

/**
 * Returns the order with which a form goes on after a conflict: lists that it did not change are as they are stored
 * now, so that the next save does not undo in them what somebody else has saved.
 */
export function orderAfterConflict(
  lists: ListToArrange[],
  { order, opened }: { order: OrderItem[]; opened: OrderItem[] },
): string {
  const changed = changedSections(lists, { order, opened })
  const chapters = new Set(changed.flatMap(({ chapters }) => chapters ?? []).map(({ uid }) => uid))
  const sections = new Set(changed.flatMap(({ section }) => section?.uid ?? []))
  const wanted = writeOrder(order)
  return writeOrder(
    lists.flatMap(({ uid, items }) => {
      const arranged = sections.has(uid) ? inOrderOf(items, wanted) : items
      return arranged.map((item) => (chapters.has(item.uid) ? (inOrderOf([item], wanted)[0] ?? item) : item))
    }),
  )
}

/** Returns only the lists of a section that changed. Returns null if none did. */
export function changedOrder(
  sectionUid: string,
  { order, opened }: { order: OrderItem[]; opened: OrderItem[] },
): ModulesOrder | null {
  const uids = (items: OrderItem[] = []) => items.map(({ uid }) => uid)
  const before = new Map(opened.map(({ uid, inside }) => [uid, inside]))
  const chapters = order
    .filter(({ uid, inside = [] }) => writeOrder(inside) !== writeOrder(before.get(uid) ?? []))
    .map(({ uid, inside }) => ({ uid, moduleUids: uids(inside), openedModuleUids: uids(before.get(uid)) }))
  const isMoved = uids(order).join() !== uids(opened).join()
  if (chapters.length === 0 && !isMoved) return null
  return {
    chapters,
    section: isMoved ? { uid: sectionUid, chapterUids: uids(order), openedChapterUids: uids(opened) } : null,
  }
}
