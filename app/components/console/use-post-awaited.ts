import { type MutableRefObject, type RefObject, useEffect, useRef } from 'react'

/** True from a submit until the person types again, so that only errors of a submit move the focus. */
export function usePostAwaited(root: RefObject<HTMLElement>): MutableRefObject<boolean> {
  const isAwaited = useRef(false)
  useEffect(() => {
    const form = root.current?.closest('form')
    if (!form) return
    const onSubmit = () => {
      isAwaited.current = true
    }
    const onInput = () => {
      isAwaited.current = false
    }
    form.addEventListener('submit', onSubmit)
    form.addEventListener('input', onInput)
    return () => {
      form.removeEventListener('submit', onSubmit)
      form.removeEventListener('input', onInput)
    }
  }, [root])
  return isAwaited
}
