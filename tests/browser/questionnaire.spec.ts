/**
 * The questionnaire before the learner area, with and without JavaScript, on both brands, in narrow and wide windows.
 */
import type { Page } from '@playwright/test'
import { sql } from 'kysely'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession, haveSessionOf } from './support/people.ts'
import type { Product } from './support/product.ts'
import { expect, test } from './support/server.ts'

/** Resets her to a new person, whatever earlier tests of this worker did. */
async function signInAsNewcomer(page: Page, product: Product, site: 'institutional' | 'ns'): Promise<void> {
  await sql`delete from user_answers using users where users.id = user_id and email like 'newcomer@%'`.execute(
    product.db,
  )
  await haveSessionOf(page, `newcomer@${site === 'ns' ? 'ns.' : ''}titrate.example`, site)
  await page.goto('/modules/?phase=discover')
  await page.waitForURL('**/questionnaire/**')
}

const answerOf = (page: Page, question: string, option: string) =>
  page.getByRole('group', { name: question }).getByText(option, { exact: true }).click()

async function answerTheRest(page: Page): Promise<void> {
  await answerOf(page, 'Current position', 'Research scientist')
  await answerOf(page, 'Type of research engaged in', 'Basic research')
  await answerOf(page, 'Modality your translational', 'Vaccine')
  await answerOf(page, 'Geographical region', 'Europe')
  await answerOf(page, 'Steps of drug development', 'Regulation and approval')
  await answerOf(page, 'Steps of drug development', 'Animal and safety studies')
}

for (const [site, javaScriptEnabled, width] of [
  ['institutional', true, 1440],
  ['ns', false, 360],
] as const) {
  test.describe(`${site}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript, ${width} px`, () => {
    test.use({ site, javaScriptEnabled, viewport: { width, height: 800 }, allowedErrors: [/status of 40[04]/] })

    test('L-127 L-128 L-129 L-130 L-169 a new person answers, gets to the page she asked for, and is never asked again', async ({
      page,
      product,
    }) => {
      await signInAsNewcomer(page, product, site)
      const gate = page.getByRole('dialog', { name: 'Welcome, Hana' })
      await expect(gate).toContainText('Please answer the following to continue:')
      await expect(gate).toContainText('* indicates a required question')
      await expect(gate.getByText('Current position *')).toBeVisible()
      await expect(gate.getByText(/^How you heard about us$/)).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
      await expectNoSidewaysScroll(page)

      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('No answer is chosen yet. Please answer the required questions.')).toHaveCount(1)
      await expect(page.getByText('Please choose an answer')).toHaveCount(5)
      await expect(page.getByText('Your answers have been saved')).toHaveCount(0)
      if (javaScriptEnabled) {
        await expect(page.locator('[aria-invalid="true"]').first()).toBeFocused()
      }

      const own = page.getByRole('group', { name: 'Institution or company' }).getByLabel('Your answer')
      // L-172: the field for an answer of one's own appears with its option.
      await expect(own).toBeHidden()
      await answerOf(page, 'Institution or company', 'Other')
      await expect(own).toBeVisible()
      await answerOf(page, 'Institution or company', 'Academia')
      await expect(own).toBeHidden()
      await answerOf(page, 'Institution or company', 'Other')
      await page.getByRole('button', { name: 'Save' }).click()
      // L-203, L-204: with that option, the text is required, and blanks are no text.
      await expect(page.getByText('Please enter your answer')).toHaveCount(1)
      await expect(page.getByText('Please correct the answer that is marked.')).toHaveCount(1)
      await own.fill('   ')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Please enter a valid answer').first()).toBeVisible()
      await own.fill('A hospital')
      await page.getByRole('button', { name: 'Save' }).click()
      // L-170: what is saved stays, and so does the dialog.
      const saved = page.getByText('Your answers have been saved. Complete all required questions to continue.')
      await expect(saved.first()).toBeVisible()
      // Each unanswered question says so. With JavaScript the focus moves to the first one, and the line moves along.
      await expect(page.getByText('Please choose an answer').first()).toBeVisible()
      if (javaScriptEnabled) {
        await expect(page.locator('[aria-invalid="true"]').first()).toBeFocused()
        const open = page.getByText('Please choose an answer')
        const before = await open.count()
        await page.keyboard.press('Space')
        await expect(saved).toHaveCount(0)
        await expect(open).toHaveCount(before - 1)
      }

      await page.goto('/my-learning/completed/?after=x')
      await page.waitForURL('**/questionnaire/?next=%2Fmy-learning%2Fcompleted%2F**')
      await expect(own).toHaveValue('A hospital')
      await page.goto('/modules/?phase=discover')
      await answerTheRest(page)
      await page.getByRole('button', { name: 'Save' }).click()
      if (javaScriptEnabled) {
        await expect(page.getByText('Your answers have been saved. Redirecting')).toBeVisible()
      }
      await page.waitForURL('**/modules/?phase=discover')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await page.goto('/questionnaire/?next=//evil.example/')
      await page.waitForURL('**/home/')
    })
  })
}

test('an older second tab does not remove answers', async ({ page, product, context }) => {
  await signInAsNewcomer(page, product, 'institutional')
  const second = await context.newPage()
  await second.goto('/questionnaire/')
  // The browser draws a page in the background only once a second.
  await page.bringToFront()
  await answerOf(page, 'Institution or company', 'Academia')
  await answerTheRest(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/modules/?phase=discover')
  // Posts what a page without scripts would send: nothing is chosen here.
  await second.evaluate(() => HTMLFormElement.prototype.submit.call(document.getElementById('questionnaire')))
  await second.waitForURL('**/home/')
  await page.goto('/my-learning/')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('L-127 L-168 the scripts turn the page into a dialog without moving it, it cannot be closed, and pages outside the learner area still open', async ({
  page,
  product,
  newContext,
}) => {
  await signInAsNewcomer(page, product, 'institutional')
  await test.step('nothing moves when the scripts turn the page into a dialog', async () => {
    await page.goto('/questionnaire/')
    await expect.poll(() => page.evaluate(() => document.querySelector('dialog')?.matches(':modal'))).toBe(true)
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value
          }).observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve(sum), 300)
        }),
    )
    expect(shift).toBeLessThan(0.02)
  })
  const isModal = () => page.evaluate(() => document.querySelector('dialog')?.matches(':modal'))
  await expect.poll(isModal).toBe(true)
  for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key)
  await page.mouse.click(4, 400)
  await expect.poll(isModal).toBe(true)
  await expect(page.getByRole('dialog').getByRole('button')).toHaveText(['Save', /Logout/])
  for (const open of ['/privacy-policy/', '/change-password/']) {
    await page.goto(open)
    expect(new URL(page.url()).pathname).toBe(open)
  }
  await page.goto('/home/')
  await page.getByRole('dialog').getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/login/')
  const admin = await (await newContext()).newPage()
  await haveSession(admin, 'admin')
  await admin.goto('/home/')
  expect(new URL(admin.url()).pathname).toBe('/home/')
})
