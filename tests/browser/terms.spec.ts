/**
 * Terms of the glossary within texts: their panels need a browser's popover, by touch and by keyboard. Our scripts do
 * nothing for it, and tests of the HTTP pages have its attributes.
 */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const lecture = 'From Hit to Candidate: Many Properties at Once'

test.use({ hasTouch: true, viewport: { width: 320, height: 720 } })

test('a definition opens by touch and by keyboard, and closes on Escape and on a touch beside it', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/lectures/')
  await page.getByRole('link', { name: lecture }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: lecture })).toBeVisible()
  const term = page.locator('button.term').first()
  const panel = page.locator('.term + .termpanel').first()
  const before = await term.boundingBox({ timeout: 20_000 })
  await expect(panel).toBeHidden()
  await term.tap()
  await expect(panel).toBeVisible()
  await expect(panel).toBeInViewport({ ratio: 1 })
  await expectNoSidewaysScroll(page)
  expect((await term.boundingBox())?.height).toBe(before?.height)
  await expectAccessible(page)
  // The panel may be over the heading, but not over the corner of the page.
  await page.touchscreen.tap(2, 2)
  await expect(panel).toBeHidden()
  await term.focus()
  await page.keyboard.press('Enter')
  await expect(panel).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(term).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(panel.getByRole('link')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/glossary\/[^/]+\/$/)
})
