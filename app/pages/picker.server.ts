/** Two-list pickers: pages of candidates, and the answers to their buttons in forms without JavaScript. */
import { data } from '@remix-run/node'
import type { PickCandidate, PickerPage, PickerView, PickFilter, PickItem } from '~/components/console/picker/view.ts'
import {
  applyPick,
  type Picked,
  type PickerShown,
  type PickStep,
  pickerNames,
  readPicked,
  readPickerShown,
} from '~/forms/picked.ts'
import { type Refusal, text } from '~/http/respond.server.ts'
import { pageNumber } from '~/lib/table-query.ts'

type Sought = { search: string; filters: Record<string, string> }

export type PickerSource = {
  /** The field of the form that holds the chosen uids. */
  field: string
  /** Lists a page of the search results and counts them all. */
  list: (input: Sought & { page: number; size: number }) => Promise<{ candidates: PickCandidate[]; total: number }>
  /** Finds the first `most` results that can be chosen. The database leaves out those with a problem. */
  findAll: (input: Sought & { most: number }) => Promise<PickItem[]>
  /** Finds items by uid. Items that are gone, or that the viewer may not see, are left out. */
  find: (uids: string[]) => Promise<Map<string, PickItem>>
  /** How many items can be chosen. */
  most: number
  /** What narrows the candidates, beside the search. */
  filters?: Omit<PickFilter, 'value'>[]
}

const pickerPageSize = 10

/**
 * For the loader: reads the first page, or the page in the address. With `all`, also lists every result that can be
 * chosen, up to the maximum.
 */
export async function loadPicker(source: PickerSource, request: Request, chosen: string[] = []) {
  const { searchParams } = new URL(request.url)
  const shown = readPickerShown((name) => searchParams.get(name), filterNames(source))
  const view = await viewOf(source, { ...shown, chosen, cleared: [] })
  if (!searchParams.has('all')) return view
  const all = await findAll(source, shown)
  return { ...view, all, leftOut: leftOut(source, view.total, all) }
}

/** Reads the first page of a picker with nothing chosen. */
export function openPicker(source: PickerSource): Promise<PickerView> {
  return viewOf(source, { search: '', page: 1, filters: {}, chosen: [], cleared: [] })
}

/** For the action: answers a button of the picker, or returns null if another button sent the form. */
export async function answerPicker(source: PickerSource, form: FormData): Promise<PickerView | null> {
  const [button = '', value = ''] = text(form, pickerNames(source.field).button).split(':')
  if (button === '') return null
  const picked = readPicked(Object.fromEntries(form), source.field, filterNames(source))
  if (button === 'search') return viewOf(source, { ...picked, page: 1 })
  if (button === 'page') return viewOf(source, { ...picked, page: pageNumber(value) })
  if (button === 'all') {
    const all = await findAll(source, picked)
    const step: PickStep = { kind: 'add', uids: all.map(({ uid }) => uid) }
    const view = await viewOf(source, { ...picked, ...applyPick(picked, step, source.most) })
    return { ...view, all, leftOut: leftOut(source, view.total, all) }
  }
  const step = await stepOf(source, button, value, picked)
  return viewOf(source, step ? { ...picked, ...applyPick(picked, step, source.most) } : picked)
}

/** Rebuilds the picker from the posted values and adds it to a refused form. Other answers stay as they are. */
export async function withPicker<T>(source: PickerSource, answer: T) {
  const refused = answer as { type?: string; data?: Refusal; init?: ResponseInit | null }
  if (refused?.type !== 'DataWithResponseInit' || !refused.data) return answer
  return data({ ...refused.data, picker: await pickerIn(source, refused.data.values) }, refused.init ?? undefined)
}

/** Rebuilds the picker from posted values. */
export function pickerIn(source: PickerSource, values: Record<string, unknown>): Promise<PickerView> {
  return viewOf(source, readPicked(values, source.field, filterNames(source)))
}

async function stepOf(source: PickerSource, button: string, value: string, picked: Picked): Promise<PickStep | null> {
  if (button === 'remove') return { kind: 'remove', uid: value }
  if (button === 'clear') return { kind: 'clear' }
  if (button === 'undo') return { kind: 'undo' }
  if (button !== 'add') return null
  const { candidates } = await pageOf(source, picked)
  return { kind: 'add', uids: candidates.filter(({ uid, problem }) => uid === value && !problem).map(({ uid }) => uid) }
}

function findAll(source: PickerSource, { search, filters }: Sought): Promise<PickItem[]> {
  return source.findAll({ search, filters, most: source.most })
}

function filterNames({ filters = [] }: PickerSource): string[] {
  return filters.map(({ name }) => name)
}

/** Counts the results that cannot be chosen. Zero if there may be more results than `findAll` returns. */
function leftOut({ most }: PickerSource, total: number, all: PickItem[]): number {
  return total > most ? 0 : total - all.length
}

async function pageOf(source: PickerSource, { search, page, filters }: PickerShown): Promise<PickerPage> {
  const size = pickerPageSize
  const first = await source.list({ search, filters, page, size })
  // The list may have become shorter, so that this page no longer exists.
  const last = Math.max(1, Math.ceil(first.total / size))
  const shown = {
    search,
    ...(source.filters && {
      filters: source.filters.map((filter) => ({ ...filter, value: filters[filter.name] ?? '' })),
    }),
    size,
  }
  if (page <= last) return { ...first, ...shown, page }
  return { ...(await source.list({ search, filters, page: last, size })), ...shown, page: last }
}

async function viewOf(source: PickerSource, picked: Picked): Promise<PickerView> {
  const [page, items] = await Promise.all([pageOf(source, picked), source.find([...picked.chosen, ...picked.cleared])])
  const itemsOf = (uids: string[]) => uids.flatMap((uid) => items.get(uid) ?? [])
  return { ...page, chosen: itemsOf(picked.chosen), cleared: itemsOf(picked.cleared) }
}
