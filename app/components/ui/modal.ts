import { type RefObject, useRef } from 'react'
import { useEffectBeforePaint } from '~/browser/effect-before-paint.ts'

/**
 * Returns the ref for a dialog that is open from its first paint on, so that a key pressed at once, such as Escape,
 * reaches it.
 */
export function useModal(): RefObject<HTMLDialogElement> {
  const ref = useRef<HTMLDialogElement>(null)
  useEffectBeforePaint(() => {
    if (!ref.current?.open) ref.current?.showModal()
  }, [])
  return ref
}
