import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { useEffect, useState } from 'react'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { TrashTable } from '~/components/console/trash/trash-table.tsx'
import { trashTable } from '~/forms/trash.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listTrashPage } from '~/pages/trash.server.ts'
import { listTrashKinds } from '~/services/trash/trash.server.ts'

export const meta = pageTitle('Dashboard : Trash')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const kinds = listTrashKinds(ctx)
  requireKnownFilters(args.request, trashTable, { kind: kinds.map((value) => ({ value })) })
  const query = readTableQuery(new URL(args.request.url).searchParams, trashTable)
  const page = await listTrashPage(ctx, query).catch(throwAsPage)
  return { page: requireExistingPage(args.request, trashTable, page), kinds }
}

export const shouldRevalidate = revalidatesTable(trashTable)

export default function Trash() {
  const data = useLoaderData<typeof loader>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // What was restored, here or by somebody else, is selected no longer.
  useEffect(() => setSelected(new Set()), [data.page.state])
  return (
    <>
      <UnderDialog>
        <TrashTable {...data} selected={selected} onSelect={setSelected} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
