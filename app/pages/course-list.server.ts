/** The Courses page in the console: the list of courses that learners see, and the courses that can be added. */
import type { CatalogView } from '~/components/console/courses/catalog-form.tsx'
import type { PickItem } from '~/components/console/picker/view.ts'
import { mostInCatalog } from '~/forms/catalog.ts'
import { moveTo, type OrderStep, placeAfterStep } from '~/forms/order.ts'
import { pickerNames, readUids } from '~/forms/picked.ts'
import { text } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'
import {
  findCoursesToList,
  listCatalogCourses,
  listCoursesToPick,
  listPublishedCourses,
} from '~/services/courses/catalog.server.ts'
import { answerPicker, loadPicker, type PickerSource } from './picker.server.ts'

/** The published courses of the site, without those that are in the list. */
export function coursesToPick(ctx: Ctx, listed: ReadonlySet<string> = new Set()): PickerSource {
  const problemOf = ({ uid, isPublished }: { uid: string; isPublished: boolean }) =>
    listed.has(uid) ? 'Already in the list' : isPublished ? null : 'Not published yet'
  return {
    field: 'added',
    most: mostInCatalog,
    list: async (input) => {
      const { items, total } = await listCoursesToPick(ctx, input)
      return { candidates: items.map((course) => ({ ...itemOf(course), problem: problemOf(course) })), total }
    },
    findAll: async (input) =>
      (await listPublishedCourses(ctx, input)).map(itemOf).filter(({ uid }) => !listed.has(uid)),
    find: async (uids) => new Map([...(await findCoursesToList(ctx, uids))].map(([uid, one]) => [uid, itemOf(one)])),
  }
}

function itemOf({ uid, name }: { uid: string; name: string }): PickItem {
  return { uid, name }
}

export async function getCatalogView(ctx: Ctx, request: Request): Promise<CatalogView> {
  const items = (await listCatalogCourses(ctx)).map(itemOf)
  return { items, picker: await loadPicker(coursesToPick(ctx, uidsIn(items)), request) }
}

function uidsIn(items: PickItem[]): ReadonlySet<string> {
  return new Set(items.map(({ uid }) => uid))
}

/** Returns a list that a form has sent, with names. Courses that were removed meanwhile are left out. */
export async function itemsIn(ctx: Ctx, sent: string): Promise<PickItem[]> {
  const uids = readUids(sent)
  const courses = await findCoursesToList(ctx, uids)
  return uids.flatMap((uid) => courses.get(uid) ?? []).map(itemOf)
}

/**
 * Answers a button of the plain form: moves or takes out a course, adds the chosen ones, or turns a page of the picker.
 * Returns null if another button was pressed.
 */
export async function answerCatalogButton(ctx: Ctx, form: FormData, request: Request): Promise<CatalogView | null> {
  const items = await itemsIn(ctx, text(form, 'items'))
  const source = coursesToPick(ctx, uidsIn(items))
  // Without JavaScript, Enter in the picker's search field presses the form's first button.
  if (text(form, 'intent') === 'search') form.set(pickerNames('added').button, 'search')
  const picker = await answerPicker(source, form)
  const openedItems = text(form, 'openedItems')
  if (picker) return { items, openedItems, picker }
  const changed = await changedItems(ctx, items, form)
  if (!changed) return null
  return { items: changed, openedItems, picker: await loadPicker(coursesToPick(ctx, uidsIn(changed)), request) }
}

async function changedItems(ctx: Ctx, items: PickItem[], form: FormData): Promise<PickItem[] | null> {
  const [step = '', uid = ''] = text(form, 'move').split(':')
  if (step === 'up' || step === 'down') {
    const to = placeAfterStep(items, uid, step satisfies OrderStep)
    return to ? moveTo(items, uid, to) : items
  }
  const removed = text(form, 'remove')
  if (removed !== '') return items.filter((item) => item.uid !== removed)
  if (text(form, 'intent') !== 'add') return null
  const added = await itemsIn(ctx, text(form, 'added'))
  return [...items, ...added.filter(({ uid }) => !uidsIn(items).has(uid))]
}
