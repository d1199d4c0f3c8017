import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { PlanList } from '~/components/console/plans/plan-list.tsx'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { listCountedPlans } from '~/services/users/plan-list.server.ts'

export const meta = pageTitle('Dashboard : Access Plans')

export async function loader(args: LoaderFunctionArgs) {
  return { plans: await listCountedPlans(await requireSection(args, 'plans')) }
}

export default function Plans() {
  const { plans } = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <PlanList plans={plans} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
