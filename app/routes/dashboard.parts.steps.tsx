import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { StepsExample } from '~/components/console/parts/steps.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { parseForm } from '~/forms/parse.ts'
import { partSteps, partStepsForm } from '~/forms/parts.ts'
import { formValues, openStep, stepField } from '~/forms/steps.ts'
import { answerStep } from '~/http/form-steps.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { Invalid } from '~/services/errors.ts'

export const handle = dialogHandle

/** The example keeps its draft in the address, where a section would have it in the database. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireParts(args)
  const params = new URL(args.request.url).searchParams
  const draft = {
    title: params.get('title') ?? '',
    summary: params.get('summary') ?? '',
    people: params.getAll('people'),
    sendAt: params.get('sendAt') ?? '',
    expiresAt: params.get('expiresAt') ?? '',
  }
  return { draft, open: openStep(partStepsForm(ctx.site.timeZone), partSteps, draft, params.get(stepField)) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  const schema = partStepsForm(ctx.site.timeZone)
  return withForm(args, ctx, async (form) => {
    const answer = await answerStep(args, ctx, form, { steps: partSteps, schema, saveDraft })
    if (answer) return answer
    const parsed = parseForm(schema, formValues(form))
    if (!parsed.ok) throw new Invalid(Object.values(parsed.errors)[0] ?? '', parsed.errors)
    return redirect(`?${new URLSearchParams({ received: JSON.stringify(parsed.value, null, 2) })}`)
  })
}

async function saveDraft(form: FormData): Promise<string> {
  const fields = partSteps.flatMap((step) => step.fields)
  const typed = [...form].filter((field): field is [string, string] => typeof field[1] === 'string')
  const draft = typed.filter(([name, value]) => fields.includes(name) && value !== '')
  if (draft.some(([, value]) => value.length > 200)) throw new Invalid('This draft is too long.')
  return `/dashboard/parts/steps/?${new URLSearchParams(draft)}`
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the draft. Please try again later.')
}

export default function StepsPart() {
  return <StepsExample {...useLoaderData<typeof loader>()} />
}
