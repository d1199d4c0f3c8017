import type { LoaderFunctionArgs } from '@remix-run/node'
import { userTables, userTabOf } from '~/forms/user-tables.ts'
import { requireAdmin, type SignedIn } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { readWholeQuery } from '~/http/table-page.server.ts'
import { findUserFilterOptions, listUserTableBatch, listUserTableChanges } from '~/pages/user-table.server.ts'
import { listUserUidsFound } from '~/services/users/table.server.ts'

/**
 * Rows for a table of users: a hundred at a time by cursor (`after`), or the changes since a state of the list (`since`).
 * With `uids`, it returns the uids that the table's query finds; with `options`, the options of that filter whose names
 * contain `search`.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { searchParams } = new URL(args.request.url)
  const answer = await answerTo(ctx, args.params.tab, searchParams).catch(throwAsPage)
  return Response.json(answer, { headers: { 'Cache-Control': 'no-store' } })
}

async function answerTo(ctx: SignedIn, name: string | undefined, params: URLSearchParams): Promise<unknown> {
  const tab = userTabOf(name)
  const state = params.get('since')
  if (state !== null) return listUserTableChanges(ctx, { tab, state })
  if (params.has('uids')) return listUserUidsFound(ctx, { ...readWholeQuery(params, userTables[tab]), tab })
  const filter = params.get('options')
  if (filter !== null) return findUserFilterOptions(ctx, { filter, search: params.get('search') ?? '' })
  return listUserTableBatch(ctx, { tab, after: params.get('after') })
}
