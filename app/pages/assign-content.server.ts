/** The dialog that assigns content to the learners who were selected in the table. */
import { redirect } from '@remix-run/node'
import type { AssignList, AssignView } from '~/components/console/users/assign-view.ts'
import { type AssignedKind, longestNote, readTicked, type TickedItem, writeTicked } from '~/forms/assignments.ts'
import { longestPickSearch } from '~/forms/picked.ts'
import { text } from '~/http/respond.server.ts'
import { pageNumber, tableSearch } from '~/lib/table-query.ts'
import { cutText } from '~/lib/text.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import {
  type AssignableItem,
  findAssignableItems,
  listAssignableItems,
  listAssignees,
} from '~/services/assignments/assign-content.server.ts'
import { findAudience } from '~/services/audiences/audiences.server.ts'
import { getBulkOperation } from '~/services/bulk/bulk.server.ts'
import type { Ctx } from '~/services/context.ts'

const size = 10

/**
 * Reads what the address asks for; null if it names no selection. A selection to which something was assigned leads to
 * what has become of that.
 */
export async function findAssignView(ctx: Ctx, request: Request): Promise<AssignView | null> {
  const { searchParams: params, search } = new URL(request.url)
  const operationUid = params.get('operation')
  if (operationUid === null) return null
  const { kind, status } = await getBulkOperation(ctx, { operationUid })
  if (kind === 'assign-content' && status !== 'prepared') {
    throw redirect(`/dashboard/users/assigned/${operationUid}/${tableSearch(search)}`)
  }
  const { people, total } = await listAssignees(ctx, { operationUid })
  const find = searchIn(params.get('find') ?? '')
  const ticked = readTicked(params.getAll('item'))
  const of = (kind: AssignedKind) =>
    listOf(ctx, { operationUid, kind, search: find, page: pageNumber(params.get(kind)), ticked })
  const [modules, courses] = await Promise.all([of('module'), of('course')])
  return {
    ...{ operationUid, people, total, find },
    lists: [modules, courses],
    ticked: ticked.map(writeTicked),
    today: dayOf(ctx.now, ctx.site.timeZone),
    ...typedDue((name) => params.get(name) ?? ''),
    audience: await findChosenAudience(ctx, params.get('audience')),
    removesDue: params.has('removesDue'),
    joins: params.has('joins'),
  }
}

async function findChosenAudience(ctx: Ctx, audienceUid: string | null): Promise<AssignView['audience']> {
  const audience = audienceUid === null ? null : await findAudience(ctx, { audienceUid })
  return audience && { uid: audience.uid, name: audience.name }
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

/** The due date and the note as they were typed, for the address and from it. */
function typedDue(get: (name: string) => string): { dueOn: string; note: string } {
  return { dueOn: get('dueOn').slice(0, 10), note: cutText(get('note'), longestNote) }
}

/**
 * The address of the dialog as a form leaves it: the search, the pages, what is ticked and what is typed. `intent` is the button:
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
  for (const [name, value] of Object.entries(typedDue((name) => text(form, name)))) {
    if (value !== '') params.set(name, value)
  }
  for (const name of ['audience', 'removesDue', 'joins']) {
    if (text(form, name) !== '') params.set(name, text(form, name))
  }
  return `/dashboard/users/assign/?${params}${tableSearch(search).replace('?', '&')}`
}
