import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { BulkProgress } from '~/components/console/bulk/bulk-progress.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withButton } from '~/http/respond.server.ts'
import { getBulkView } from '~/pages/bulk-operation.server.ts'
import { cancelBulkOperation } from '~/services/bulk/bulk.server.ts'

export const meta = pageTitle('Dashboard : Operation')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return { operation: await getBulkView(ctx, { operationUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

/** Cancels the operation. If it has already ended, the page says how. */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withButton(args, ctx, async () => {
    await cancelBulkOperation(ctx, { operationUid: args.params.uid ?? '' })
    return null
  })
}

export default function Operation() {
  const { operation } = useLoaderData<typeof loader>()
  return (
    <>
      <h1>{operation.title}</h1>
      <BulkProgress operation={operation} />
    </>
  )
}
