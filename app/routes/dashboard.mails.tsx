import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { MailList } from '~/components/console/mails/mail-list.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMailsPage, mailFiltersOf } from '~/pages/mails.server.ts'

export const meta = pageTitle('Dashboard : Mails')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'mails')
  return getMailsPage(ctx, mailFiltersOf(new URL(args.request.url).searchParams))
}

export default function Mails() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <MailList {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
