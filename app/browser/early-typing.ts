import { useEffect } from 'react'
import { useEffectBeforePaint } from './effect-before-paint.ts'
import { type Control, changeOf, isControl, putIn, type TypedState, tell } from './typed-state.ts'

let early: { control: Control; state: TypedState }[] = []

/** Just before the browser takes over: what was typed, ticked and chosen in the document until now. */
export function rememberEarlyTyping(): void {
  early = [...document.querySelectorAll('input, textarea, select')].filter(isControl).flatMap((control) => {
    const state = changeOf(control)
    return state ? [{ control, state }] : []
  })
}

/**
 * At the root. Hydration sets every textarea back, and a field with a state of its own at its next render, since nobody told that state: what was there
 * goes in again at once, and then those who listen to the field hear of it as if it had been typed now.
 */
export function useEarlyTyping(): void {
  useEffectBeforePaint(() => {
    for (const { control, state } of early) putIn(control, state)
  }, [])
  useEffect(() => {
    for (const { control, state } of early.splice(0)) if (control.isConnected) typeAgain(control, state)
  }, [])
}

/** React hears only of what differs from the value that it saw last, so it is shown the one that the document came with. */
function typeAgain(control: Control, state: TypedState): void {
  const isLeftRadio = control.type === 'radio' && state.checked === false
  if (isLeftRadio) return
  const hasCaret = document.activeElement === control && 'selectionStart' in control
  const caret = hasCaret ? [control.selectionStart, control.selectionEnd] : null
  if (state.checked !== undefined) (control as HTMLInputElement).checked = !state.checked
  if (state.value !== undefined) control.value = control instanceof HTMLSelectElement ? '' : control.defaultValue
  putIn(control, state)
  // Fields of some types have none (HTML 4.10.5.1).
  if (caret?.[0] != null) (control as HTMLInputElement).setSelectionRange(caret[0], caret[1] ?? null)
  tell(control)
}
