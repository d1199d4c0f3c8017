import type { LoaderFunctionArgs } from '@remix-run/node'
import { trashTable } from '~/forms/trash.ts'
import { requireConsole } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { listTrashBatch, listTrashKeysFound } from '~/pages/trash.server.ts'

/**
 * Rows for the table of the trash: a hundred at a time (`after`). With `uids`, it returns the keys that the table's
 * query finds.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { searchParams } = new URL(args.request.url)
  const answer = searchParams.has('uids')
    ? listTrashKeysFound(ctx, readTableQuery(searchParams, trashTable))
    : listTrashBatch(ctx, { after: searchParams.get('after') })
  return Response.json(await answer.catch(throwAsPage), { headers: { 'Cache-Control': 'no-store' } })
}
