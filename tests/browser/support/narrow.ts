/** What must hold in a small window: all that one can press is there to be pressed, and nothing moves for those who do not want it. */
import { expect, type Locator, type Page } from '@playwright/test'

/** Each control can be scrolled into view, lies within the window, and is not under anything else. */
export async function expectNothingCovered(page: Page): Promise<void> {
  expect(await page.evaluate(findCovered)).toEqual([])
}

/** Runs in the page, so it uses nothing from outside. */
function findCovered(): string[] {
  const before = [window.scrollX, window.scrollY] as const
  const modal = document.querySelector('dialog:modal')
  const controls = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')
  const found: string[] = []
  for (const control of controls) {
    if (modal && !modal.contains(control)) continue
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('.skip, .sr-only')) continue
    control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
    const rects = [...control.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    if (rects.length === 0) continue
    // What scrolls is larger than its window and never wholly there.
    const isInside = rects.every(({ left, right }) => left >= -1 && right <= window.innerWidth + 1)
    const isFree = rects.some(({ left, right, top, bottom }) => {
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      return hit !== null && (control.contains(hit) || hit.closest('label')?.control === control)
    })
    if (!isInside || !isFree) found.push(`${isFree ? 'outside' : 'covered'}: ${control.outerHTML.slice(0, 160)}`)
  }
  window.scrollTo(...before)
  return found
}

/**
 * A finger hits it: 44 px, or 24 px (WCAG 2.5.8) with room around; links within a sentence are as high as their line.
 */
export async function expectTouchable(target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  const size = await target.evaluate((element) => {
    const label = element instanceof HTMLInputElement ? element.closest('label') : null
    const { width, height } = (label ?? element).getBoundingClientRect()
    const style = getComputedStyle(element)
    const isInText = style.display === 'inline' && element.closest('p, dd, li span') !== null
    return { width, height, isInText }
  })
  if (size.isInText) return
  expect(Math.min(size.width, size.height), `the size of ${target}`).toBeGreaterThanOrEqual(24)
}

/** Nothing moves, fades or slides by itself. */
export async function expectStillness(page: Page): Promise<void> {
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 1)
      .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 160)),
  )
  expect(moving).toEqual([])
}
