import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ExportReport } from '~/components/console/messages/export-report.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { reportPeriodLabels, reportPeriods } from '~/lib/report-periods.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'messages')
  return { periods: reportPeriods.map((value) => ({ value, label: reportPeriodLabels[value] })) }
}

export default function ExportOfMessages() {
  return <ExportReport {...useLoaderData<typeof loader>()} />
}
