/** Signing in again in another tab starts a new session, for which the CSRF token of this page is not valid. */
import { useEffect, useState } from 'react'
import { CsrfField } from '../ui/form.tsx'

/** Fetches the token of the current session; null if the server does not answer. */
export async function fetchToken(signal?: AbortSignal): Promise<string | null> {
  const answer = await fetch('/graphql/csrf/', { signal }).catch(() => null)
  return answer?.headers.get('X-CSRFToken') ?? null
}

/**
 * A hidden field with the CSRF token. With `isSignedOut` it fetches a fresh token whenever the person returns to this
 * page.
 */
export function TokenField({ token, isSignedOut }: { token: string | null; isSignedOut: boolean }) {
  const [fresh, setFresh] = useState<string | null>(null)
  useEffect(() => {
    if (!isSignedOut) return setFresh(null)
    const abort = new AbortController()
    const refresh = async () => {
      const found = await fetchToken(abort.signal)
      if (found && !abort.signal.aborted) setFresh(found)
    }
    window.addEventListener('focus', refresh, { signal: abort.signal })
    document.addEventListener('visibilitychange', refresh, { signal: abort.signal })
    return () => abort.abort()
  }, [isSignedOut])
  return <CsrfField token={fresh ?? token} />
}
