import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { OverviewPage } from '~/components/console/overview/overview-page.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getOverview } from '~/pages/overview.server.ts'

export const meta = pageTitle('Dashboard : Overview')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return getOverview(ctx).catch((error: unknown) => throwAsPage(error, args.context.exchange))
}

export default function Overview() {
  return <OverviewPage {...useLoaderData<typeof loader>()} />
}
