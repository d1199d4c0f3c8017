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
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  return loadSchedule(await requireConsole(args), { kind: 'module', itemUid: args.params.uid ?? '' })
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerSchedule(args, ctx, 'module', form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error scheduling module. Please try again later.')
}

export default function ScheduleModule() {
  return <ScheduleDialog {...useLoaderData<typeof loader>()} />
}
