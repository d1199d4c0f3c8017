/** The builder of a course without JavaScript: each button posts the form, and the answer has the new outline. */
import { randomUUID } from 'node:crypto'
import { data } from '@remix-run/node'
import { moduleInWords } from '~/components/console/courses/module-status.ts'
import type { BuilderModule, PickingModules } from '~/components/console/courses/view.ts'
import type { PickerView, PickItem } from '~/components/console/picker/view.ts'
import {
  applyBuild,
  type BuildStep,
  modulesOf,
  type Outline,
  partField,
  readOutline,
  writeOutline,
} from '~/forms/course-outline.ts'
import { mostPickedModules, pickedModules, unreadableSections } from '~/forms/courses.ts'
import { moduleStatusOptions } from '~/forms/module-tables.ts'
import { pickerNames, readUids } from '~/forms/picked.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { type Refusal, refusalOf, text } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'
import { listModulePage } from '~/services/modules/table.server.ts'
import { listModuleEntries, type ModuleEntry } from '~/services/modules/table-entries.server.ts'
import { builderModuleOf, listBuilderModules } from './course-editor.server.ts'
import { listModuleFilterOptions } from './module-table.server.ts'
import { answerPicker, openPicker, type PickerSource } from './picker.server.ts'

export type BuiltOutline = {
  outline: Outline
  modules: Record<string, BuilderModule>
  picking?: PickingModules | null
}

type Args = { context: { exchange: Exchange } }

/** Answers a button of the builder with the whole form, or returns null if another button sent it. */
export async function answerBuilder(args: Args, ctx: Ctx, form: FormData) {
  const before = outlineIn(form)
  // Enter in the picker's search field presses the form's first button.
  if (text(form, 'intent') === 'search') form.set(pickerNames(pickedModules).button, 'search')
  const chapter = chapterToFill(form)
  const picker = chapter && (await pickerFor(ctx, form, before))
  const step = stepOf(form)
  if (!step && !picker && text(form, 'build') === '') return null
  const outline = step ? applyBuild(before, step) : before
  const refusal = await refusalOf(ctx, args.context.exchange, form, { message: '', fieldErrors: {} })
  return data({ ...refusal, ...(await builtFrom(ctx, outline)), picking: picker ? { chapter, picker } : null })
}

/** The chapter whose picker stays open or opens; empty if there is none. */
function chapterToFill(form: FormData): string {
  const [kind, uid = ''] = text(form, 'build').split(':')
  if (kind === 'pick') return uid
  return form.has(pickerNames(pickedModules).button) ? text(form, 'pickFor') : ''
}

async function pickerFor(ctx: Ctx, form: FormData, outline: Outline): Promise<PickerView> {
  const source = await modulesForCourses(ctx, modulesOf(outline))
  return (await answerPicker(source, form)) ?? (await openPicker(source))
}

/** For staff: the modules of the site. Those in the course (`taken`) cannot be chosen again. */
export async function modulesForCourses(ctx: Ctx, taken: string[] = []): Promise<PickerSource> {
  const { section } = await listModuleFilterOptions(ctx)
  const isTaken = new Set(taken)
  const found = (input: {
    search: string
    filters: Record<string, string>
    page?: number
    size: number
    except?: string[]
  }) =>
    listModulePage(ctx, {
      ...input,
      sort: 'name',
      filters: Object.fromEntries(Object.entries(input.filters).map(([name, value]) => [name, [value]])),
    })
  return {
    field: pickedModules,
    most: mostPickedModules,
    filters: [
      { name: 'section', label: 'Section', options: section },
      { name: 'status', label: 'Status', options: [...moduleStatusOptions] },
    ],
    list: async (input) => {
      const { items, total } = await found(input)
      const problem = (uid: string) => (isTaken.has(uid) ? 'Already in the course' : null)
      return { candidates: items.map((entry) => ({ ...itemOf(entry), problem: problem(entry.uid) })), total }
    },
    findAll: async ({ most, ...input }) => {
      const { items } = await found({ ...input, size: most, except: taken })
      return items.map(itemOf)
    },
    find: async (uids) => {
      const entries = await listModuleEntries(ctx, uids)
      return new Map(entries.map((entry) => [entry.uid, itemOf(entry)]))
    },
  }
}

function itemOf(entry: ModuleEntry): PickItem {
  const module = builderModuleOf(entry)
  return { uid: module.uid, name: module.name, detail: moduleInWords(module) }
}

/** Adds the outline that was sent to a refused form. Other answers stay as they are. */
export async function withOutline<T>(ctx: Ctx, answer: T) {
  const refused = answer as { type?: string; data?: Refusal & Partial<BuiltOutline>; init?: ResponseInit | null }
  if (refused?.type !== 'DataWithResponseInit' || !refused.data || refused.data.outline) return answer
  const { values } = refused.data
  const outline = readOutline({ get: (name) => values[name] ?? null })
  // The page then shows the outline that is stored.
  if (!outline) return answer
  return data({ ...refused.data, ...(await builtFrom(ctx, outline)) }, refused.init ?? undefined)
}

async function builtFrom(ctx: Ctx, outline: Outline): Promise<BuiltOutline> {
  return { outline, modules: await listBuilderModules(ctx, modulesOf(outline)) }
}

/** Throws Invalid for an outline that cannot be read. */
function outlineIn(form: FormData): Outline {
  const outline = readOutline(form)
  if (!outline) throw new Invalid(unreadableSections, { sections: unreadableSections })
  return outline
}

function stepOf(form: FormData): BuildStep | null {
  const [move = '', moved = ''] = text(form, 'move').split(':')
  if (move === 'up' || move === 'down') return { kind: move, uid: moved }
  const removed = text(form, 'remove')
  if (removed !== '') return { kind: 'remove', uid: removed }
  const [kind, uid = ''] = text(form, 'build').split(':')
  if (kind === 'add-section') return { kind, uid: randomUUID() }
  if (kind === 'add-chapter') return { kind, uid: randomUUID(), section: uid }
  if (kind === 'add-modules')
    return { kind, chapter: uid, moduleUids: readUids(text(form, pickedModules)).slice(0, mostPickedModules) }
  return null
}

/** The fields in which the form of a course posts this outline. */
export function outlineFields(outline: Outline): Record<string, string> {
  const parts = outline.flatMap((section) => [section, ...section.chapters])
  return {
    outline: writeOutline(outline),
    ...Object.fromEntries(
      parts.flatMap(({ uid, name, description }) => [
        [partField(uid, 'name'), name],
        [partField(uid, 'description'), description],
      ]),
    ),
  }
}
