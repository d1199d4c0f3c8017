import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { CoursesTable } from '~/components/console/courses/courses-table.tsx'
import { revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { courseStates, coursesTable } from '~/forms/course-tables.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireExistingPage, requireKnownFilters } from '~/http/table-page.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listCourseFilterOptions, listCourseTablePage } from '~/pages/course-table.server.ts'

export const meta = pageTitle('Dashboard : Courses')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const query = readTableQuery(new URL(args.request.url).searchParams, coursesTable)
  const [page, options] = await Promise.all([
    listCourseTablePage(ctx, query),
    listCourseFilterOptions(ctx, { filters: query.filters }),
  ]).catch(throwAsPage)
  requireKnownFilters(args.request, coursesTable, { ...options, status: courseStates.map((value) => ({ value })) })
  return { page: requireExistingPage(args.request, coursesTable, page), options }
}

export const shouldRevalidate = revalidatesTable(coursesTable)

export default function Courses() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <CoursesTable {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
