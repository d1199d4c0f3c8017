import { reportAddress, reportAnswer } from './error-reports.ts'
import { notifyAfterReload } from './kept-notices.ts'
import { notify } from './notices.ts'
import { reloadOnceAddress } from './reload-once.ts'
import {
  currentNavigation,
  hasClientAction,
  isRemixResponse,
  isRouterPath,
  manifestPath,
  pagePathsOf,
  shownLocation,
} from './remix-internals.ts'
import { notifyUnreachable, stayOnPage, watchConnection, whenBack } from './stay-on-page.ts'
import { threeAttempts } from './three-attempts.ts'

/**
 * Every request of this page to its server passes through here: the router's and our own. This is the one place for the
 * three attempts on 5xx (L-225), for the reports about them (L-226), and for keeping the page when no answer comes.
 * docs/decisions/010 has the table of cases.
 */
type Call = { method: string; url: URL; signal: AbortSignal | null | undefined; isRouters: boolean }

/** Sentences that the specification gives for a form that is part of every page (L-254). */
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

/** Null for requests to other servers, and for error reports, whose own failures are not reported. */
function callOf(input: RequestInfo | URL, init: RequestInit | undefined): Call | null {
  const request = input instanceof Request ? input : null
  const url = new URL(request?.url ?? String(input), window.location.href)
  if (url.origin !== window.location.origin || url.pathname === reportAddress) return null
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    url,
    signal: init?.signal ?? request?.signal,
    isRouters: isRouterPath(url.pathname),
  }
}

async function answerTo(call: Call, send: () => Promise<Response>): Promise<Response> {
  const { method, url, signal, isRouters } = call
  let answer: Response | null = null
  const isBack = watchConnection()
  try {
    answer = await threeAttempts(isRouters ? () => send().then(readWhole) : send, {
      // Uploads retry by themselves and show their progress.
      attempts: url.pathname.startsWith('/uploads/') ? 1 : 3,
      signal,
      onFailed: (failed, attempt) => reportAnswer(method, url.pathname, failed, attempt),
    })
  } catch (error) {
    if (!isRouters || signal?.aborted) throw error
    if (hasOwnWords(call)) {
      isNotified = true
      throw error
    }
    // Nobody knows whether the server received a post, so it is not sent again automatically.
    if (method !== 'GET' && !isNavigation(call)) throw error
  }
  if (answer && answer.status < 500) {
    // The manifest may come from the browser's cache and proves nothing about the connection.
    if (isRouters && url.pathname !== manifestPath && isBack()) isNotified = false
    return isStale(answer) ? whenAborted(signal) : answer
  }
  if (answer && (!isRouters || isForItsPage(call, answer))) return answer
  // Staying is a navigation too, and the router may ask for the routes of the page that it is on. Those have not
  // changed.
  if (isAboutThisPage(call)) return Response.json({})
  if (isNavigation(call)) {
    notifyFailed(call, answer)
    stayOnPage()
    return whenAborted(signal)
  }
  // Nobody waits for this answer with an error page of its own, so it is asked for again once the server is back.
  notifyOnce()
  await whenBack()
  if (signal?.aborted) throw signal.reason
  return answerTo(call, send)
}

/**
 * Reads an answer to its end before the router sees it. The router reads answers as streams, and navigating away before
 * the end leaves a rejected promise in turbo-stream that nobody catches. Our answers stream nothing, so nothing is
 * lost; and a connection that breaks in the middle of an answer counts as no answer.
 */
async function readWhole(answer: Response): Promise<Response> {
  if (answer.body === null) return answer
  const { status, statusText, headers } = answer
  return new Response(await answer.arrayBuffer(), { status, statusText, headers })
}

/** True where the page or the form that was asked for shows the failure itself. */
function isForItsPage(call: Call, answer: Response): boolean {
  if (call.method !== 'GET') return hasOwnWords(call) || !isNavigation(call)
  return isNavigation(call) && isRemixResponse(answer)
}

/** True for a post of a form that explains failures beside itself (failed-posts.ts). */
function hasOwnWords({ method, url }: Call): boolean {
  const [path = ''] = pagePathsOf(url)
  return method !== 'GET' && hasClientAction(path)
}

function isAboutThisPage({ url }: Call): boolean {
  if (url.pathname !== manifestPath) return false
  const here = withoutSlash(shownLocation().pathname)
  return pagePathsOf(url).every((path) => withoutSlash(path) === here)
}

function isNavigation({ url }: Call): boolean {
  const { location } = currentNavigation()
  if (!location) return false
  return pagePathsOf(url).some((path) => withoutSlash(path) === withoutSlash(location.pathname))
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '')
}

/** Reloads a page whose one-button form carried an expired token, once. The next press works (L-259). */
function isStale({ headers }: Response): boolean {
  if (headers.get('X-CSRF-Failure') !== 'reload') return false
  const address = reloadOnceAddress(window.location.href)
  if (!address) return false
  notifyAfterReload({ kind: 'info', text: staleText })
  window.location.replace(address)
  return true
}

function notifyFailed(call: Call, answer: Response | null): void {
  const [path = ''] = pagePathsOf(call.url)
  const text = call.method === 'GET' ? undefined : failedTexts[withoutSlash(path)]
  if (text) notify({ kind: 'error', text })
  else if (answer && isRemixResponse(answer)) notify({ kind: 'error', text: faultText })
  else notifyUnreachable()
}

let isNotified = false

function notifyOnce(): void {
  if (!isNotified) notifyUnreachable()
  isNotified = true
}

/** Settles only when the request is aborted. */
function whenAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
