/** What staff do with a learner's attempt, with units and with versions, with and without JavaScript. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { findCard } from './support/cards.ts'
import { importModule } from './support/commands.ts'
import { isDialog } from './support/dialogs.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { aStaffStory, type StaffStory } from './support/staff-story.ts'

// The units of these packages have no files; tests of the services cover their statements. A refused form answers 400.
// In windows of this width, a row shows its actions side by side.
test.use({ allowedErrors: [/status of 40[049]/], viewport: { width: 1440, height: 900 } })

const pageOf = ({ uid, learner }: StaffStory) => `/dashboard/modules/${uid}/learners/${learner.uid}/`
const row = (page: Page, name: RegExp) => page.getByRole('row', { name })

// Each is done in one way, since both ways use the same forms. A test below opens every dialog with scripts.
test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('staff open a unit in a learner’s attempt, abandon its session, waive a unit and move the attempt', async ({
    page,
    product,
  }) => {
    const story = await aStaffStory(product, 'institutional')
    await haveSession(page, 'author')
    await page.goto(pageOf(story))
    await page.getByRole('link', { name: 'Launch Unit 2' }).click()
    await expect(page.getByText('Attempt 1 of María Guadalupe Castellanos-Villaseñor, v1')).toBeVisible()
    await page.getByLabel('Browse').check()
    await page.getByRole('button', { name: 'Launch' }).click()
    await expect(page).toHaveURL(/\/viewer\//)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(
      'Browse, attempt of María Guadalupe Castellanos-Villaseñor',
    )
    await page.getByRole('link', { name: 'Close' }).click()
    await expect(row(page, /^Unit 2 Browse, by /)).toContainText('Still open')

    await page.getByRole('link', { name: 'Abandon the session of Unit 2' }).click()
    await expect(page.getByText('Do you want to end this session of Unit 2?')).toBeVisible()
    await page.getByRole('button', { name: 'Abandon' }).click()
    await expect(page.getByText('The session has been abandoned.')).toBeVisible()
    await expect(row(page, /^Unit 2 Browse, by /)).toContainText(/Abandoned by \w+/)
    await expect(row(page, /^Unit 2 Not started/)).toBeVisible()

    await page.getByRole('link', { name: 'Waive Unit 2' }).click()
    await page.getByRole('button', { name: 'Waive this unit' }).click()
    await expect(page.getByText('Please choose a reason.').first()).toBeVisible()
    await page.getByLabel('Reason').selectOption('Equivalent Outside Activity')
    await page.getByRole('button', { name: 'Waive this unit' }).click()
    await expect(page.getByText('The unit has been waived. The attempt is at 66%.')).toBeVisible()
    await expect(row(page, /^Unit 2 Waived: Equivalent Outside Activity 100%/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Waive Unit 2' })).toHaveCount(0)
    const attempt = new URL(page.url()).search
    for (const [unit, problem] of [
      [story.unitUids[1], 'This unit is waived already.'],
      [story.unitUids[0], 'This unit is done already, so there is nothing to waive.'],
    ]) {
      await page.goto(`${pageOf(story)}waive/${unit}/${attempt}`)
      await expect(page.getByText(problem ?? '')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Waive this unit' })).toHaveCount(0)
    }
    await page.getByRole('link', { name: 'Close' }).last().click()

    await page.getByRole('link', { name: 'Move to another version' }).click()
    await expect(page.getByLabel(`Version of ${story.name}`)).toContainText('v2, published')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await expect(page.getByText('The attempt continues in v2. 2 completed units carry over.')).toBeVisible()
    await expect(row(page, /^Attempt 2 v2/)).toContainText('50%')
    await expect(row(page, /^Attempt 1 v1/)).toContainText('Moved to v2')
  })

  test('staff move all learners who are in another version', async ({ page, product }) => {
    const story = await aStaffStory(product, 'institutional')
    await haveSession(page, 'author')
    await page.goto(`/dashboard/modules/${story.uid}/`)
    await page.getByRole('link', { name: 'Move learners here' }).click()
    await expect(page.getByText('Do you want to move the 1 learner who is in the middle')).toBeVisible()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    // The dialog stays open and shows its progress, also after a reload.
    const outcome = page.locator('.bulk').getByText('1 learner moved', { exact: true })
    await expect(async () => {
      await page.reload()
      await expect(outcome).toBeVisible({ timeout: 1000 })
    }).toPass({ timeout: 15_000 })
    await expect(async () => {
      await page.goto(pageOf(story))
      await expect(row(page, /^Attempt 2 v2/)).toContainText('25%', { timeout: 1000 })
    }).toPass({ timeout: 15_000 })
    await page.goto(`/dashboard/modules/${story.uid}/`)
    await expect(page.getByText('1 learner is in the middle of this module')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Move learners here' })).toHaveCount(0)
  })
})

test('an author sets the rules of a unit and publishes an earlier version again', async ({ page, product }) => {
  const story = await aStaffStory(product, 'institutional')
  await haveSession(page, 'author')
  await page.goto(`/dashboard/modules/${story.uid}/`)
  await page.getByRole('tab', { name: 'Content' }).click()
  await page.getByRole('link', { name: /^Unit rules:/ }).click()
  await page.getByRole('link', { name: 'Change Unit 2' }).click()
  await expect(page.getByText('In the package: 0.6.')).toBeVisible()
  await page.getByLabel('Mastery score').fill('60 %')
  await page.getByLabel('Move on').selectOption('CompletedAndPassed')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('A number from 0 to 1 with at most 4 decimals').first()).toBeVisible()
  await expect(page.getByLabel('Mastery score')).toHaveValue('60 %')
  await page.getByLabel('Mastery score').fill('0')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The unit has been saved. The new rules apply to launches from now on.')).toBeVisible()
  await expect(row(page, /^Unit 2 Completed and passed/)).toContainText('0Package: 0.6')
  await page.getByRole('link', { name: 'v1', exact: true }).click()
  await expect(row(page, /^Unit 2 Completed and passed/)).toBeVisible()

  await page.goto(`/dashboard/modules/${story.uid}/`)
  await page.getByRole('tab', { name: 'Content' }).click()
  await page.getByRole('link', { name: 'Publish v1' }).click()
  await expect(page.getByText('v1 replaces v2, which is live now.')).toBeVisible()
  await expect(page.getByText('1 learner is in the middle of this module')).toBeVisible()
  await page.getByRole('button', { name: 'PUBLISH' }).click()
  await expect(page.getByText(`v1 of module "${story.name}" is published.`)).toBeVisible()
  await expect(page.getByText('v1 is live.')).toBeVisible()
  await page.getByRole('tab', { name: 'Content' }).click()
  const versions = page.getByRole('region', { name: 'Versions' }).getByRole('listitem')
  await expect(versions.filter({ hasText: 'v1' }).locator('.chip')).toHaveText('Published')
  // It was published once, and learners may be in it.
  await expect(versions.filter({ hasText: 'v2' }).locator('.chip')).toHaveText('Replaced')
})

test('when two authors change the rules of a unit, the second sees the first one’s change and decides', async ({
  page,
  product,
  newContext,
}) => {
  const story = await aStaffStory(product, 'institutional')
  const form = `/dashboard/modules/${story.uid}/units/${story.unitUids[1]}/`
  const second = await (await newContext()).newPage()
  await haveSession(page, 'author')
  await haveSession(second, 'admin')
  for (const one of [page, second]) {
    await one.goto(form)
    await isDialog(one)
  }
  await page.getByLabel('Mastery score').fill('0.3')
  await page.getByLabel('Move on').selectOption('Passed')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The unit has been saved.')).toBeVisible()

  await second.getByLabel('Mastery score').fill('0.8')
  await second.getByRole('textbox', { name: /^Launch parameters/ }).fill('By the admin')
  await second.getByRole('button', { name: 'Save' }).click()
  await expect(second.getByText('Somebody else changed the rules of this unit while you were editing')).toBeVisible()
  await expect(second.getByText(/changed this while you were editing\. It is now “0\.3”\./)).toBeVisible()
  await expect(second.getByLabel('Mastery score')).toHaveValue('0.8')
  await expect(second.getByLabel('Move on')).toHaveValue('Passed')
  await expect(second.getByRole('textbox', { name: /^Launch parameters/ })).toHaveValue('By the admin')
  await expectAccessible(second)
  await second.getByLabel('Mastery score').focus()
  await second.getByRole('link', { name: 'Cancel' }).click()
  await second.getByRole('alertdialog').getByRole('button', { name: 'NO' }).click()
  await expect(second.getByText(/It is now “0\.3”\./)).toBeVisible()
  await second.getByRole('button', { name: 'Save' }).click()
  await expect(second.getByText('The unit has been saved.')).toBeVisible()
  await expect(row(second, /^Unit 2 Passed/)).toContainText('0.8Package: 0.6')
})

test.describe('on a phone', () => {
  const site = 'ns'
  test.use({ site, viewport: { width: 360, height: 900 } })

  test('every dialog is accessible', async ({ page, product }) => {
    const story = await aStaffStory(product, site)
    await haveSession(page, 'author', site)
    await page.goto(pageOf(story))
    await page.getByRole('link', { name: 'Launch Unit 3' }).click()
    await page.getByRole('button', { name: 'Launch' }).click()
    await expect(page).toHaveURL(/\/viewer\//)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Review, attempt of')
    await expectNoSidewaysScroll(page)
    const viewer = page.url()
    await page.getByRole('link', { name: 'Close' }).click()
    await expectAccessible(page)
    for (const link of [/^Launch Unit 1/, /^Waive Unit 2/, /^Abandon/, /^Move to/]) {
      await page.getByRole('link', { name: link }).click()
      await expect(page.getByRole('dialog').getByRole('heading')).toBeVisible()
      // The other dialogs are made of the same parts.
      if (link.source.includes('Waive')) await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByRole('dialog').getByRole('link', { name: 'Cancel' }).click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await test.step('after the session has ended, staff open the unit again in the same attempt and mode', async () => {
      await page.getByRole('link', { name: 'Abandon the session of Unit 3' }).click()
      await page.getByRole('button', { name: 'Abandon' }).click()
      await expect(page.getByText('The session has been abandoned.')).toBeVisible()
      await page.goto(viewer)
      await page.getByRole('button', { name: 'Open it again' }).click()
      await expect(page).not.toHaveURL(viewer)
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Review, attempt of')
    })
    for (const path of ['', 'units/', `units/${story.unitUids[2]}/`]) {
      await page.goto(`/dashboard/modules/${story.uid}/${path}`)
      if (path === '') await page.getByRole('tab', { name: 'Content' }).click()
      await expect(page.getByRole('dialog').getByRole('heading', { level: 2 })).toBeVisible()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    }
  })
})

test('the content appears in the window that opened it, also after a reload', async ({ page, product, newContext }) => {
  const name = 'Seen by Staff'
  const html = '<h1>What the learner sees</h1>'
  await importModule(product, name, [{ title: 'The only unit', html }])
  await haveSession(page, 'learner')
  await (await findCard(page, name)).click()
  await page.waitForURL('**/viewer/**')
  await expect(page.frameLocator('iframe').getByRole('heading')).toHaveText('What the learner sees')

  const staff = await (await newContext()).newPage()
  await haveSession(staff, 'author')
  await staff.goto(`/dashboard/modules/?search=${encodeURIComponent(name)}`)
  await staff.getByRole('link', { name: `View the report of ${name}` }).click()
  await staff.getByRole('link', { name: 'Learner List' }).click()
  await staff.getByRole('dialog').locator('.celllink').first().click()
  await staff.getByRole('link', { name: 'Launch The only unit' }).click()
  await expect(staff.getByText('“The only unit” has been open in this attempt since')).toBeVisible()
  await staff.getByRole('button', { name: 'Launch' }).click()
  const unit = staff.frameLocator('iframe')
  await expect(unit.getByRole('heading')).toHaveText('What the learner sees')
  await unit.locator('body').evaluate(async () => {
    await fetch(new URLSearchParams(location.search).get('fetch') ?? '', { method: 'POST' })
  })
  await staff.reload()
  await expect(unit.getByRole('heading')).toHaveText('What the learner sees')
  await expect(staff.getByRole('heading', { level: 1 })).toContainText('Review, attempt of')

  // The learner's own window is told that the unit was opened elsewhere.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByRole('heading', { name: 'Module Session Closed' })).toBeVisible()
})

test.describe('access', () => {
  test.use({ allowedErrors: [/status of 40[034]/] })

  test('learners are refused, and unknown addresses are not found', async ({ page, product }) => {
    const [story, foreign] = [await aStaffStory(product, 'institutional'), await aStaffStory(product, 'ns')]
    const attempts = pageOf(story)
    await haveSession(page, 'author')
    await page.goto(attempts)
    const href = await page.getByRole('link', { name: 'Launch Unit 1' }).getAttribute('href')
    const attempt = new URL(href ?? '', 'http://x').search
    const unit = story.unitUids[0]
    const good = [`launch/${unit}/`, `waive/${unit}/`, 'move/'].map((path) => `${attempts}${path}${attempt}`)
    const units = `/dashboard/modules/${story.uid}/units/`
    for (const path of [...good, units, `${units}${unit}/`]) {
      expect((await page.request.get(path)).status(), path).toBe(200)
    }
    for (const path of [
      `${attempts}launch/${unit}/`,
      `${attempts}launch/${unit}/?attempt=x`,
      `${attempts}launch/x/${attempt}`,
      `${attempts}abandon/x/${attempt}`,
      `${attempts}move/`,
      `${pageOf(foreign)}move/${attempt}`,
      `${units}x/`,
      `${units}?version=9`,
      `${units}?version=x`,
      `/dashboard/modules/${foreign.uid}/units/`,
      `/dashboard/modules/${story.uid}/versions/x/publish/`,
      `/dashboard/modules/${story.uid}/versions/${unit}/publish/`,
    ]) {
      expect((await page.request.get(path)).status(), path).toBe(404)
    }
    await page.context().clearCookies()
    await haveSession(page, 'learner')
    for (const path of [...good, units, `${units}${unit}/`]) {
      expect((await page.request.get(path)).status(), path).toBe(403)
    }
  })
})
