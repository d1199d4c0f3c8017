import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { RestoreDialog } from '~/components/console/history/restore-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { getRestoreView } from '~/pages/history.server.ts'
import { answerRestore, revisionOf } from '~/pages/restore-revision.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Videos')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '' } = args.params
  return getRestoreView(ctx, { kind: 'video', uid, revision: revisionOf(args.params) }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerRestore(args, ctx, 'video', form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error restoring the revision. Please try again later.')
}

export default function RestoreVideoRevision() {
  return <RestoreDialog {...useLoaderData<typeof loader>()} />
}
