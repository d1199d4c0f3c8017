import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { FieldsExample } from '~/components/console/parts/fields.tsx'
import { parseForm } from '~/forms/parse.ts'
import { partFieldsForm } from '~/forms/parts.ts'
import { formValues } from '~/forms/steps.ts'
import { withForm } from '~/http/respond.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { Invalid } from '~/services/errors.ts'

export async function loader(args: LoaderFunctionArgs) {
  await requireParts(args)
  return null
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  return withForm(args, ctx, async (form) => {
    const parsed = parseForm(partFieldsForm(ctx.site.timeZone), formValues(form))
    if (!parsed.ok) throw new Invalid(Object.values(parsed.errors)[0] ?? '', parsed.errors)
    return redirect(`?${new URLSearchParams({ received: JSON.stringify(parsed.value, null, 2) })}`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the form. Please try again later.')
}

export default function FieldsPart() {
  return <FieldsExample />
}
