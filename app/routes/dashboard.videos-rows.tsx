import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { answerFilmTable } from '~/pages/film-table.server.ts'

/** Rows for the table of videos: see `source` in components/console/grid/types.ts. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { searchParams } = new URL(args.request.url)
  const answer = await answerFilmTable(ctx, 'video', searchParams).catch(throwAsPage)
  return Response.json(answer, { headers: { 'Cache-Control': 'no-store' } })
}
