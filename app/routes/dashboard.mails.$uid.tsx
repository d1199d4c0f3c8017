import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { MailDialog } from '~/components/console/mails/mail-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMailPage } from '~/pages/mails.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Mails')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'mails')
  return getMailPage(ctx, { uid: args.params.uid ?? '' }).catch(throwAsPage)
}

export default function Mail() {
  return <MailDialog {...useLoaderData<typeof loader>()} />
}
