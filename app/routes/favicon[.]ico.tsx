import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { brandOf, contextFor } from '~/http/context.server.ts'

/** Asked for by browsers on their own, where a page does not name its icon: a file, plain text. */
export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { palette } = brandOf(await contextFor(args))
  return redirect(`/brand/${palette}.svg`, { headers: { 'Cache-Control': 'public, max-age=86400', Vary: 'Host' } })
}
