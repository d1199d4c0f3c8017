/** The order of modules on the modules page. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { modulesOrderForm } from '~/forms/modules-order.ts'
import { isSameSet } from '~/lib/sets.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { findActorOf, recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { listSections, lockChapters, orderChapters, type Section } from '../sections/sections.server.ts'

export type ModulesOrder = z.input<typeof modulesOrderForm>

/**
 * Puts modules of chapters, and chapters of a section, in the given order, for admins. Each list must hold exactly the
 * modules that the chapter now shows to staff ("Add to Modules page"). A page that sends the order it was opened with
 * is refused if somebody else has changed that order.
 */
export async function updateModulesOrder(ctx: Ctx, input: ModulesOrder): Promise<Section[]> {
  requireAdmin(ctx, 'write')
  await updateModulesOrders(ctx, { orders: [input] })
  return listSections(ctx)
}

/** Saves the orders of several sections, or none of them: see `updateModulesOrder`. */
export async function updateModulesOrders(ctx: Ctx, input: { orders: ModulesOrder[] }): Promise<void> {
  requireAdmin(ctx, 'write')
  const orders = input.orders.map((order) => parseInput(modulesOrderForm, order))
  await inTransaction(ctx, async (ctx) => {
    for (const { chapters, section } of orders) {
      if (section) await orderChapters(ctx, { ...section, sectionUid: section.uid })
      if (chapters && chapters.length > 0) await orderModules(ctx, chapters)
    }
  })
}

const ordered = 'chapter.modules_ordered'

type ChapterOrder = { uid: string; moduleUids: string[]; openedModuleUids?: string[] }

async function orderModules(ctx: Ctx, chapters: ChapterOrder[]): Promise<void> {
  const uids = chapters.map(({ uid }) => uid)
  if ((await lockChapters(ctx, { chapterUids: uids })) !== uids.length) throw new NotFound()
  const present = await ctx.db
    .selectFrom('module_chapters')
    .innerJoin('chapters', 'chapters.id', 'module_chapters.chapter_id')
    .innerJoin('modules', 'modules.id', 'module_chapters.module_id')
    .select(['chapters.uid as chapterUid', 'modules.uid as moduleUid'])
    .where('chapters.uid', 'in', uids)
    .where('modules.in_self_study', '=', true)
    .where('modules.deleted_at', 'is', null)
    .orderBy('module_chapters.position')
    .orderBy('modules.name')
    .orderBy('modules.id')
    .execute()
  const shownIn = (chapter: string) =>
    present.filter(({ chapterUid }) => chapterUid === chapter).map(({ moduleUid }) => moduleUid)
  const changed = chapters.filter(({ uid, moduleUids }) => moduleUids.join() !== shownIn(uid).join())
  if (changed.length === 0) return
  const conflicts = changed.filter(({ uid, moduleUids, openedModuleUids = shownIn(uid) }) => {
    const isReordered = openedModuleUids.join() !== shownIn(uid).join()
    return isReordered || !isSameSet(moduleUids, shownIn(uid))
  })
  if (conflicts.length > 0)
    throw await notInStep(
      ctx,
      conflicts.map(({ uid }) => ({ uid, moduleUids: shownIn(uid) })),
    )
  const order = changed.flatMap(({ moduleUids }) => moduleUids.map((uid, position) => ({ uid, position })))
  await ctx.db
    .updateTable('module_chapters')
    .from(
      sql<{ uid: string; position: number }>`unnest(
        ${order.map(({ uid }) => uid)}::uuid[], ${order.map(({ position }) => position)}::int[])`.as<'wanted'>(
        sql`wanted(uid, position)`,
      ),
    )
    .innerJoin('modules', 'modules.uid', 'wanted.uid')
    .set((eb) => ({ position: eb.ref('wanted.position') }))
    .whereRef('module_chapters.module_id', '=', 'modules.id')
    .execute()
  await recordAudit(
    ctx,
    ...changed.map(({ uid, moduleUids }) => ({
      action: ordered,
      entity: 'chapter',
      entityUid: uid,
      after: { moduleUids },
    })),
  )
}

/** Names the chapters that somebody else has changed, and who it was if they put the modules in order. */
async function notInStep(ctx: Ctx, chapters: ChapterOrder[]): Promise<Conflict> {
  const uids = chapters.map(({ uid }) => uid)
  const rows = await ctx.db.selectFrom('chapters').select('name').where('uid', 'in', uids).orderBy('id').execute()
  const names = new Intl.ListFormat('en').format(rows.map(({ name }) => `“${name}”`))
  const states = chapters.map(({ uid, moduleUids }) => ({ entityUid: uid, after: { moduleUids } }))
  const actor = (await findActorOf(ctx, { entity: 'chapter', action: ordered, states })) ?? 'Somebody'
  return new Conflict('modules.not_in_step', `${actor} has changed the modules in ${names} in the meantime.`)
}
