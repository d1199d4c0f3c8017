import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { LaunchInAttempt } from '~/components/console/modules/attempt-dialogs.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { launchInModeForm } from '~/forms/attempts.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { attemptsAddress, registrationOf, unitOfDialog } from '~/pages/learner-attempts.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import { parseInput } from '~/services/input.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return unitOfDialog(ctx, args)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async (form) => {
    const { mode } = parseInput(launchInModeForm, Object.fromEntries(form))
    const { auLaunchSessionUid } = await launchUnit(ctx, {
      moduleVersionUid: text(form, 'moduleVersionUid'),
      registrationUid: registrationOf(args),
      userUid: args.params.userUid ?? '',
      unitUid: args.params.unitUid ?? '',
      mode,
    })
    return redirect(`/viewer/${auLaunchSessionUid}/?${new URLSearchParams({ from: attemptsAddress(args) })}`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error opening the unit. Please try again later.')
}

export default function Launch() {
  return <LaunchInAttempt {...useLoaderData<typeof loader>()} />
}
