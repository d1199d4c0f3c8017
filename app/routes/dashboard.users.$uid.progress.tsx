import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { whenUnanswered } from '~/browser/failed-posts.ts'
import { notify } from '~/browser/notices.ts'
import { UserProgressPanel } from '~/components/console/users/user-records.tsx'
import type { ProgressList } from '~/components/console/users/view.ts'
import { nameIn, unassignedInWords, unassignFailure } from '~/forms/assignments.ts'
import { brandOf, requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withButton } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getUserProgressView } from '~/pages/user-dialog.server.ts'
import { findLastUnassign, unassignOne } from '~/services/assignments/unassign-one.server.ts'
import { Conflict, ServiceError } from '~/services/errors.ts'

export const meta = pageTitle('Dashboard : Users : Progress')

const lists: ProgressList[] = ['progress', 'completed', 'assigned']

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { searchParams } = new URL(args.request.url)
  const kind = searchParams.get('of') === 'courses' ? 'courses' : 'modules'
  const list = lists.find((one) => one === searchParams.get('list')) ?? null
  const userUid = args.params.uid ?? ''
  return { view: await getUserProgressView(ctx, { userUid, kind, list }).catch(throwAsPage) }
}

/** Takes an assignment back (C-096, L-148). */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const userUid = args.params.uid ?? ''
  const params = new URLSearchParams(tableSearch(new URL(args.request.url).search))
  params.set('list', 'assigned')
  const answer = await withButton(args, ctx, async (form) => {
    const kind = text(form, 'kind') === 'courses' ? 'course' : 'module'
    params.set('of', `${kind}s`)
    const [verb, uid] = [brandOf(ctx).assignVerb, text(form, 'uid')]
    const pair = { kind, userUid, itemUid: uid } as const
    const taken = await unassignOne(ctx, pair).catch((error) => {
      if (!(error instanceof ServiceError)) throw error
      throw new Conflict('assignment.failed', unassignFailure(verb, nameIn(form, `${kind}:${uid}`)))
    })
    const undoable = taken ?? (await findLastUnassign(ctx, pair))
    return redirectWithNotice(args, `/dashboard/users/${userUid}/progress/?${params}`, {
      kind: 'success',
      text: taken ? unassignedInWords(verb, `${kind}: ${taken.itemName}`) : 'It was no longer assigned.',
      ...(undoable && {
        undo: {
          action: `/dashboard/users/${userUid}/unassigned/${undoable.operationUid}/restore/?${params}`,
          label: 'Undo',
        },
      }),
    })
  })
  return answerUndo(args, `/dashboard/users/${userUid}/progress/?${params}`, answer)
}

/** Says what could not be taken back if the server does not answer. The list stays (C-271). */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  const form = await request.clone().formData()
  return whenUnanswered(serverAction<typeof action>(), () => {
    const kind = form.get('kind') === 'courses' ? 'course' : 'module'
    const what = nameIn(form, `${kind}:${form.get('uid')}`)
    notify({ kind: 'error', text: unassignFailure(String(form.get('verb')), what) })
    return {}
  })
}

export default function Progress() {
  return <UserProgressPanel {...useLoaderData<typeof loader>()} />
}
