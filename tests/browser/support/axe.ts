import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/**
 * Checks WCAG 2.2 A and AA and axe's best practices, once the page has stopped moving. Leaves out content in frames,
 * which belongs to its author.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await waitForAnimations(page)
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .exclude('iframe')
    .options({ resultTypes: ['violations'] }) // leaves out the details of passed checks, which take half of the time
    .analyze()
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join('\n  ')}`,
  )
  expect(found.join('\n')).toBe('')
}

/**
 * Waits until every transition or animation with an end has finished. Halfway through one, axe would measure contrasts
 * and sizes that nobody sees at rest.
 */
export async function waitForAnimations(page: Page): Promise<void> {
  const countRunning = () =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
      .length
  await expect.poll(() => page.evaluate(countRunning), { intervals: [20, 50, 100] }).toBe(0)
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { content, window } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }))
  expect(content).toBeLessThanOrEqual(window)
}
