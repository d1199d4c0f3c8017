import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { brandOf, contextFor } from '~/http/context.server.ts'

/** Browsers request this themselves if a page does not name its icon, such as a file or plain text. */
export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { palette } = brandOf(await contextFor(args))
  return redirect(`/brand/${palette}.svg`, { headers: { 'Cache-Control': 'public, max-age=86400', Vary: 'Host' } })
}
