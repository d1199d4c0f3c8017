import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { revalidatesAfterPosts } from '~/components/console/grid/revalidation.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { DueDialog } from '~/components/console/users/due-dialog.tsx'
import type { ProgressKind } from '~/components/console/users/view.ts'
import { updateFailed } from '~/forms/profile-rules.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getDueOfUser } from '~/pages/user-dialog.server.ts'
import { changeAssignment } from '~/services/assignments/change-due.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

function kindOf(params: { kind?: string }): ProgressKind {
  if (params.kind !== 'modules' && params.kind !== 'courses') throw notFoundPage()
  return params.kind
}

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { uid: userUid = '', itemUid = '' } = args.params
  return { view: await getDueOfUser(ctx, { userUid, kind: kindOf(args.params), itemUid }).catch(throwAsPage) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { uid: userUid = '', itemUid = '' } = args.params
  const kind = kindOf(args.params)
  const table = tableSearch(new URL(args.request.url).search).replace('?', '&')
  return withForm(args, ctx, async (form) => {
    const isChanged = await changeAssignment(ctx, {
      ...{ userUid, itemUid },
      kind: kind === 'modules' ? 'module' : 'course',
      ...{ dueOn: text(form, 'dueOn'), note: text(form, 'note') },
      opened: { dueOn: text(form, 'openedDueOn'), note: text(form, 'openedNote') },
    })
    return redirectWithNotice(args, `/dashboard/users/${userUid}/progress/?of=${kind}&list=assigned${table}`, {
      kind: 'success',
      text: isChanged ? 'The due date and note have been saved.' : 'Nothing was changed.',
    })
  })
}

/** After a conflict the form goes on from what is stored now. */
export const shouldRevalidate = revalidatesAfterPosts

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, updateFailed)
}

export default function ChangeDue() {
  return <DueDialog view={useLoaderData<typeof loader>().view} />
}
