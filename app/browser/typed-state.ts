/**
 * Changes that a person made to a field since the document loaded: reading them, restoring them, and telling the
 * field's listeners.
 */
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
export type TypedState = Partial<Pick<HTMLInputElement, 'value' | 'checked' | 'files'>>

/** Null for an unchanged field. */
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

/** Bypasses React's own setter, which would treat the value as already known. */
export function restoreTyped(control: Control, state: TypedState): void {
  for (const [key, value] of Object.entries(state)) {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), key)?.set?.call(control, value)
  }
}

export function notifyListeners(control: Control): void {
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
