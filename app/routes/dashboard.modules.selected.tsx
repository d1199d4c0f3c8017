import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData, useOutletContext } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { ChangeModules } from '~/components/console/modules/change-modules.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { isDocumentPost, requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { selectedIn } from '~/http/selection.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getModulesChangeView } from '~/pages/modules-change.server.ts'
import { awaitBulkOperation, dismissBulkOperation } from '~/services/bulk/bulk.server.ts'
import { parseInput } from '~/services/input.ts'
import {
  getModulesOperation,
  prepareModulesChange,
  restoreDeletedModules,
  startModulesChange,
} from '~/services/modules/change-many.server.ts'
import type { ModulesContext } from './dashboard.modules.tsx'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const operationUid = new URL(args.request.url).searchParams.get('operation')
  return { view: operationUid === null ? null : await getModulesChangeView(ctx, { operationUid }).catch(throwAsPage) }
}

/**
 * The table sends what is selected, which makes an operation. The question about it, Undo and the notice above the table
 * send the operation.
 */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async (form) => {
    const change = text(form, 'intent')
    const operationUid = text(form, 'operation')
    const { search } = new URL(args.request.url)
    if (operationUid === '') {
      const prepared = await prepareModulesChange(ctx, { change, moduleUids: selectedIn(form) })
      return redirect(addressOf(prepared, search))
    }
    if (change === 'dismiss') {
      await dismissBulkOperation(ctx, { operationUid })
      return replace(`/dashboard/modules/${tableSearch(search)}`)
    }
    if (change === 'restore') {
      const restoring = await restoreDeletedModules(ctx, { operationUid })
      if (isDocumentPost(args)) await awaitBulkOperation(ctx, restoring)
      return replace(addressOf(restoring, search))
    }
    const operation = await getModulesOperation(ctx, { operationUid })
    if (operation.change === 'delete') parseInput(confirmDeleteForm, Object.fromEntries(form))
    await startModulesChange(ctx, { operationUid })
    if (isDocumentPost(args)) await awaitBulkOperation(ctx, { operationUid })
    return replace(addressOf({ operationUid }, search))
  })
}

function addressOf({ operationUid }: { operationUid: string }, search: string): string {
  const table = tableSearch(search).replace('?', '&')
  return `/dashboard/modules/selected/?operation=${operationUid}${table}`
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error changing modules. Please try again later.')
}

export default function ChangeSelected() {
  const { view } = useLoaderData<typeof loader>()
  const { deselect } = useOutletContext<ModulesContext>()
  return <ChangeModules view={view} onDone={deselect} />
}
