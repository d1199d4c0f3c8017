import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

// The server has no layout, and says so.
const useEffectBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
type Typed = {
  hasFocus: boolean
  form: string
  name: string
  index: number
  state: Partial<Pick<HTMLInputElement, 'value' | 'checked' | 'files'>>
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
    for (const control of restored.current.splice(0)) tell(control)
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

function changeOf(control: Control): Typed['state'] | null {
  if (control instanceof HTMLSelectElement) {
    const initial = [...control.options].find(({ defaultSelected }) => defaultSelected) ?? control.options[0]
    const isChanged = control.value !== (initial?.value ?? '')
    return isChanged ? { value: control.value } : null
  }
  if (control.type === 'hidden') return null
  if (control.type === 'checkbox' || control.type === 'radio') {
    const { checked, defaultChecked } = control as HTMLInputElement
    return checked === defaultChecked ? null : { checked }
  }
  if (control.type === 'file') {
    const { files } = control as HTMLInputElement
    return files && files.length > 0 ? { files } : null
  }
  return control.value === control.defaultValue ? null : { value: control.value }
}

function restore(dialog: HTMLElement | null, { form, name, index, state }: Typed): Control | undefined {
  const place = [...(dialog?.querySelectorAll('form') ?? [])].find(({ id }) => id === form)
  const control = place && sameName(place, name)[index]
  if (!control) return undefined
  // Past React's own setter, which would take the value for one that it knows.
  for (const [key, value] of Object.entries(state)) {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), key)?.set?.call(control, value)
  }
  return control
}

function tell(control: Control): void {
  if (control.type === 'checkbox' || control.type === 'radio') {
    control.dispatchEvent(new Event('click', { bubbles: true }))
    return
  }
  control.dispatchEvent(new Event('input', { bubbles: true }))
  control.dispatchEvent(new Event('change', { bubbles: true }))
}

function sameName(form: HTMLFormElement, name: string): Control[] {
  return controlsOf(form).filter((control) => control.name === name)
}

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control =>
      (element instanceof HTMLInputElement ||
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLSelectElement) &&
      element.name !== '',
  )
}
