/**
 * Courses, saved content and My Progress, as learners use them, with and without JavaScript, in wide and narrow
 * windows.
 */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const course = 'From a Question to the First Dose'
const firstModule = 'Choosing and Validating a Drug Target'

test.use({ allowedErrors: [/404 .*(cmi5LearnerPreferences|stateId=bookmark)|status of 404/] })

const saveButton = (page: Page) => page.getByRole('button', { name: `Save ${course}` })
const startButton = (page: Page) =>
  page.getByRole('button', { name: new RegExp(`^(Start|Resume) with ${firstModule}`) })
const listed = (page: Page) => page.getByRole('main').getByRole('link', { name: course, exact: true })

for (const { site, width } of views) {
  test.describe(`on ${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('courses, a course, saved content and All Content are accessible', async ({ page }) => {
      await haveSession(page, 'author', site)
      for (const address of width === 360
        ? ['/all-content/', '/my-learning/saved/', '/my-progress/']
        : ['/courses/', '/my-learning/assigned/']) {
        await page.goto(address)
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
      await page.goto('/courses/')
      await listed(page).click()
      await expect(page.getByRole('heading', { level: 1, name: course })).toBeVisible()
      // L-058: the title of the page.
      await expect(page).toHaveTitle(/ : Course Details$/)
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    })
  })
}

test.describe('a course', () => {
  // Another test reads this module as the learner of the first site.
  test.use({ site: 'ns' })

  test('L-014 L-143 starts at its first module, and closing the module returns to the course', async ({ page }) => {
    await haveSession(page, 'author', 'ns')
    await page.goto('/courses/')
    await listed(page).click()
    const units = page.getByRole('main')
    await expect(units.getByText(/\d of 6 modules/)).toBeVisible()
    await startButton(page).click()
    await page.waitForURL('**/viewer/**')
    await expect(page.frameLocator('iframe').locator('body')).toHaveAttribute('data-ready', 'true')
    await page.getByRole('link', { name: 'Close' }).click()
    await page.waitForURL('**/courses/*/')
    await expect(units.getByText('Started')).toBeVisible()
    await page.goto('/my-learning/in-progress/')
    await expect(listed(page)).toBeVisible()

    // My Progress: the dialog of the menu, its tabs, and the link to the course.
    await page.getByLabel('Account menu').click()
    await page.getByRole('link', { name: 'My Progress' }).click()
    const dialog = page.getByRole('dialog', { name: 'My Progress' })
    await expect(dialog.getByRole('columnheader', { name: 'Start Date' })).toBeVisible()
    await expect(dialog.getByText(firstModule)).toBeVisible()
    await dialog.getByRole('tab', { name: 'Modules' }).press('ArrowRight')
    await expect(dialog.getByRole('tab', { name: 'Courses' })).toBeFocused()
    await expectAccessible(page)
    await dialog.getByRole('link', { name: new RegExp(course) }).click()
    await page.waitForURL('**/courses/*/')
    await expect(dialog).toHaveCount(0)
  })
})

test.describe('saved content', () => {
  test('L-124 L-179 L-182 appears at once and is still there later, and the badge goes away after five seconds', async ({
    page,
  }) => {
    await haveSession(page, 'instructor')
    await page.clock.install()
    await page.goto('/courses/')
    await saveButton(page).click()
    await expect(saveButton(page)).toHaveAttribute('aria-pressed', 'true')
    const mark = page.getByRole('link', { name: /^My Learning/ }).locator('.count')
    await expect(mark).toHaveText('+')
    // L-180: when something was saved is stored, so that other tabs know it.
    const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }))
    expect(await stored()).toContain(String(await page.evaluate(() => Date.now())).slice(0, 9))
    await page.clock.fastForward(5_000)
    await expect(mark).toHaveCount(0)
    await page.goto('/my-learning/saved/')
    await expect(listed(page)).toBeVisible()
    await saveButton(page).click()
    await expect(page.getByText('You have no saved items yet')).toBeVisible()
    // L-123, L-181: the side menu has the number; L-182: nothing was added.
    const side = page.getByRole('navigation', { name: 'My Learning' }).getByRole('link', { name: /^Saved/ })
    await expect(side.locator('.count')).toHaveText('0')
    await expect(mark).toHaveCount(0)
    // After several quick presses, the last one counts.
    await page.goto('/courses/')
    for (let press = 0; press < 4; press++) await saveButton(page).click()
    await expect(saveButton(page)).toHaveAttribute('aria-pressed', 'false')
    await expect(async () => {
      await page.goto('/my-learning/saved/')
      await expect(page.getByText('You have no saved items yet')).toBeVisible({ timeout: 1_000 })
    }).toPass()
  })

  test.describe('when saving fails', () => {
    test.use({ allowedErrors: [/net::ERR|status of 4/] })

    test('L-257 L-258 the button says so and goes back; without a session it leads to sign-in and back', async ({
      page,
    }) => {
      await haveSession(page, 'instructor')
      await page.goto('/videos/?x=1')
      const button = page.getByRole('button', { name: /^Save / }).first()
      await page.route('**/favourites.data*', (route) => route.abort())
      await button.click()
      await expect(page.locator('.toasts .toast--error')).toBeVisible()
      await expect(button).toHaveAttribute('aria-pressed', 'false')
      // Another answer of the server does not take the message away.
      await page.evaluate(() => fetch('/courses.data').then((answer) => answer.text()))
      await expect(page.locator('.toasts .toast--error')).toBeVisible()
      await page.unroute('**/favourites.data*')
      await page.context().clearCookies()
      await button.click()
      await page.waitForURL('**/login/?next=%2Fvideos%2F%3Fx%3D1&ended')
    })
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a learner saves a course, finds it, opens it and removes it with forms and links', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto('/courses/')
    await saveButton(page).click()
    // The page returns to the card.
    await expect(page).toHaveURL(/\/courses\/#save-[0-9a-f-]{36}$/)
    await expect(saveButton(page)).toHaveAttribute('aria-pressed', 'true')
    await expect(page.getByText('Saved. You can find it in My Learning.')).toBeVisible()
    await page.goto('/my-learning/saved/')
    await listed(page).click()
    await page.locator('.save', { hasText: 'Saved' }).click()
    await expect(page.locator('.save', { hasText: 'Save' })).toHaveAttribute('aria-pressed', 'false')
    await startButton(page).click()
    await page.waitForURL('**/viewer/**')
    await page.getByRole('link', { name: 'Close' }).click()
    await page.waitForURL('**/courses/*/')
    await page.goto('/my-progress/')
    await expect(page.getByText(firstModule)).toBeVisible()
    await page.getByRole('link', { name: 'Courses' }).last().click()
    await expect(page.getByRole('link', { name: new RegExp(`(Start|Resume) ${course}`) })).toBeVisible()
  })
})
