import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData, useOutletContext } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ChangeModules } from '~/components/console/modules/change-modules.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import type { ModulesChange } from '~/forms/change-modules.ts'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { mostAtOnce } from '~/forms/module-tables.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { parseInput } from '~/services/input.ts'
import { changeModules } from '~/services/modules/change-many.server.ts'
import { listModulesByUid } from '~/services/modules/modules.server.ts'
import { listModuleFigures } from '~/services/modules/statistics.server.ts'
import type { ModulesContext } from './dashboard.modules.tsx'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { searchParams } = new URL(args.request.url)
  const asked = searchParams.get('intent')
  const intent: Exclude<ModulesChange, 'restore'> = asked === 'delete' || asked === 'unpublish' ? asked : 'publish'
  const uids = searchParams.getAll('uid').slice(0, mostAtOnce)
  const modules = await listModulesByUid(ctx, uids).catch(throwAsPage)
  const figures = await listModuleFigures(ctx, [...modules.keys()]).catch(throwAsPage)
  return {
    intent,
    modules: [...modules.values()]
      .map(({ uid, name }) => ({ uid, name, starts: figures.get(uid)?.numStarts ?? 0 }))
      .sort((one, other) => one.name.localeCompare(other.name, 'en')),
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async (form) => {
    const change = text(form, 'intent')
    if (change === 'delete') parseInput(confirmDeleteForm, Object.fromEntries(form))
    const results = await changeModules(ctx, { change, moduleUids: form.getAll('uid').map(String) })
    return { change: change as ModulesChange, results }
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error changing modules. Please try again later.')
}

export default function ChangeSelected() {
  const { intent, modules } = useLoaderData<typeof loader>()
  const { deselect } = useOutletContext<ModulesContext>()
  return <ChangeModules intent={intent} modules={modules} onChanged={deselect} />
}
