import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { mostPicked, PickerExample, pickerExampleForm } from '~/components/console/parts/picker.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { modulesToPick, requireParts } from '~/pages/parts.server.ts'
import { answerPicker, loadPicker, withPicker } from '~/pages/picker.server.ts'
import { parseInput } from '~/services/input.ts'
import { listModulesByUid } from '~/services/modules/modules.server.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireParts(args)
  return loadPicker(modulesToPick(ctx, { field: 'chosen', most: mostPicked }), args.request)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  const source = modulesToPick(ctx, { field: 'chosen', most: mostPicked })
  const answer = await withForm(args, ctx, async (form) => {
    const picker = await answerPicker(source, form)
    if (picker) return { picker }
    const { chosen } = parseInput(pickerExampleForm, Object.fromEntries(form))
    const names = [...(await listModulesByUid(ctx, chosen)).values()].map(({ name }) => name)
    const text = `Received ${names.length === 1 ? '1 module' : `${names.length} modules`}: ${names.join(', ')}`
    return redirectWithNotice(args, '/dashboard/parts/picker/', { kind: 'success', text })
  })
  return withPicker(source, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the list. Please try again later.')
}

export default PickerExample
