import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { FilmsTable } from '~/components/console/films/films-table.tsx'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { videosTable } from '~/forms/film-tables.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { knownFilmFilters, listFilmOptions, listFilmTablePage } from '~/pages/film-table.server.ts'

export const meta = pageTitle('Dashboard : Videos')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const query = readTableQuery(new URL(args.request.url).searchParams, videosTable)
  const [page, options] = await Promise.all([
    listFilmTablePage(ctx, { ...query, kind: 'video' }),
    listFilmOptions(ctx, { filters: query.filters }),
  ]).catch(throwAsPage)
  requireKnownFilters(args.request, videosTable, knownFilmFilters('video', options))
  return { page: requireExistingPage(args.request, videosTable, page), options }
}

export const shouldRevalidate = revalidatesTable(videosTable)

export default function Videos() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <FilmsTable kind="video" {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
