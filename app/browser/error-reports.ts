import { useEffect } from 'react'

/**
 * Tells the server's log what went wrong in the browser (L-226, L-248, L-260; docs/decisions/010). Never who it happened to, what was typed or
 * what was asked for.
 */
type Report = {
  kind: 'answer' | 'error' | 'page'
  message: string
  stack?: string
  status?: number
  attempt?: number
  /** Of the answer that failed, to be found in the log beside it. */
  request?: string | null
}

/** A page that fails in a loop tells no more after this. */
const most = 30
let build = ''
let told = 0

/** Off without a build number: what is being developed is looked at where it runs. */
export function startErrorReports(buildNumber: string): void {
  if (!buildNumber || buildNumber === 'development') return
  build = buildNumber
  window.addEventListener('error', ({ error, message }) => reportError('error', error ?? message))
  window.addEventListener('unhandledrejection', ({ reason }) => reportError('error', reason))
}

/** What a page's error boundary shows. An answer that the server gave on purpose is none. */
export function useErrorReport(error: unknown): void {
  useEffect(() => {
    if (error instanceof Error) reportError('page', error)
  }, [error])
}

export function reportError(kind: 'error' | 'page', error: unknown): void {
  if (!(error instanceof Error)) report({ kind, message: String(error) })
  else if (error.name !== 'AbortError') {
    report({ kind, message: `${error.name}: ${error.message}`, stack: error.stack })
  }
}

export function reportAnswer(method: string, path: string, answer: Response, attempt: number): void {
  report({
    kind: 'answer',
    message: `${method} ${path}`,
    status: answer.status,
    attempt,
    request: answer.headers.get('X-Request-Id'),
  })
}

function report(what: Report): void {
  if (!build || told >= most) return
  told += 1
  const { message, stack } = what
  const body = { ...what, message: message.slice(0, 300), stack: stack?.slice(0, 2000), build, path: location.pathname }
  fetch(reportAddress, {
    method: 'POST',
    keepalive: true,
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {})
}

export const reportAddress = '/client-error/'
