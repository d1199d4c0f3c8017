import type { LoaderFunctionArgs } from '@remix-run/node'
import { modulesTable } from '~/forms/module-tables.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { findModuleFilterOptions, listModuleTableBatch, listModuleTableChanges } from '~/pages/module-table.server.ts'
import { listModuleUidsFound } from '~/services/modules/table.server.ts'

/**
 * Rows for the table of modules: a hundred at a time by cursor (`after`), or the changes since a state of the list
 * (`since`). With `uids`, it returns the uids that the table's query finds; with `options`, the options of that filter
 * whose names contain `search`.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { searchParams } = new URL(args.request.url)
  const answer = await answerTo(ctx, searchParams).catch(throwAsPage)
  return Response.json(answer, { headers: { 'Cache-Control': 'no-store' } })
}

async function answerTo(ctx: SignedIn, params: URLSearchParams): Promise<unknown> {
  const state = params.get('since')
  if (state !== null) return listModuleTableChanges(ctx, { state })
  if (params.has('uids')) return listModuleUidsFound(ctx, readTableQuery(params, modulesTable))
  const filter = params.get('options')
  if (filter !== null) return findModuleFilterOptions(ctx, { filter, search: params.get('search') ?? '' })
  return listModuleTableBatch(ctx, { after: params.get('after') })
}
