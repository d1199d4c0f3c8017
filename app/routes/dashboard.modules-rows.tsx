import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listModuleTableBatch } from '~/pages/module-table.server.ts'

/** The rows of the table of modules, a hundred at a time by cursor. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const after = new URL(args.request.url).searchParams.get('after')
  const batch = await listModuleTableBatch(ctx, { after }).catch(throwAsPage)
  return Response.json(batch, { headers: { 'Cache-Control': 'no-store' } })
}
