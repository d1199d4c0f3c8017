/** Who signs in again in another tab has a session of another name, for which the token of this page is no good. */
import { useEffect, useState } from 'react'
import { CsrfField } from '../ui/form.tsx'

/** The token of the session that there is now; null where nobody answers. */
export async function fetchToken(signal?: AbortSignal): Promise<string | null> {
  const answer = await fetch('/graphql/csrf/', { signal }).catch(() => null)
  return answer?.headers.get('X-CSRFToken') ?? null
}

/** After `isSignedOut` it asks for a fresh token whenever somebody comes back to this page. */
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
