/** The chapters of a section and their modules, which staff put in order. */
import type { z } from 'zod'
import type { SortableItem } from '~/components/console/sortable/sortable-list.tsx'
import type { modulesOrderForm } from '~/forms/modules-order.ts'
import { type OrderItem, writeOrder } from '~/forms/order.ts'
import type { Ctx } from '~/services/context.ts'
import { listModulesOfChapters } from '~/services/modules/parts.server.ts'
import { listChaptersOfSections } from '~/services/sections/sections.server.ts'

export async function listChaptersToArrange(ctx: Ctx, sectionUid: string): Promise<SortableItem[]> {
  const chapters = (await listChaptersOfSections(ctx, [sectionUid])).get(sectionUid) ?? []
  const modules = await listModulesOfChapters(
    ctx,
    chapters.map(({ uid }) => uid),
  )
  return chapters.map(({ uid, name }) => ({
    uid,
    name,
    inside: (modules.get(uid) ?? []).map((module) => ({ uid: module.uid, name: module.name })),
  }))
}

/** Returns only the lists that changed, as input for the service. Returns null if none did. */
export function changedOrder(
  sectionUid: string,
  { order, opened }: { order: OrderItem[]; opened: OrderItem[] },
): z.input<typeof modulesOrderForm> | null {
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
