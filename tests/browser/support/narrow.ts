/** What must hold in a small window: all that one can press is there to be pressed, and nothing moves for those who do not want it. */
import { expect, type Locator, type Page } from '@playwright/test'

/** Each control can be scrolled into view, lies within the window, and is not under anything else. */
export async function expectNothingCovered(page: Page): Promise<void> {
  expect(await page.evaluate(findCovered)).toEqual([])
}

/** Runs in the page, so it uses nothing from outside. */
function findCovered(): string[] {
  const before = [window.scrollX, window.scrollY] as const
  // What is open lies over the page on purpose, and goes again.
  const layer = document.querySelector('dialog:modal, details.menu[open]')
  const controls = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')
  const found: string[] = []
  for (const control of controls) {
    if (layer && !layer.contains(control)) continue
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('.skip, .sr-only')) continue
    control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
    const rects = [...control.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    if (rects.length === 0) continue
    // What scrolls is larger than its window and never wholly there.
    const isInside = rects.every(({ left, right }) => left >= -1 && right <= window.innerWidth + 1)
    const isFree = rects.some(({ left, right, top, bottom }) => {
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      // A notice goes by itself, and at a press.
      return control.contains(hit) || hit?.closest('label')?.control === control || hit?.closest('.toast')
    })
    if (!isInside || !isFree) found.push(`${isFree ? 'outside' : 'covered'}: ${control.outerHTML.slice(0, 160)}`)
  }
  window.scrollTo(...before)
  return found
}

/** A finger hits it: 44 px each way, but for links within a sentence, which are as high as their line. */
export async function expectTouchable(target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  expect(await target.evaluate(missedBeside), `44 px to press at ${target}`).toEqual([])
}

/** Runs in the page, so it uses nothing from outside. The places near the middle of a control that belong to something else. */
function missedBeside(element: Element): string[] {
  const isInText = getComputedStyle(element).display === 'inline' && element.closest('p, dd, label') !== null
  if (isInText) return []
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
  // A tick box or radio button is pressed at its words too.
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
    return whole.contains(hit) ? [] : [name]
  })
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
