/** Checks for a small window: every control can be pressed, and nothing moves for people who do not want motion. */
import { expect, type Locator, type Page } from '@playwright/test'

/** Each control can be scrolled into view, is inside the window, and is not covered. */
export async function expectNothingCovered(page: Page): Promise<void> {
  expect(await page.evaluate(findCovered)).toEqual([])
}

/** Runs in the page, so it uses nothing from outside. */
function findCovered(): string[] {
  const before = [window.scrollX, window.scrollY] as const
  // An open layer covers the page on purpose and goes away again.
  const layer = [...document.querySelectorAll('dialog:modal, details.menu[open], .dlg-layer')].at(-1)
  const controls = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')
  const found: string[] = []
  for (const control of controls) {
    if (layer && !layer.contains(control)) continue
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('.skip, .sr-only')) continue
    control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
    const rects = [...control.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    if (rects.length === 0) continue
    // A scrolling element is larger than its window and never completely visible.
    const isInside = rects.every(({ left, right }) => left >= -1 && right <= window.innerWidth + 1)
    const isFree = rects.some(({ left, right, top, bottom }) => {
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      // A notice goes away by itself or when pressed.
      return control.contains(hit) || hit?.closest('label')?.control === control || hit?.closest('.toast')
    })
    if (!isInside || !isFree) found.push(`${isFree ? 'outside' : 'covered'}: ${control.outerHTML.slice(0, 160)}`)
  }
  window.scrollTo(...before)
  return found
}

/**
 * Checks that a finger can hit the control: 44 px in each direction. Links within a sentence may be as high as their
 * line.
 */
export async function expectTouchable(target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  expect(await target.evaluate(missedBeside), `44 px to press at ${target}`).toEqual([])
}

/**
 * Runs in the page, so it uses nothing from outside. Returns the points near the middle of a control that belong to
 * another element.
 */
function missedBeside(element: Element): string[] {
  const isInText = getComputedStyle(element).display === 'inline' && element.closest('p, dd, label') !== null
  if (isInText) return []
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
  // A checkbox or radio button can also be pressed at its label.
  const whole = element.closest('label') ?? element
  const box = whole.getBoundingClientRect()
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 }
  const reach = 21
  const directions = [
    ['left', -reach, 0],
    ['right', reach, 0],
    ['above', 0, -reach],
    ['below', 0, reach],
  ] as const
  return directions.flatMap(([name, x, y]) => {
    const hit = document.elementFromPoint(middle.x + x, middle.y + y)
    // A notice goes away by itself or when pressed.
    return whole.contains(hit) || hit?.closest('.toast') ? [] : [name]
  })
}

/** Checks that nothing moves, fades or slides by itself. */
export async function expectStillness(page: Page): Promise<void> {
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 1)
      .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 160)),
  )
  expect(moving).toEqual([])
}
