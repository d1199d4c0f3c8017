import { useEffect, useState } from 'react'
import type { ViewerLaunch } from './launch.ts'

/**
 * Returns the address of the unit for the frame. It stays the first one, so that a reload of the data does not reload
 * the frame. A browser that cannot resolve the name of the module's own origin gets the shared one, if there is one and
 * it answers: a server that is restarting is no reason.
 */
export function useReachableAddress({ launchUrl, fallbackUrl, opening }: ViewerLaunch): string | undefined {
  const [address, setAddress] = useState(launchUrl ?? undefined)
  const [fallback] = useState(launchUrl && opening === 'frame' ? fallbackUrl : null)
  useEffect(() => {
    if (!address || !fallback || address === fallback) return
    let isOver = false
    const choose = async () => {
      if (await answers(address)) return
      if ((await answers(fallback)) && !(await answers(address)) && !isOver) setAddress(fallback)
    }
    choose()
    return () => {
      isOver = true
    }
  }, [address, fallback])
  return address
}

/** Asks the host of the unit's record store. It is also the host of its files, unless the unit is elsewhere. */
async function answers(address: string): Promise<boolean> {
  const endpoint = new URL(address).searchParams.get('endpoint') ?? address
  try {
    await fetch(new URL('/healthz', endpoint), { mode: 'no-cors', cache: 'no-store', credentials: 'omit' })
    return true
  } catch {
    return false
  }
}
