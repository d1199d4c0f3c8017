import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { countInDoubt } from '~/services/announcements/details.server.ts'
import { resendInDoubt } from '~/services/announcements/start-sending.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

function inputOf({ params }: LoaderFunctionArgs) {
  return { announcementUid: params.uid ?? '', mailUid: params.mail ?? null }
}

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { announcementUid, ...input } = inputOf(args)
  return { uid: announcementUid, ...(await countInDoubt(ctx, { announcementUid, ...input }).catch(throwAsPage)) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { announcementUid, mailUid } = inputOf(args)
  return withForm(args, ctx, async () => {
    const { count } = await resendInDoubt(ctx, { uid: announcementUid, ...(mailUid !== null && { mailUid }) })
    const list = tableSearch(new URL(args.request.url).search, '')
    return redirectWithNotice(args, `/dashboard/messages/${announcementUid}/${list}`, {
      kind: count > 0 ? 'success' : 'info',
      text: count === 0 ? 'Nothing is in doubt anymore.' : `${emails(count)} sent again.`,
    })
  })
}

function emails(count: number): string {
  return count === 1 ? 'One email is being' : `${count.toLocaleString('en')} emails are being`
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'The emails could not be sent again. Please try again later.')
}

export default function Resend() {
  const { uid, name, count, address } = useLoaderData<typeof loader>()
  const mails = address ? `the email to ${address}` : count === 1 ? 'one email' : `${count.toLocaleString('en')} emails`
  return (
    <ConfirmRoute
      title={`Send again: ${name}`}
      question={
        count === 0 ? (
          <p>Nothing is in doubt anymore.</p>
        ) : (
          <p>
            Do you want to send {mails} again? Nobody knows whether the mail server took the first one, so people may
            get the message twice.
          </p>
        )
      }
      actionLabel="Send again"
      closeTo={`/dashboard/messages/${uid}/`}
    />
  )
}
