import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData, useNavigation, useOutletContext } from '@remix-run/react'
import { useEffect } from 'react'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { AssignContent } from '~/components/console/users/assign-content.tsx'
import {
  assignedInWords,
  assignFailure,
  mostAssignees,
  nameIn,
  readTicked,
  unassignedInWords,
  unassignFailure,
  writeTicked,
} from '~/forms/assignments.ts'
import { userTables } from '~/forms/user-tables.ts'
import { brandOf, requireAdmin, type SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { selectedIn } from '~/http/selection.server.ts'
import { readWholeQuery } from '~/http/table-page.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { assignAddressOf, findAssignView } from '~/pages/assign-content.server.ts'
import { prepareAssignment, unassignFromSelected } from '~/services/assignments/assign-content.server.ts'
import { getAssignmentOperation } from '~/services/assignments/list-operations.server.ts'
import { startAssignment } from '~/services/assignments/run-assignment.server.ts'
import { Conflict, Invalid, ServiceError } from '~/services/errors.ts'
import { listUserUidsFound } from '~/services/users/table.server.ts'
import type { UsersContext } from './dashboard.users.tsx'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { view: await findAssignView(ctx, args.request).catch(throwAsPage) }
}

/**
 * The table sends who is selected, or that everybody is meant whom its address finds. That is stored. The dialog sends
 * the selection with what is ticked.
 */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { search } = new URL(args.request.url)
  const verb = brandOf(ctx).assignVerb
  return withForm(args, ctx, async (form) => {
    const operationUid = text(form, 'operation')
    if (operationUid === '') {
      const userUids = form.has('found') ? await uidsFound(ctx, search) : selectedIn(form)
      const prepared = await prepareAssignment(ctx, { userUids })
      const table = tableSearch(search).replace('?', '&')
      return redirect(`/dashboard/users/assign/?operation=${prepared.operationUid}${table}`)
    }
    const intent = text(form, 'intent')
    if (intent === 'assign') {
      const items = readTicked(form.getAll('item').map(String))
      const due = { dueOn: text(form, 'dueOn'), note: text(form, 'note'), removesDue: form.has('removesDue') }
      const audienceUid = text(form, 'audience')
      const joiningUid = form.has('joins') ? audienceUid : ''
      const { status, total, failed } = await startAssignment(ctx, { operationUid, items, ...due, joiningUid })
      const result = `/dashboard/users/assigned/${operationUid}/${tableSearch(search)}`
      if (status !== 'done') return redirect(result)
      const { changed } = await getAssignmentOperation(ctx, { operationUid })
      const back = audienceUid === '' ? `/dashboard/users/${tableSearch(search)}` : audiencePage(audienceUid)
      return redirectWithNotice(args, back, {
        kind: 'success',
        text: assignedInWords(verb, { items: items.length, people: total - failed, changed }),
        undo: { action: result, label: 'Undo' },
      })
    }
    const here = assignAddressOf(form, intent, search)
    const [item] = readTicked([intent.replace(/^unassign:/, '')])
    if (!intent.startsWith('unassign:') || !item) return replace(here)
    const removed = await unassignFromSelected(ctx, { operationUid, item }).catch((error) => {
      if (!(error instanceof ServiceError)) throw error
      throw new Conflict('assignment.failed', unassignFailure(verb, nameIn(form, writeTicked(item))))
    })
    const notice = removed ? unassignedInWords(verb, `${item.kind}: ${removed.name}`) : 'It was no longer assigned.'
    return redirectWithNotice(args, here, { kind: 'success', text: notice }, { isReplacing: true })
  })
}

/** An address with what is no uid leads to a page that says that there is no such audience. */
function audiencePage(audienceUid: string): string {
  return `/dashboard/audiences/${encodeURIComponent(audienceUid)}/people/`
}

async function uidsFound(ctx: SignedIn, search: string): Promise<string[]> {
  const query = readWholeQuery(new URLSearchParams(search), userTables.learners)
  const uids = await listUserUidsFound(ctx, { ...query, tab: 'learners' }, mostAssignees)
  if (uids.length === 0) throw new Invalid('The filters find nobody. Change them and try again.')
  return uids
}

/** Says what failed if the server does not answer, and keeps the dialog with what is ticked (C-271 to C-273). */
export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, (form) => {
    const [verb = '', intent = ''] = ['verb', 'intent'].map((name) => String(form.get(name) ?? ''))
    if (intent.startsWith('unassign:')) return unassignFailure(verb, nameIn(form, intent.slice('unassign:'.length)))
    const ticked = form.getAll('item').map((value) => nameIn(form, String(value)))
    return intent === 'assign' ? assignFailure(verb, ticked.join(', ')) : 'The list could not be loaded.'
  })
}

export default function Assign() {
  useDeselection()
  return <AssignContent {...useLoaderData<typeof loader>()} />
}

/** Clears the selection once the content is assigned: only then the answer leads away from the dialog. */
function useDeselection(): void {
  const { deselectAll } = useOutletContext<UsersContext>()
  const { state, formData, location } = useNavigation()
  const isDone =
    state === 'loading' && formData?.get('intent') === 'assign' && location.pathname !== '/dashboard/users/assign/'
  useEffect(() => {
    if (isDone) deselectAll()
  }, [isDone, deselectAll])
}
