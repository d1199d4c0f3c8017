/** The main job: a learner opens a published package, works in it, leaves, and her progress and score are there. */
import type { FrameLocator, Page } from '@playwright/test'
import { signIn } from './support/people.ts'
import { expect, test } from './support/server.ts'

/** Answers every question of the unit rightly. */
async function answerAll(unit: FrameLocator): Promise<void> {
  for (const form of await unit.locator('section:visible form[data-question]').all()) {
    const correct = ((await form.getAttribute('data-correct')) ?? '').split(',')
    for (const value of correct) await form.locator(`input[value="${value}"]`).check()
    await form.getByRole('button', { name: 'Answer' }).click()
    await expect(form.locator('output')).toContainText('Right.')
  }
}

async function readToTheEnd(unit: FrameLocator): Promise<void> {
  await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
  const next = unit.getByRole('button', { name: 'Next' })
  while (await next.isEnabled()) await next.click()
  await answerAll(unit)
}

async function openModule(page: Page, name: string): Promise<void> {
  await page.goto('/modules/')
  await page.getByRole('link', { name }).first().click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

for (const site of ['institutional', 'ns'] as const) {
  test.describe(`on ${site}`, () => {
    // A learner without preferences or bookmark has none: the clients ask, and the browser reports the 404 (cmi5 11).
    test.use({ site, allowedErrors: [/404 .*(cmi5LearnerPreferences|stateId=bookmark)/] })

    test('a module is read, left in the middle, resumed at its place and passed, with either client library', async ({
      page,
    }) => {
      const name = 'Choosing and Validating a Drug Target'
      await signIn(page, 'learner', site)
      await openModule(page, name)
      await page.getByRole('button', { name: 'Start' }).click()
      await page.waitForURL('**/viewer/**')
      const unit = page.frameLocator('iframe')
      await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
      await unit.getByRole('button', { name: 'Next' }).click()
      await expect(unit.getByText('Page 2 of 4')).toBeVisible()
      await unit.getByRole('button', { name: 'Save and exit' }).click()

      // The chapter goes on with another module, so there is a choice.
      await page.getByRole('link', { name: 'CLOSE MODULE' }).click()
      await page.waitForURL('**/modules/**')
      await expect(page.getByText('50%').first()).toBeVisible()
      await page.getByRole('button', { name: 'Resume' }).click()
      await expect(unit.getByText('Page 2 of 4')).toBeVisible()
      await readToTheEnd(unit)
      await expect(unit.getByText('Your score: 100 %. Passed.')).toBeVisible()
      await unit.getByRole('button', { name: 'Save and exit' }).click()

      await page.getByRole('link', { name: 'CLOSE MODULE' }).click()
      await page.waitForURL('**/modules/**')
      await expect(page.getByRole('button', { name: 'Retake' })).toBeVisible()
      await page.goto('/my-learning/completed/')
      await expect(page.getByRole('link', { name }).first()).toBeVisible()
      await expect(page.getByText('100%').first()).toBeVisible()
    })

    test('a module of three units is done one unit after the other', async ({ page }) => {
      const name = 'High-Throughput Screening: From Plate to Hit List'
      await signIn(page, 'instructor', site)
      await openModule(page, name)
      await page.getByRole('button', { name: 'Start' }).first().click()
      for (const title of ['An assay that holds', 'Reading a plate', 'Believing a hit']) {
        const frame = page.locator(`iframe[title*="${title}"]`)
        await expect(frame).toBeVisible()
        const unit = page.frameLocator('iframe')
        await readToTheEnd(unit)
        await unit.getByRole('button', { name: 'Save and exit' }).click()
        await expect(page.locator('iframe')).toHaveCount(0)
        if (title !== 'Believing a hit') await page.getByRole('button', { name: /next unit/i }).click()
      }
      await page.goto('/my-learning/completed/')
      await expect(page.getByRole('link', { name }).first()).toBeVisible()
    })
  })
}
