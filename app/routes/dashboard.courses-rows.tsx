import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { listCourseFilterOptions, listCourseTableBatch, listCourseTableChanges } from '~/pages/course-table.server.ts'

/**
 * Rows for the table of courses: a hundred at a time by cursor (`after`), or the changes since a state of the list
 * (`since`). With `options`, it returns the options of that filter whose names contain `search`.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { searchParams } = new URL(args.request.url)
  const answer = await answerTo(ctx, searchParams).catch(throwAsPage)
  return Response.json(answer, { headers: { 'Cache-Control': 'no-store' } })
}

async function answerTo(ctx: SignedIn, params: URLSearchParams): Promise<unknown> {
  const state = params.get('since')
  if (state !== null) return listCourseTableChanges(ctx, { state })
  const filter = params.get('options')
  if (filter === null) return listCourseTableBatch(ctx, { after: params.get('after') })
  const options = await listCourseFilterOptions(ctx, { search: params.get('search') ?? '' })
  return filter === 'group' || filter === 'author' ? options[filter] : []
}
