import type { LoaderFunctionArgs } from '@remix-run/node'
import { contextFor } from '~/http/context.server.ts'
import { checkLaunchSession } from '~/services/cmi5/cmi5.server.ts'

/**
 * Answers whether the viewer's session may continue. The tab asks when it becomes visible. A signed-out viewer may not
 * continue. `?behind` asks for the viewer behind a unit's own window, which may have been loaded again.
 */
export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  const ctx = await contextFor(args)
  const isFollowed = new URL(args.request.url).searchParams.has('behind')
  const check = ctx.viewer
    ? await checkLaunchSession(ctx, { auLaunchSessionUid: args.params.uid ?? '', isFollowed })
    : { status: false, error: 'Login required.' }
  return Response.json(check, { headers: { 'Cache-Control': 'no-store' } })
}
