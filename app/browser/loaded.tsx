import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { notify } from './notices.ts'

type Props<P> = {
  /**
   * Must be the same function at each render. Resolves with undefined if the chunk could not be fetched and the person
   * has seen a notice or need not know (lost-chunks.ts).
   */
  load: () => Promise<ComponentType<P> | undefined>
  props: P
  onMissing: () => void
  waiting?: ReactNode
}

/**
 * Loads a component on demand, such as a dialog. If it cannot be fetched the page stays, and the next press tries
 * again.
 */
export function Loaded<P extends object>({ load, props, onMissing, waiting = null }: Props<P>) {
  const [Component, setComponent] = useState<ComponentType<P> | null>(null)
  const missing = useRef(onMissing)
  missing.current = onMissing
  useEffect(() => {
    let isGone = false
    load()
      .catch(() => {
        notify({ kind: 'error', text: 'This could not be loaded. Please try to refresh the page.' })
        return undefined
      })
      .then((loaded) => {
        if (isGone) return
        if (loaded) setComponent(() => loaded)
        else missing.current()
      })
    return () => {
      isGone = true
    }
  }, [load])
  return Component ? <Component {...props} /> : waiting
}
