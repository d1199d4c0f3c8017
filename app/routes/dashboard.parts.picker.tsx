import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { mostPicked, PickerExample, pickerExampleForm } from '~/components/console/parts/picker.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { answerPicker, loadPicker, type PickerSource, withPicker } from '~/pages/picker.server.ts'
import type { Ctx } from '~/services/context.ts'
import { parseInput } from '~/services/input.ts'
import { listModulesByUid } from '~/services/modules/modules.server.ts'
import { listModulePage } from '~/services/modules/table.server.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireParts(args)
  return loadPicker(modulesOf(ctx), args.request)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  const source = modulesOf(ctx)
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

function modulesOf(ctx: Ctx): PickerSource {
  return {
    most: mostPicked,
    list: async ({ search, page, size }) => {
      const { items, total } = await listModulePage(ctx, { search, page, size, sort: 'name' })
      const candidates = items.map(({ uid, name, publishedVersion }) => ({
        uid,
        name,
        problem: publishedVersion !== null ? null : 'Not published yet',
      }))
      return { candidates, total }
    },
    find: async (uids) => {
      const modules = await listModulesByUid(ctx, uids)
      return new Map([...modules].map(([uid, { name }]) => [uid, { uid, name }]))
    },
  }
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the list. Please try again later.')
}

export default PickerExample
