import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { PlanDialog } from '~/components/console/plans/plan-dialogs.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { createAccessPlan } from '~/services/access/plans.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Access Plans')

export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'plans')
  return { uid: randomUUID() }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  return withForm(args, ctx, async (form) => {
    // With the uid of the page, a form that is sent twice creates one plan.
    const input = { uid: text(form, 'uid'), name: text(form, 'name'), isPublic: form.has('isPublic') }
    const { name } = await createAccessPlan(ctx, input)
    return redirectWithNotice(args, '/dashboard/plans/', { kind: 'success', text: `Plan “${name}” has been added.` })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving access plan. Please try again later.')
}

export default function AddPlan() {
  const { uid } = useLoaderData<typeof loader>()
  return <PlanDialog uid={uid} plan={null} />
}
