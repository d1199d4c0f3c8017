import { useEffect } from 'react'

/**
 * Reports errors in the browser to the server's log (L-226, L-248, L-260; docs/decisions/010). A report never says who
 * the person is, what was typed or which content was requested.
 */
type Report = {
  kind: 'answer' | 'error' | 'page'
  message: string
  stack?: string
  status?: number
  attempt?: number
  /** The request id of the failed answer, to find it in the log. */
  request?: string | null
}

/** The limit for one page, so that a page that fails in a loop stops reporting. */
const maxReports = 30
let build = ''
let reportCount = 0

/** Reports are off without a build number: developers see errors in their own browser. */
export function startErrorReports(buildNumber: string): void {
  if (!buildNumber || buildNumber === 'development') return
  build = buildNumber
  window.addEventListener('error', ({ error, message }) => reportError('error', error ?? message))
  window.addEventListener('unhandledrejection', ({ reason }) => reportError('error', reason))
}

/** Reports the error that a page's error boundary shows, unless it is an answer that the server gave on purpose. */
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
  if (!build || reportCount >= maxReports) return
  reportCount += 1
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
