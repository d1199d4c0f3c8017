import { type ActionFunctionArgs, type LoaderFunctionArgs, redirectDocument } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { viewMinutes } from '~/lib/viewing.ts'
import { getUserHead } from '~/pages/user-dialog.server.ts'
import { startViewing } from '~/services/sessions/view-as.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { uid, name } = await getUserHead(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { uid, name, minutes: viewMinutes }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async () => {
    await startViewing(ctx, { userUid: args.params.uid ?? '' })
    // The whole document is loaded again: nothing that is the admin's may stay in it.
    return redirectDocument('/home/')
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'The view could not be started. Please try again later.')
}

export default function ViewAs() {
  const { uid, name, minutes } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title={`View as ${name}`}
      question={
        <p>
          For {minutes} minutes you see the site as {name} sees it, in all tabs of this browser. You cannot change
          anything or open modules, and nothing is recorded as theirs. The audit log says that you viewed it.
        </p>
      }
      actionLabel="View as"
      closeTo={`/dashboard/users/${uid}/`}
    />
  )
}
