import { useEffect } from 'react'
import { useEffectBeforePaint } from './effect-before-paint.ts'
import { type Control, changeOf, isControl, notifyListeners, restoreTyped, type TypedState } from './typed-state.ts'

let early: { control: Control; state: TypedState }[] = []

/** Call it just before hydration: remembers the fields that people have changed in the document so far. */
export function rememberEarlyTyping(): void {
  early = [...document.querySelectorAll('input, textarea, select')].filter(isControl).flatMap((control) => {
    const state = changeOf(control)
    return state ? [{ control, state }] : []
  })
}

/**
 * Restores those fields, at the root. Hydration resets every textarea, and each field with its own state at its next
 * render, since that state never got the changes. So each value is restored at once, and then the field's listeners get
 * events as if it had just been typed.
 */
export function useEarlyTyping(): void {
  useEffectBeforePaint(() => {
    for (const { control, state } of early) restoreTyped(control, state)
  }, [])
  useEffect(() => {
    for (const { control, state } of early.splice(0)) if (control.isConnected) replayTyping(control, state)
  }, [])
}

/** React ignores a value that equals the last one it saw, so this first sets the document's original value. */
function replayTyping(control: Control, state: TypedState): void {
  const isLeftRadio = control.type === 'radio' && state.checked === false
  if (isLeftRadio) return
  const hasCaret = document.activeElement === control && 'selectionStart' in control
  const caret = hasCaret ? [control.selectionStart, control.selectionEnd] : null
  if (state.checked !== undefined) (control as HTMLInputElement).checked = !state.checked
  if (state.value !== undefined) control.value = control instanceof HTMLSelectElement ? '' : control.defaultValue
  restoreTyped(control, state)
  // Fields of some types have no selection (HTML 4.10.5.1).
  if (caret?.[0] != null) (control as HTMLInputElement).setSelectionRange(caret[0], caret[1] ?? null)
  notifyListeners(control)
}
