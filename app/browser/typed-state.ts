/** What somebody did to a field since the document came: read, put in again, and told to whoever listens to the field. */
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
export type TypedState = Partial<Pick<HTMLInputElement, 'value' | 'checked' | 'files'>>

/** Null for a field that is as it came. */
export function changeOf(control: Control): TypedState | null {
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

/** Past React's own setter, which would take the value for one that it knows. */
export function putIn(control: Control, state: TypedState): void {
  for (const [key, value] of Object.entries(state)) {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), key)?.set?.call(control, value)
  }
}

export function tell(control: Control): void {
  if (control.type === 'checkbox' || control.type === 'radio') {
    control.dispatchEvent(new Event('click', { bubbles: true }))
    return
  }
  control.dispatchEvent(new Event('input', { bubbles: true }))
  control.dispatchEvent(new Event('change', { bubbles: true }))
}

export function isControl(element: Element): element is Control {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  )
}
