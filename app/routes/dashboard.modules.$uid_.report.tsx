import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { ReportDialog } from '~/components/console/modules/module-report.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules : Report')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid, name } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { uid, name }
}

export default function Report() {
  const { uid, name } = useLoaderData<typeof loader>()
  return (
    <ReportDialog uid={uid} name={name}>
      <Outlet context={{ uid, name }} />
    </ReportDialog>
  )
}
