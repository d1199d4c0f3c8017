import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ScheduleReport } from '~/components/console/reports/schedule-report.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerSchedule, getScheduleForm } from '~/pages/scheduled-reports.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getScheduleForm(ctx, { reportUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, (form) => answerSchedule(args, ctx, form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the scheduled report. Please try again later.')
}

export default function EditScheduledReport() {
  return <ScheduleReport {...useLoaderData<typeof loader>()} />
}
