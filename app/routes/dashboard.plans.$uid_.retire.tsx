import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getAccessPlan, retireAccessPlan } from '~/services/access/plans.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Access Plans')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  return getAccessPlan(ctx, { planUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  return withForm(args, ctx, async (form) => {
    const isRetired = text(form, 'intent') !== 'offer'
    const { name } = await retireAccessPlan(ctx, { planUid: args.params.uid ?? '', isRetired })
    const done = isRetired ? `Plan “${name}” has been retired.` : `Plan “${name}” is offered again.`
    return redirectWithNotice(args, '/dashboard/plans/', { kind: 'success', text: done })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving access plan. Please try again later.')
}

export default function RetirePlan() {
  const { name, isRetired } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title={isRetired ? 'Offer Plan Again' : 'Retire Plan'}
      question={
        <>
          <p className="dlg-question">
            {isRetired ? `Do you want to offer “${name}” again?` : `Do you want to retire “${name}”?`}
          </p>
          <p className="muted">
            {isRetired
              ? 'It can be given to people again.'
              : 'Nobody new gets it. Learners who have it keep it until their access ends. You can offer it again at any time.'}
          </p>
        </>
      }
      actionLabel={isRetired ? 'Offer again' : 'Retire'}
      intent={isRetired ? 'offer' : 'retire'}
      closeTo="/dashboard/plans/"
    />
  )
}
