import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { WaiveUnit } from '~/components/console/modules/attempt-dialogs.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { whyNotWaived } from '~/forms/attempts.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { formatPercent } from '~/lib/percent.ts'
import { attemptsAddress, registrationOf, unitOfDialog } from '~/pages/learner-attempts.server.ts'
import { waiveUnit } from '~/services/cmi5/cmi5.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const page = await unitOfDialog(ctx, args)
  return { ...page, problem: whyNotWaived(page.attempt, page.unit) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async (form) => {
    const { percent } = await waiveUnit(ctx, {
      registrationUid: registrationOf(args),
      unitUid: args.params.unitUid ?? '',
      reason: text(form, 'reason'),
    })
    return redirectWithNotice(args, attemptsAddress(args), {
      kind: 'success',
      text: `The unit has been waived. The attempt is at ${formatPercent(percent)}.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error waiving the unit. Please try again later.')
}

export default function Waive() {
  return <WaiveUnit {...useLoaderData<typeof loader>()} />
}
