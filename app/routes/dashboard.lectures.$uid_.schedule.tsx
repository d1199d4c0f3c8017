import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { ScheduleDialog } from '~/components/console/schedule/schedule-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerSchedule, loadSchedule } from '~/pages/schedule.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Lectures')

export async function loader(args: LoaderFunctionArgs) {
  return loadSchedule(await requireConsole(args), { kind: 'lecture', itemUid: args.params.uid ?? '' })
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerSchedule(args, ctx, 'lecture', form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error scheduling lecture. Please try again later.')
}

export default function ScheduleLecture() {
  return <ScheduleDialog {...useLoaderData<typeof loader>()} />
}
