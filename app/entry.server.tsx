import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ActionFunctionArgs, AppLoadContext, EntryContext, LoaderFunctionArgs } from '@remix-run/node'
import { RemixServer } from '@remix-run/react'
import { renderToPipeableStream } from 'react-dom/server'
import { holdScripts } from '~/browser/remix-internals.ts'
import { documentContext } from './components/layout/shell.ts'
import { brands } from './config/brands.ts'
import { buildNumber } from './config/build.server.ts'
import { env } from './config/env.server.ts'
import { type Exchange, routeOf } from './http/exchange.server.ts'
import { outageOf } from './services/errors.ts'
import { siteKeyOfHost } from './services/sites/sites.server.ts'

export { edge } from './edge/index.server.ts'
export { jobs } from './jobs/index.server.ts'

/** Loaders that have not answered by then are given up; the stream ends a second later. */
export const streamTimeout = 10_000

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { exchange }: AppLoadContext,
): Promise<Response> {
  const brand = brands[siteKeyOfHost(exchange.host, env().NS_HOST_SUFFIXES)]
  const { nonce, requestId } = exchange
  status = statusIn(exchange, status)
  headers.set('Content-Type', 'text/html; charset=utf-8')
  // Every page says who is signed in, so none may be shown again after they left.
  headers.set('Cache-Control', 'private, no-store')
  return new Promise((resolve, reject) => {
    let answer = status
    const stream = renderToPipeableStream(
      <documentContext.Provider
        value={{
          nonce,
          requestId,
          brand,
          palette: brand.palette,
          product: brand.name,
          build: buildNumber(),
          eventPath: env().EVENT_PATH,
        }}
      >
        <RemixServer context={remixContext} url={request.url} nonce={nonce} />
      </documentContext.Provider>,
      {
        nonce,
        // No page defers data, so the whole document is there at once; sent in one piece it costs a fraction of what hundreds
        // of small writes do.
        onAllReady() {
          clearTimeout(timer)
          const body = new PassThrough({ highWaterMark: 512 * 1024 })
          resolve(text(body).then((document) => new Response(tidied(document), { headers, status: answer })))
          stream.pipe(body)
        },
        onShellError: reject,
        onError(error: unknown) {
          answer = 500
          exchange.log.error({ err: error }, 'a page failed while it was rendered')
        },
      },
    )
    const timer = setTimeout(() => stream.abort(), streamTimeout + 1000)
  })
}

/**
 * React 18 encodes a document in blocks of 2 KB. Where a character of several bytes does not fit at the end of one, it
 * leaves NUL bytes there, which a browser would show as U+FFFD in the value of a field.
 */
function tidied(document: string): string {
  return holdScripts(document.replaceAll('\0', ''))
}

export function handleDataRequest(
  response: Response,
  { context: { exchange } }: LoaderFunctionArgs | ActionFunctionArgs,
): Response {
  response.headers.set('Cache-Control', 'private, no-store')
  const { headers, status } = response
  return status === 500 ? new Response(response.body, { headers, status: statusIn(exchange, status) }) : response
}

/** An outage that struck in the middle of a page is no fault, and tells clients when to come back. */
function statusIn(exchange: Exchange, status: number): number {
  return status === 500 && exchange.memo.has('outage') ? 503 : status
}

/** What no route answers for. Refusals (404, 403 …) are answers and not logged here. */
export function handleError(error: unknown, { request, context }: LoaderFunctionArgs | ActionFunctionArgs): void {
  if (request.signal.aborted) return
  const status = error !== null && typeof error === 'object' && 'status' in error ? Number(error.status) : 500
  if (status < 500) return
  const { log, memo, method, url, setHeader } = context.exchange
  log.error({ err: error, method, route: routeOf(url) }, 'a page failed')
  const outage = outageOf(error)
  if (!outage) return
  memo.set('outage', true)
  setHeader('Retry-After', String(outage.retryAfter))
}
