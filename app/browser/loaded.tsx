import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { notify } from './notices.ts'

type Props<P> = {
  /** One function for good, not a new one at each render. Undefined: it could not be had, and the person was told (lost-chunks.ts). */
  load: () => Promise<ComponentType<P> | undefined>
  props: P
  onMissing: () => void
  waiting?: ReactNode
}

/** What is fetched when somebody asks for it, such as a dialog. Where it cannot be had the page stays, and the next press asks again. */
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
