import { type RefObject, useEffect, useRef } from 'react'
import { useEffectBeforePaint } from '~/browser/effect-before-paint.ts'
import {
  type Control,
  changeOf,
  isControl,
  notifyListeners,
  restoreTyped,
  type TypedState,
} from '~/browser/typed-state.ts'

type Typed = {
  hasFocus: boolean
  form: string
  name: string
  index: number
  state: TypedState
}

/** Carries typed values from the server's page to the dialog that replaces it in the same update. */
let carried: Typed[] = []

/** Saves what was typed into the server's page of a dialog before hydration, when the page is removed. */
export function useTypedIsKept(page: RefObject<HTMLElement>): void {
  useEffectBeforePaint(
    () => () => {
      carried = page.current ? changedIn(page.current) : []
    },
    [page],
  )
}

/**
 * Restores in the dialog what was typed into the page that it replaces. Call it last, when the dialog's fields exist.
 * It restores before the browser paints, so that no key press comes between, and notifies the listeners of the fields
 * later.
 */
export function useKeptTyping(dialog: RefObject<HTMLElement>, onFocused: (control: HTMLElement) => void): void {
  const restored = useRef<Control[]>([])
  useEffectBeforePaint(() => {
    restored.current = carried.splice(0).flatMap((typed) => {
      const control = restore(dialog.current, typed)
      if (control && typed.hasFocus) onFocused(control)
      return control && Object.keys(typed.state).length > 0 ? [control] : []
    })
  }, [dialog, onFocused])
  useEffect(() => {
    for (const control of restored.current.splice(0)) notifyListeners(control)
  }, [])
}

function changedIn(page: HTMLElement): Typed[] {
  return [...page.querySelectorAll('form')].flatMap((form) =>
    controlsOf(form).flatMap((control) => {
      const index = sameName(form, control.name).indexOf(control)
      const state = changeOf(control)
      const hasFocus = document.activeElement === control
      return form.id && (state || hasFocus)
        ? [{ form: form.id, name: control.name, index, state: state ?? {}, hasFocus }]
        : []
    }),
  )
}

function restore(dialog: HTMLElement | null, { form, name, index, state }: Typed): Control | undefined {
  const target = [...(dialog?.querySelectorAll('form') ?? [])].find(({ id }) => id === form)
  const control = target && sameName(target, name)[index]
  if (!control) return undefined
  restoreTyped(control, state)
  return control
}

function sameName(form: HTMLFormElement, name: string): Control[] {
  return controlsOf(form).filter((control) => control.name === name)
}

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(isControl).filter(({ name }) => name !== '')
}
