import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { AbandonSession } from '~/components/console/modules/attempt-dialogs.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, withForm } from '~/http/respond.server.ts'
import { attemptOfDialog, attemptsAddress } from '~/pages/learner-attempts.server.ts'
import { abandonLaunch } from '~/services/cmi5/cmi5.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { attempt, open, ...page } = await attemptOfDialog(ctx, args)
  const { units: _, ...summary } = attempt
  // At most one session of an attempt is open.
  if (open?.uid !== args.params.sessionUid?.toLowerCase()) throw notFoundPage()
  return { ...page, attempt: summary, open, session: { unit: open?.unit ?? '', launchedAt: open?.since ?? '' } }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async () => {
    await abandonLaunch(ctx, { auLaunchSessionUid: args.params.sessionUid ?? '' })
    return redirectWithNotice(args, attemptsAddress(args), { kind: 'success', text: 'The session has been abandoned.' })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error abandoning the session. Please try again later.')
}

export default function Abandon() {
  return <AbandonSession {...useLoaderData<typeof loader>()} />
}
