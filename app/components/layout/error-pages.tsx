import { isRouteErrorResponse, useNavigate } from '@remix-run/react'
import type { MouseEvent } from 'react'
import type { Brand } from '~/config/brands.ts'
import { Icon } from '../ui/icon.tsx'
import { BrokenCurve } from './broken-curve.tsx'

export type ErrorKind = 'not-found' | 'access-error' | 'no-access' | 'signed-out' | 'internal'

/**
 * Returns which error page to show for a thrown response or error. http/context.server.ts sets the two kinds of 403.
 */
export function kindOfError(error: unknown): ErrorKind {
  if (!isRouteErrorResponse(error)) return 'internal'
  if (error.status === 404 || error.status === 405) return 'not-found'
  if (error.status === 401) return 'signed-out'
  if (error.status === 403) return error.statusText === 'No Access' ? 'no-access' : 'access-error'
  return 'internal'
}

export const errorLabels: Record<ErrorKind, string> = {
  'not-found': 'Page Not Found',
  'access-error': 'Dashboard',
  'no-access': 'Dashboard',
  'signed-out': 'Dashboard',
  internal: 'Error',
}

export const noAccessText = 'Sorry, you do not have access to this page.'
/** What people read about a failure on our side: being busy and an outage pass by themselves, anything else may not. */
export function failureTexts(error: unknown): { heading: string; text: string } {
  const isUnavailable = isRouteErrorResponse(error) && error.status === 503
  if (isUnavailable && typeof error.data === 'string' && error.data !== '') {
    return { heading: 'This page is busy at the moment', text: error.data }
  }
  return isUnavailable
    ? { heading: 'Titrate cannot reach its data at the moment', text: 'Please try again in a minute.' }
    : {
        heading: 'Something went wrong on our side',
        text: 'An internal error has occurred. Please try to refresh the page.',
      }
}

export function NotFoundPage({ brand }: { brand: Brand }) {
  return (
    <div className="wrap lost">
      <BrokenCurve />
      <h1>Page Not Found.</h1>
      <p className="lead">
        Sorry, either the page you are looking for doesn't exist or you don't have access to this content. Please
        contact us at <a href={`mailto:${brand.supportEmail}`}>{brand.supportEmail}</a> if you believe you're getting
        this message in error.
      </p>
      <BackButton />
    </div>
  )
}

export function AccessErrorPage() {
  return (
    <div className="wrap lost">
      <BrokenCurve />
      <h1>You are not currently logged in under an admin account</h1>
      <p className="lead">
        Please check your login information and make sure you are logged in as an admin to access this page.
      </p>
      <BackButton />
    </div>
  )
}

export function InternalErrorPage({ error, requestId }: { error: unknown; requestId: string | null }) {
  const { heading, text } = failureTexts(error)
  return (
    <div className="wrap lost">
      <BrokenCurve />
      <h1>{heading}</h1>
      <p className="lead">{text}</p>
      {requestId && (
        <p className="muted small">
          If you contact us about this, please include the request ID: <code>{requestId}</code>
        </p>
      )}
      <BackButton />
    </div>
  )
}

/** Goes one step back in the history; without JavaScript, or without a history, to the home page. */
function BackButton() {
  const navigate = useNavigate()
  const goBack = (event: MouseEvent) => {
    if (window.history.length <= 1) return
    event.preventDefault()
    navigate(-1)
  }
  return (
    <p>
      <a className="btn btn--primary" href="/home/" onClick={goBack}>
        <Icon name="back" />
        Back
      </a>
    </p>
  )
}
