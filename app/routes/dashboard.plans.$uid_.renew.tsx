import { type ActionFunctionArgs, type LoaderFunctionArgs, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { RenewDialog } from '~/components/console/plans/plan-dialogs.tsx'
import type { RenewalPreview } from '~/components/console/plans/view.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import type { RenewalWindow } from '~/forms/plans.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getRenewal, previewRenewal } from '~/pages/plans.server.ts'
import { awaitBulkOperation } from '~/services/bulk/bulk.server.ts'
import { renewAccess } from '~/services/users/renew-access.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Access Plans')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  const window = new URL(args.request.url).searchParams.get('window')
  return getRenewal(ctx, { planUid: args.params.uid ?? '', window }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  const planUid = args.params.uid ?? ''
  return withForm(args, ctx, async (form): Promise<{ preview: RenewalPreview } | Response> => {
    const [window, duration, unit] = [text(form, 'window'), text(form, 'duration'), text(form, 'unit')]
    const input = { planUid, window: window as RenewalWindow, duration, unit }
    // Only what somebody has seen the consequences of is done.
    const isSeen = text(form, 'previewed') === `${window} ${duration} ${unit}`
    if (text(form, 'intent') !== 'renew' || !isSeen) return { preview: await previewRenewal(ctx, input) }
    const { operationUid } = await renewAccess(ctx, { ...input, uid: text(form, 'uid') || undefined })
    await awaitBulkOperation(ctx, { operationUid })
    // The dialog shows the progress of the operation.
    return replace(`/dashboard/plans/${planUid}/renew/`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error renewing access. Please try again later.')
}

export default function RenewPlan() {
  const answer = useActionData<{ preview?: RenewalPreview } | null>()
  return <RenewDialog {...useLoaderData<typeof loader>()} preview={answer?.preview ?? null} />
}
