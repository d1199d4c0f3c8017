const operable = 'a[href], button:not([disabled]), input:not([disabled]), summary'

function controlsOf(cell: Element): HTMLElement[] {
  return [...cell.querySelectorAll<HTMLElement>(operable)].filter((control) => control.checkVisibility())
}

/**
 * The keyboard of a grid (WAI-ARIA, pattern "Grid"): arrows and Tab walk over cells; Enter or the space bar operates what a cell holds,
 * and where that is more than one thing, goes inside; there Tab walks through it and Escape comes back out. True where AG Grid is to
 * leave the key alone.
 */
export function operateCell(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  const cell = target.closest<HTMLElement>('.ag-cell')
  if (!cell) return false
  const controls = controlsOf(cell)
  if (target === cell) {
    if (event.key !== 'Enter' && event.key !== ' ') return false
    const [first, second] = controls
    if (!first) return false
    event.preventDefault()
    if (second) first.focus()
    else first.click()
    return true
  }
  const place = controls.indexOf(target)
  if (event.key === 'Tab') return place >= 0 && controls[place + (event.shiftKey ? -1 : 1)] !== undefined
  // An open menu closes first.
  if (event.key === 'Escape' && !cell.querySelector('details[open], [aria-expanded="true"]')) cell.focus()
  return true
}
