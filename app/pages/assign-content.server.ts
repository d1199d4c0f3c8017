/** The dialog that assigns content to the learners who were selected in the table. */
import type { AssignList, AssignView } from '~/components/console/users/assign-view.ts'
import { type AssignedKind, readTicked, type TickedItem, writeTicked } from '~/forms/assignments.ts'
import { longestPickSearch } from '~/forms/picked.ts'
import { text } from '~/http/respond.server.ts'
import { pageNumber, tableSearch } from '~/lib/table-query.ts'
import {
  type AssignableItem,
  findAssignableItems,
  listAssignableItems,
  listAssignees,
} from '~/services/assignments/assign-content.server.ts'
import type { Ctx } from '~/services/context.ts'

const size = 10

/** Reads what the address asks for; null if it names no selection. */
export async function findAssignView(ctx: Ctx, request: Request): Promise<AssignView | null> {
  const { searchParams: params } = new URL(request.url)
  const operationUid = params.get('operation')
  if (operationUid === null) return null
  const people = await listAssignees(ctx, { operationUid })
  const find = searchIn(params.get('find') ?? '')
  const ticked = readTicked(params.getAll('item'))
  const of = (kind: AssignedKind) =>
    listOf(ctx, { operationUid, kind, search: find, page: pageNumber(params.get(kind)), ticked })
  const [modules, courses] = await Promise.all([of('module'), of('course')])
  return { operationUid, people, find, lists: [modules, courses], ticked: ticked.map(writeTicked) }
}

type ListInput = { operationUid: string; kind: AssignedKind; search: string; page: number; ticked: TickedItem[] }

async function listOf(ctx: Ctx, { ticked, ...input }: ListInput): Promise<AssignList> {
  let { page } = input
  let found = await listAssignableItems(ctx, { ...input, size })
  const pages = Math.max(1, Math.ceil(found.total / size))
  if (page > pages) {
    page = pages
    found = await listAssignableItems(ctx, { ...input, page, size })
  }
  const shown = new Set(found.items.map(({ uid }) => uid))
  const uids = ticked.filter(({ kind, uid }) => kind === input.kind && !shown.has(uid)).map(({ uid }) => uid)
  const elsewhere = await findAssignableItems(ctx, { operationUid: input.operationUid, kind: input.kind, uids })
  const viewOf = (item: AssignableItem) => ({ ...item, value: writeTicked({ kind: input.kind, uid: item.uid }) })
  return {
    kind: input.kind,
    items: found.items.map(viewOf),
    elsewhere: elsewhere.map(viewOf),
    total: found.total,
    page,
    pages,
  }
}

function searchIn(value: string): string {
  return [...value.trim()].slice(0, longestPickSearch).join('')
}

/**
 * The address of the dialog as a form leaves it: the search, the pages and what is ticked. `intent` is the button:
 * `module:2` turns a page, and `find` searches, which begins with the first pages.
 */
export function assignAddressOf(form: FormData, intent: string, search: string): string {
  const params = new URLSearchParams({ operation: text(form, 'operation') })
  const find = searchIn(text(form, 'find'))
  if (find !== '') params.set('find', find)
  if (find === text(form, 'found')) {
    for (const kind of ['module', 'course'] as const) {
      const [asked, page = ''] = intent.split(':')
      const number = pageNumber(asked === kind ? page : text(form, `${kind}-page`))
      if (number > 1) params.set(kind, String(number))
    }
  }
  const values = form.getAll('item').map(String)
  for (const item of readTicked(values)) params.append('item', writeTicked(item))
  return `/dashboard/users/assign/?${params}${tableSearch(search).replace('?', '&')}`
}
