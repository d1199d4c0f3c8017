import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { useState } from 'react'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { MessagesTable } from '~/components/console/messages/messages-table.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { messageStateOptions, messagesTable } from '~/forms/announcement-tables.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { listMessageTablePage } from '~/pages/messages.server.ts'

export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const query = readTableQuery(new URL(args.request.url).searchParams, messagesTable)
  const page = await listMessageTablePage(ctx, query).catch(throwAsPage)
  requireKnownFilters(args.request, messagesTable, { status: messageStateOptions })
  return { page: requireExistingPage(args.request, messagesTable, page) }
}

export const shouldRevalidate = revalidatesTable(messagesTable)

export default function Messages() {
  const { page } = useLoaderData<typeof loader>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <UnderDialog>
        <MessagesTable page={page} selected={selected} onSelect={setSelected} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
