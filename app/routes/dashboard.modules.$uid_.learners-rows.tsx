import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listLearnerBatch } from '~/pages/module-report.server.ts'

/** Rows of a module's learner list, thousands at a time by cursor. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const after = new URL(args.request.url).searchParams.get('after')
  const batch = await listLearnerBatch(ctx, { moduleUid: args.params.uid ?? '', after }).catch(throwAsPage)
  return Response.json(batch, { headers: { 'Cache-Control': 'no-store' } })
}
