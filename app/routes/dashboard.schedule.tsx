import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ScheduleList } from '~/components/console/schedule/schedule-list.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { listScheduleRows } from '~/pages/schedule.server.ts'

export const meta = pageTitle('Dashboard : Schedule')

export async function loader(args: LoaderFunctionArgs) {
  return listScheduleRows(await requireConsole(args), args.request)
}

export default function Schedule() {
  return <ScheduleList {...useLoaderData<typeof loader>()} />
}
