import type { LoaderFunctionArgs } from '@remix-run/node'
import { drawCover, isCoverPalette, isCoverPhase } from '~/lib/cover.ts'

/** Serves a drawn cover. Only the address decides what it looks like, so no cookie is read. */
export async function loader({ params }: LoaderFunctionArgs): Promise<Response> {
  const { palette, phase, picture } = params
  const seed = /^([0-9a-f]{1,8})\.svg$/.exec(picture ?? '')?.[1]
  if (!seed || !isCoverPalette(palette) || !isCoverPhase(phase)) {
    return new Response('Not found.', { status: 404, headers: { 'Content-Type': 'text/plain' } })
  }
  return new Response(drawCover(Number.parseInt(seed, 16), phase, palette), {
    headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=31536000, immutable' },
  })
}
