import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { PlanDialog } from '~/components/console/plans/plan-dialogs.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { type PlanValues, planFormId } from '~/forms/plans.ts'
import { pageTitle } from '~/http/meta.ts'
import { revisionIn, text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { answerSave } from '~/pages/content-forms.server.ts'
import { getAccessPlan, updateAccessPlan } from '~/services/access/plans.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Access Plans')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  return { plan: await getAccessPlan(ctx, { planUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'plans')
  const planUid = args.params.uid ?? ''
  return withForm(args, ctx, async (form) => {
    const values = { name: text(form, 'name'), isPublic: form.has('isPublic') }
    return answerSave(args, ctx, form, {
      noun: 'plan',
      place: '/dashboard/plans/',
      notice: ({ name }) => `Plan “${name}” has been saved.`,
      save: () => updateAccessPlan(ctx, { ...values, planUid, revision: revisionIn(form) }),
      merged: ({ now }) => ({
        formId: planFormId(planUid, now.revision),
        valuesOf: (field) => {
          const { name, isPublic } = now.state as PlanValues
          return { [field]: field === 'name' ? name : isPublic ? 'on' : [] }
        },
      }),
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving access plan. Please try again later.')
}

export default function EditPlan() {
  const { plan } = useLoaderData<typeof loader>()
  return <PlanDialog uid={plan.uid} plan={plan} />
}
