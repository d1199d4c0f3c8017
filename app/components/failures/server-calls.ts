import { matchRoutes } from '@remix-run/react'
import { reloadOnceAddress } from '~/lib/reload-once.ts'
import { threeAttempts } from '~/lib/three-attempts.ts'
import { notifyAfterReload } from '../ui/kept-notices.ts'
import { notify } from '../ui/notices.tsx'
import { reportAddress, reportAnswer } from './error-reports.ts'
import { stayHere, tellUnreachable, whenAsked, whenBack } from './stay-here.ts'

/**
 * All that this page asks of the server passes here: what the router asks for pages and actions, and our own calls. It is the one place of the three
 * attempts on 5xx (L-225), of the reports of them (L-226), and of what keeps the page when no answer comes. docs/decisions/010 has the table.
 */
type Call = { method: string; url: URL; signal: AbortSignal | null | undefined; isRouters: boolean }

/** Where the specification has words of its own for a form that is part of every page (L-254). */
const failedTexts: Record<string, string> = { '/logout': 'Error logging out.' }
const faultText = 'Something went wrong on our side. Please try again.'
const staleText = 'This page was open for too long. Nothing was lost: please try again.'

export function watchServerCalls(): void {
  const native = window.fetch.bind(window)
  window.fetch = (input, init) => {
    const call = callOf(input, init)
    if (!call) return native(input, init)
    return answerTo(call, () => native(input instanceof Request ? input.clone() : input, init))
  }
}

/** Null for what is not asked of our server, and for the reports, which are not told of in their turn. */
function callOf(input: RequestInfo | URL, init: RequestInit | undefined): Call | null {
  const request = input instanceof Request ? input : null
  const url = new URL(request?.url ?? String(input), window.location.href)
  if (url.origin !== window.location.origin || url.pathname === reportAddress) return null
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    url,
    signal: init?.signal ?? request?.signal,
    isRouters: url.pathname.endsWith('.data') || url.pathname === '/__manifest',
  }
}

async function answerTo(call: Call, send: () => Promise<Response>): Promise<Response> {
  const { method, url, signal, isRouters } = call
  let answer: Response | null = null
  const isBack = whenAsked()
  try {
    answer = await threeAttempts(isRouters ? () => send().then(whole) : send, {
      // An upload tries again by itself, with its progress.
      attempts: url.pathname.startsWith('/uploads/') ? 1 : 3,
      signal,
      onFailed: (failed, attempt) => reportAnswer(method, url.pathname, failed, attempt),
    })
  } catch (error) {
    if (!isRouters || signal?.aborted) throw error
    if (hasOwnWords(call)) {
      isTold = true
      throw error
    }
    // Nobody knows what became of a post: it is not sent again by itself.
    if (method !== 'GET' && !isNavigation(call)) throw error
  }
  if (answer && answer.status < 500) {
    // What the router knows of routes may come from the browser's cache.
    if (isRouters && url.pathname !== '/__manifest' && isBack()) isTold = false
    return isStale(answer) ? whenGone(signal) : answer
  }
  if (answer && (!isRouters || isForItsPage(call, answer))) return answer
  // To stay is a navigation, too, before which the router may want to hear of the page that it is on. There is no news of that.
  if (isOfThisPage(call)) return Response.json({})
  if (isNavigation(call)) {
    tellFailed(call, answer)
    stayHere()
    return whenGone(signal)
  }
  // Nobody waits for it with an error page of its own: it is asked for again when it can be had.
  tellOnce()
  await whenBack()
  if (signal?.aborted) throw signal.reason
  return answerTo(call, send)
}

/**
 * The router reads answers as streams, and whoever goes on between the last line of one and its end leaves a rejected promise in turbo-stream that nobody
 * catches. Ours stream nothing, so nothing is lost by reading to the end; and a line that breaks in the midst of an answer is as good as no answer.
 */
async function whole(answer: Response): Promise<Response> {
  if (answer.body === null) return answer
  const { status, statusText, headers } = answer
  return new Response(await answer.arrayBuffer(), { status, statusText, headers })
}

/** The page that was asked for says by itself that it failed, and so does a form that was posted. */
function isForItsPage(call: Call, answer: Response): boolean {
  if (call.method !== 'GET') return hasOwnWords(call) || !isNavigation(call)
  return isNavigation(call) && isOurs(answer)
}

/** Made by the router's other half, and not by a proxy that found nobody. */
function isOurs({ headers }: Response): boolean {
  return headers.has('X-Remix-Response')
}

/** A route whose form says beside itself what became of a post (components/ui/unanswered.ts). */
function hasOwnWords({ method, url }: Call): boolean {
  if (method === 'GET') return false
  const leaf = matchRoutes(window.__remixRouter.routes, pathOf(url))?.at(-1)
  return leaf?.route.id !== undefined && window.__remixManifest.routes[leaf.route.id]?.hasClientAction === true
}

function isOfThisPage({ url }: Call): boolean {
  if (url.pathname !== '/__manifest') return false
  const here = plain(window.__remixRouter.state.location.pathname)
  return url.searchParams.getAll('p').every((path) => plain(path) === here)
}

function isNavigation({ url }: Call): boolean {
  const { location } = window.__remixRouter.state.navigation
  if (!location) return false
  const paths = url.pathname === '/__manifest' ? url.searchParams.getAll('p') : [pathOf(url)]
  return paths.some((path) => plain(path) === plain(location.pathname))
}

function pathOf({ pathname }: URL): string {
  return pathname === '/_root.data' ? '/' : pathname.replace(/\.data$/, '')
}

function plain(path: string): string {
  return path.replace(/\/+$/, '')
}

/** A one-button form of an old page, whose token is no longer good: the page is loaded again, once, and the next press works (L-259). */
function isStale({ headers }: Response): boolean {
  if (headers.get('X-CSRF-Failure') !== 'reload') return false
  const address = reloadOnceAddress(window.location.href)
  if (!address) return false
  notifyAfterReload({ kind: 'info', text: staleText })
  window.location.replace(address)
  return true
}

function tellFailed(call: Call, answer: Response | null): void {
  const text = call.method === 'GET' ? undefined : failedTexts[plain(pathOf(call.url))]
  if (text) notify({ kind: 'error', text })
  else if (answer && isOurs(answer)) notify({ kind: 'error', text: faultText })
  else tellUnreachable()
}

let isTold = false

function tellOnce(): void {
  if (!isTold) tellUnreachable()
  isTold = true
}

/** Settles only when whoever asked has gone. */
function whenGone(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
