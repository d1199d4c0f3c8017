/**
 * The demo module with a film, which is played by keyboard, has captions and a description, and is not required to
 * complete the unit.
 */
import { someOf } from '../support/long.ts'
import { expectAccessible } from './support/axe.ts'
import { findCard } from './support/cards.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const name = 'Reading a Dose-Response Curve'

test.use({ allowedErrors: [/404 .*(cmi5LearnerPreferences|stateId=bookmark)/] })

test.describe('on a phone of the other brand', () => {
  test.use({ site: 'ns', viewport: { width: 360, height: 900 } })

  test('the film plays with captions, and the unit reaches 100 %', async ({ page }) => {
    await haveSession(page, 'instructor', 'ns')
    await (await findCard(page, name)).click()
    await page.waitForURL('**/viewer/**')
    const unit = page.frameLocator('iframe')
    await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
    const next = unit.getByRole('button', { name: 'Next' })
    await next.click()
    const video = unit.getByLabel('How a dose-response curve is made')
    await expect(video).toBeVisible()
    const state = () =>
      video.evaluate((element: HTMLVideoElement) => ({
        isPaused: element.paused,
        time: element.currentTime,
        length: Math.round(element.duration),
        cues: element.textTracks[0]?.cues?.length,
        captions: element.textTracks[0]?.mode,
      }))
    await expect.poll(state).toMatchObject({ isPaused: true, time: 0, length: 36, cues: 9, captions: 'showing' })
    await video.focus()
    await page.keyboard.press('Space')
    await expect.poll(async () => (await state()).time).toBeGreaterThan(0.5)
    await page.keyboard.press('Space')
    await expect.poll(async () => (await state()).isPaused).toBe(true)
    // Near the end, so that the browser requests a range, which the content host answers.
    await video.evaluate((element: HTMLVideoElement) => {
      element.currentTime = 30
    })
    await expect.poll(async () => (await state()).time).toBe(30)
    await unit.getByText('Transcript of the film').click()
    await expect(unit.getByText('A red drop falls on the curve at 50 percent.')).toBeVisible()

    while (await next.isVisible()) await next.click()
    for (const form of await unit.locator('section:visible form[data-question]').all()) {
      for (const value of ((await form.getAttribute('data-correct')) ?? '').split(',')) {
        await form.locator(`input[value="${value}"]`).check()
      }
      await form.getByRole('button', { name: 'Answer' }).click()
      await expect(form.locator('output')).toContainText('Right.')
    }
    await expect(unit.getByText('Your score: 100%. Passed.')).toBeVisible()
    await unit.getByRole('button', { name: 'Finish' }).click()
    await page.waitForURL('**/modules/**')
    await page.goto('/my-learning/completed/')
    await expect(page.getByRole('link', { name }).first()).toBeVisible()
    await expect(page.getByText('100%').first()).toBeVisible()
  })
})

test.describe('on a phone', () => {
  test.use({
    site: 'ns',
    allowedErrors: [/404 .*(cmi5LearnerPreferences|stateId=bookmark)/],
  })

  const modules: readonly [name: string, units: number][] = [
    [name, 1],
    ['ADME and Early Dosing', 2],
    ['GLP Toxicology before the First Dose', 1],
    ['Endpoints and Estimands', 2],
    ['Pharmacovigilance and Risk Management after the First Submission', 2],
    ['Human Genetics as Evidence', 1],
    ['Lead Optimization: One Property at a Time', 1],
    ['Randomization and Blinding', 2],
    ['Finding the Dose', 1],
  ]

  test('every page is accessible and fits the width of a phone', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    // Only this test studies as this person, because another test needs somebody who has begun nothing.
    await haveSession(page, 'admin', 'ns')
    for (const [module, units] of someOf(modules, 4)) {
      await (await findCard(page, module)).click()
      await page.waitForURL('**/viewer/**')
      const unit = page.frameLocator('iframe')
      for (let done = 0; done < units; done++) {
        await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
        await unit.locator('body').evaluate((body) => {
          for (const section of body.querySelectorAll('section')) section.hidden = false
        })
        const overflow = await unit.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth)
        expect(overflow, module).toBeLessThanOrEqual(0)
        // Several pages are shown at once here, and each has its own first heading.
        const frame = await (await page.locator('iframe').elementHandle())?.contentFrame()
        if (!frame) throw new Error(`${module} is not shown in a frame`)
        await expectAccessible(frame, { without: ['page-has-heading-one'] })
        await unit.getByRole('button', { name: 'Save and exit' }).click()
        await expect(page.locator('iframe'), module).toHaveCount(0)
        if (done + 1 < units) await page.getByRole('button', { name: /next unit/i }).click()
      }
    }
  })
})
