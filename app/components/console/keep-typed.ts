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

/** From the page that goes to the dialog that comes in its place, in one and the same update. */
let carried: Typed[] = []

/** For the server's page of a dialog: what was typed into it before the browser took over must not go with it. */
export function useTypedIsKept(page: RefObject<HTMLElement>): void {
  useEffectBeforePaint(
    () => () => {
      carried = page.current ? changedIn(page.current) : []
    },
    [page],
  )
}

/**
 * Last in the dialog, whose fields are there then: puts in what was typed into the page that it replaces. At once, so that no press comes
 * between; what listens to the fields hears of it afterwards.
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
  const place = [...(dialog?.querySelectorAll('form') ?? [])].find(({ id }) => id === form)
  const control = place && sameName(place, name)[index]
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
