/**
 * Uses a page with the keyboard alone: finds what has the focus, checks that it is visible, and moves to an element.
 */
import { expect, type Frame, type Locator, type Page } from '@playwright/test'

/** Far more stops than any of our pages has. */
const mostStops = 200

type Stop = {
  /**
   * Describes the focused element, for the message of a failure; null at the end of the page, before it starts over.
   */
  name: string | null
  isFrame: boolean
  isGoal: boolean
  /** True if the page has rendered the goal again in the meantime. */
  isGoalGone: boolean
  hasRing: boolean
  isInSight: boolean
}

declare global {
  interface Window {
    journeyGoal?: Element
  }
}

/**
 * Presses Tab, or Shift+Tab if the element comes before the focus, until the element has the focus, or another radio
 * button of its group. Each stop on the way must show its focus and must not be covered (WCAG 2.4.7, 2.4.11).
 */
export async function tabTo(page: Page, goal: Locator): Promise<void> {
  const { home, isBefore } = await mark(goal)
  const passed: string[] = []
  for (let count = 0; count < mostStops; count++) {
    const { stop, frame } = await stopOf(page)
    if (stop.name !== null) {
      expect(stop, `the focus shows at ${stop.name}`).toMatchObject({ hasRing: true, isInSight: true })
      if (stop.isGoal && frame === home) return
      passed.push(stop.name)
    }
    if (stop.isGoalGone) await mark(goal)
    await page.keyboard.press(isBefore ? 'Shift+Tab' : 'Tab')
  }
  throw new Error(`Tab does not reach ${goal} but only:\n${[...new Set(passed)].join('\n')}`)
}

/** Marks the goal. Returns its frame and whether it comes before the focus. Earlier goals stay marked in other frames. */
async function mark(goal: Locator): Promise<{ home: Frame | null; isBefore: boolean }> {
  await expect(goal).toBeVisible()
  const handle = await goal.evaluateHandle((element) => {
    window.journeyGoal = element
    return element
  })
  const isBefore = await handle.evaluate((element) => {
    const { activeElement } = element.ownerDocument
    if (!activeElement) return false
    return Boolean(activeElement.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING)
  })
  return { home: await handle.ownerFrame(), isBefore }
}

/** Also looks into the frame of a module's content. */
async function stopOf(page: Page): Promise<{ stop: Stop; frame: Frame }> {
  let frame = page.mainFrame()
  for (;;) {
    const stop: Stop = await frame.evaluate(describeFocus)
    const element = stop.isFrame ? (await frame.evaluateHandle(() => document.activeElement)).asElement() : null
    const inner = await element?.contentFrame()
    if (!inner) return { stop, frame }
    frame = inner
  }
}

/** Runs in the page, so it uses nothing from outside. */
function describeFocus(): Stop {
  const goal = window.journeyGoal
  const element = document.activeElement
  const isGoalGone = goal !== undefined && !goal.isConnected
  const nowhere = { name: null, isFrame: false, isGoal: false, isGoalGone, hasRing: false, isInSight: false }
  // Scripts put the focus on headings and on the start of the page for screen readers; Tab continues from there.
  if (!element || element === document.body || element.getAttribute('tabindex') === '-1') return nowhere

  const isRadio = (one: Element | undefined): one is HTMLInputElement =>
    one instanceof HTMLInputElement && one.type === 'radio'
  const isGroup = isRadio(goal) && isRadio(element) && goal.name === element.name && goal.form === element.form

  const hasOutline = (one: Element | null | undefined) =>
    one
      ? [null, '::before', '::after'].some((pseudo) => {
          const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one, pseudo)
          const isClear = outlineColor === 'transparent' || /, 0\)$|\/ 0\)$/.test(outlineColor)
          return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && !isClear
        })
      : false
  // An element inside a frame is checked in that frame. The controls of a film and of a date, and
  // their focus ring, belong to the browser.
  const isOwnControl = (one: Element) =>
    one instanceof HTMLVideoElement || (one instanceof HTMLInputElement && one.type.startsWith('date'))
  const isInside = element instanceof HTMLIFrameElement || (isOwnControl(element) && !element.matches(':focus-visible'))
  // The ring of rich text is around its toolbar too.
  const frame = element.closest('.richtext')
  const drawn = [element, element.parentElement, element.nextElementSibling, frame, ...element.querySelectorAll('*')]

  const isOwn = (x: number, y: number) => {
    const top = document.elementFromPoint(x, y)
    return top !== null && (element.contains(top) || top.closest('label')?.control === element)
  }
  // A file input is out of sight, and its label stands for it.
  const labels = element instanceof HTMLInputElement && element.type === 'file' ? (element.labels ?? []) : []
  const rects = [element, ...labels].flatMap((one) => [...one.getClientRects()])
  const isInSight = rects.some(({ left, right, top, bottom }) =>
    [0.5, 0.1, 0.9].some((part) => isOwn(left + (right - left) * part, top + (bottom - top) * part)),
  )
  const words = element.getAttribute('aria-label') || element.textContent?.trim() || element.getAttribute('name') || ''
  return {
    name: `${element.tagName.toLowerCase()} "${words.replace(/\s+/g, ' ').slice(0, 60)}"`,
    isFrame: element instanceof HTMLIFrameElement,
    isGoal: element === goal || isGroup,
    isGoalGone,
    hasRing: isInside || drawn.some(hasOutline),
    isInSight,
  }
}
