import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getSuppressionPage } from '~/pages/mails.server.ts'
import { releaseSuppression } from '~/services/mail/suppressions.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Suppressed Addresses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'suppressed')
  return getSuppressionPage(ctx, { uid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'suppressed')
  const list = `/dashboard/suppressed/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { uid, address } = await releaseSuppression(ctx, { uid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, {
      kind: 'success',
      text: `${address} gets mail again.`,
      undo: { action: `/dashboard/suppressed/removed/${uid}/restore/`, label: 'Undo' },
    })
  })
  return answerRemoval(args, list, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error releasing the address. Please try again later.')
}

export default function ReleaseAddress() {
  const { address, reason, since, words } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title="Release Address"
      question={
        <>
          <p>
            Do you want to send mail to {address} again? It was suppressed on {since}: {reason.toLowerCase()}.
          </p>
          {words && <q>{words}</q>}
          <p>If mail to it comes back again, it is suppressed again.</p>
        </>
      }
      actionLabel="Release"
      closeTo="/dashboard/suppressed/"
    />
  )
}
