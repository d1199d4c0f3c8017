/** Short sections of the console, such as the glossary, tags and institutions: what only a browser can show. */
import type { Locator } from '@playwright/test'
import { sql } from 'kysely'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { currentProduct } from './support/product.ts'
import { scriptsRun } from './support/scripts-run.ts'
import { expect, test } from './support/server.ts'

test.describe('glossary', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

  test('C-009 C-078 C-079 C-261 terms are searched while typing, and a link is copied', async ({ page }) => {
    await haveSession(page, 'admin')
    await page.goto('/dashboard/glossary/')
    await expectAccessible(page)
    await page.getByRole('searchbox', { name: 'Search terms and definitions' }).fill('biomark')
    await expect(page).toHaveURL(/search=biomark/)
    await expect(page.getByText(/terms? for “biomark”/)).toBeVisible()
    await page.getByRole('link', { name: 'Copy the link to Biomarker', exact: true }).click()
    await expect(page.getByText('URL copied to clipboard')).toBeVisible()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(/\/glossary\/biomarker\/$/)
    await page.getByRole('link', { name: 'Edit Biomarker', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Term' })
    await expect(dialog.getByLabel('Term')).toBeFocused()
    await dialog.getByLabel('Definition').fill('Not saved')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: 'YES' }).click()
    await expect(page).toHaveURL(/glossary\/\?search=biomark/)
  })
})

test('C-105 C-106 tags are staged, kept while searching, reset, and guarded', async ({ page }) => {
  const posts: string[] = []
  page.on('request', (request) => request.method() === 'POST' && posts.push(new URL(request.url()).pathname))
  await haveSession(page, 'admin')
  await page.goto('/dashboard/tags/')
  await expectAccessible(page)
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await expect(save).toBeDisabled()
  await page.getByRole('button', { name: 'Remove ADME' }).click()
  await page.getByRole('searchbox', { name: 'Search tags' }).fill('bias')
  await page.getByRole('button', { name: 'Remove bias' }).click()
  await expect(page.getByText('2 tags will be removed from everything when you save.')).toBeVisible()
  await page.getByRole('link', { name: 'bias', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'NO' }).click()
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(save).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Remove bias' })).toBeVisible()
  expect(posts.filter((path) => path.startsWith('/dashboard/'))).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
})

test('A-042 A-045 A-043 the Modules page has a tab for each section, and Reset restores all of them', async ({
  page,
}) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/modules-page/')
  await expect(page.getByRole('tab')).toHaveText(['Discover', 'Develop', 'Deliver'])
  await expectAccessible(page)
  const names = () => page.getByRole('tabpanel').locator('.sortable-name').allTextContents()
  const before = await names()
  await test.step('A-044 a module and a chapter are dragged by keyboard, as by mouse', async () => {
    const lists = page.getByRole('tabpanel').getByRole('list')
    const namesIn = (list: Locator) =>
      list
        .locator(':scope > li')
        .evaluateAll((rows) => rows.map((row) => row.querySelector('.sortable-name')?.firstChild?.textContent ?? ''))
    const said = page.locator('[id^=DndLiveRegion]').first()
    for (const list of [lists.nth(1), lists.first()]) {
      const all = await namesIn(list)
      expect(all.length).toBeGreaterThan(1)
      await list.getByRole('button', { name: `Drag ${all[0]}`, exact: true }).focus()
      await page.keyboard.press('Space')
      await expect(said).toContainText(`Picked up ${all[0]}.`)
      // The library listens to the arrow keys from its next task on.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
      await page.keyboard.press('ArrowDown')
      await expect(said).toContainText(`${all[0]} is now at position 2 of`)
      await page.keyboard.press('Space')
      await expect.poll(() => namesIn(list)).toEqual([all[1], all[0], ...all.slice(2)])
      // Chapters are folded, so that one step moves past the next.
      for (const summary of await page.getByRole('tabpanel').locator('summary').all()) await summary.click()
    }
    await page.getByRole('button', { name: 'Reset' }).click()
  })
  await page
    .getByRole('button', { name: /^Move .* down$/ })
    .first()
    .click()
  await page.getByRole('tab', { name: 'Develop' }).click()
  await page
    .getByRole('button', { name: /^Move .* down$/ })
    .first()
    .click()
  await expect(page.getByRole('tab', { name: 'Discover changed' })).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('tab', { name: 'Discover', exact: true }).click()
  expect(await names()).toEqual(before)
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
})

test('A-035 A-036 A-040 courses are picked in a dialog, and Reset brings back the saved list', async ({ page }) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/courses-page/')
  await expect(page.getByRole('tab')).toHaveText(['Course List'])
  const names = () => page.locator('.sortable-name').allTextContents()
  const before = await names()
  const [first = ''] = before
  await page.getByRole('button', { name: `Remove ${first}` }).click()
  expect(await names()).toEqual(before.slice(1))
  await page.getByRole('button', { name: 'Add Courses' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Courses' })
  await expect(dialog.getByRole('button', { name: 'Submit' })).toBeDisabled()
  await expect(dialog.getByText('Already in the list').first()).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: `Add ${first}`, exact: true }).click()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  expect(await names()).toEqual([...before.slice(1), first])
  await page.getByRole('button', { name: 'Reset' }).click()
  expect(await names()).toEqual(before)
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
})

test('C-114 C-115 a report asks what to aggregate by, and offers months where a whole one fits', async ({ page }) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/reports/users/?report=logins%2Favg')
  await scriptsRun(page)
  const monthly = page.getByRole('radio', { name: 'Monthly' })
  for (const [period, hasMonths] of [
    ['Last 7 days', false],
    ['This Month', false],
    ['Last Month', true],
    ['This Quarter', true],
    ['This Year', true],
    ['All Time', true],
  ] as const) {
    await page.getByRole('radio', { name: period }).check()
    await expect(monthly, period).toHaveCount(hasMonths ? 1 : 0)
  }
  await page.getByRole('radio', { name: 'Weekly' }).check()
  await page.getByRole('button', { name: 'View' }).click()
  await expect(page.getByText('Choose what to aggregate by').first()).toBeVisible()
  await page.getByRole('radio', { name: 'User', exact: true }).check()
  await page.getByRole('button', { name: 'View' }).click()
  await expect(page).toHaveURL(/[?&]aggregate_by=(&|$)/)
  await test.step('on a phone, its next page and another order begin at the rows', async () => {
    const { db } = currentProduct()
    const { id } = await aUser(db)
    await sql`
      insert into logins (site_id, user_id)
      select site_id, id from users, generate_series(1, 60) where id = ${id}`.execute(db)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/dashboard/reports/logins/?period=all_time')
    await page.getByRole('link', { name: 'Next page' }).click()
    const rows = page.getByRole('region', { name: 'Logins, table' })
    await expect(rows).toBeFocused()
    await expect(page.getByLabel('Sort by')).toBeInViewport()
    await page.getByLabel('Sort by').selectOption('Email')
    await expect(page).toHaveURL(/\?period=all_time&sort=\d#rows$/)
    await expect(page.getByRole('link', { name: 'Sort ascending' })).toHaveAttribute('aria-current', 'true')
    await expectAccessible(page)
  })
})

test('C-108 C-109 C-267 an institution is deleted with a replacement, and brought back', async ({ page }) => {
  const ctx = await aContext(currentProduct().db, { isOperator: true })
  await ensureUniversity(ctx, { name: 'Corvane Therapeutics' })
  const person = await aUser(ctx.db)
  await ensureUniversity(ctx, { name: 'Helvik University' })
  await ctx.db
    .updateTable('users')
    .set((eb) => ({
      university_id: eb.selectFrom('universities').select('id').where('name', '=', 'Helvik University'),
    }))
    .where('id', '=', person.id)
    .execute()
  await haveSession(page, 'admin')
  await page.goto('/dashboard/institutions/')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Delete Institution' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Institution' })
  const [gone, replacement] = [dialog.getByLabel('Institution to delete'), dialog.getByLabel('Replacement')]
  const remove = dialog.getByRole('button', { name: 'Delete', exact: true })
  await gone.selectOption('Helvik University')
  await expect(remove).toBeDisabled()
  await expect(replacement.getByRole('option', { name: 'Helvik University' })).toHaveCount(0)
  await replacement.selectOption('Corvane Therapeutics')
  await gone.selectOption('Corvane Therapeutics')
  await expect(replacement).toHaveValue('')
  await expect(remove).toBeDisabled()
  await gone.selectOption('Helvik University')
  await replacement.selectOption('Corvane Therapeutics')
  await remove.click()
  await expect(dialog.getByText('One person belongs to “Helvik University”.')).toBeVisible()
  await remove.click()
  await expect(page.getByText('Universities have been updated.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('“Helvik University” is back.')).toBeVisible()
  await page.goto('/dashboard/audit-log/?kind=university')
  // The menu is longer than the window.
  const menu = page.getByRole('navigation', { name: 'Console' })
  await expect(menu.getByRole('link', { name: 'Audit Log' })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('link', { name: 'Helvik University', exact: true })).toHaveCount(2)
  await page.goto('/dashboard/settings/')
})

test('by keyboard Undo has the focus after a merger, and by touch a dialog that follows another one has it', async ({
  page,
  newContext,
}) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/tags/')
  // Headless UI would return the focus here when the link that has opened the dialog is gone.
  await page.getByRole('link', { name: 'bias', exact: true }).focus()
  await page.getByRole('link', { name: 'Biomarkers', exact: true }).focus()
  await page.keyboard.press('Enter')
  const edit = page.getByRole('dialog').getByRole('link', { name: 'Merge' })
  await edit.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Merge “Biomarkers”' })
  await dialog.getByLabel('Merge into').selectOption({ index: 1 })
  await dialog.getByRole('button', { name: 'Show what changes' }).press('Enter')
  const merge = dialog.getByRole('button', { name: 'Merge', exact: true })
  await expect(merge).toBeEnabled()
  await merge.press('Enter')
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Tag “Biomarkers” is back.')).toBeVisible()

  const touch = await (await newContext({ hasTouch: true, viewport: { width: 360, height: 740 } })).newPage()
  await haveSession(touch, 'admin')
  await touch.goto('/dashboard/tags/')
  await touch.getByRole('link', { name: 'Biomarkers', exact: true }).tap()
  await touch.getByRole('dialog').getByRole('link', { name: 'Merge' }).tap()
  const heading = touch.getByRole('dialog').getByRole('heading', { name: 'Merge “Biomarkers”' })
  await expect(heading).toBeFocused()
})

test.describe('without JavaScript', () => {
  // The layout is the same as with it, and a page opens in half of the time.
  test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } })

  test('nothing scrolls sideways on a phone', async ({ page }) => {
    await haveSession(page, 'admin')
    for (const path of [
      'glossary/',
      'glossary/new/',
      'glossary/import/',
      'institutions/',
      'settings/',
      'audit-log/',
      'plans/',
      'groups/',
      'groups/why/?who=a&kind=modules&what=a',
    ]) {
      await page.goto(`/dashboard/${path}`)
      await expectNoSidewaysScroll(page)
    }
  })
})

test('an audience is counted while its conditions change, and what was typed stays', async ({ page }) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/audiences/')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'New Audience' }).click()
  const dialog = page.getByRole('dialog', { name: 'New Audience' })
  await dialog.getByLabel('Name', { exact: true }).fill('Counted')
  const add = dialog.getByRole('button', { name: 'Add condition' })
  await dialog.getByLabel('First condition').selectOption('Group')
  await add.click()
  await expect(dialog.getByRole('heading', { name: 'Group' })).toBeFocused()
  await dialog.getByRole('checkbox', { name: 'Learners' }).check()
  const count = dialog.getByText(/all conditions now/)
  await expect(count).toBeVisible()
  const before = (await count.textContent()) ?? ''
  await dialog.getByLabel('Another condition').selectOption('Last seen')
  await add.click()
  await expect(dialog.getByLabel('Days')).toHaveValue('30')
  await dialog.getByRole('button', { name: 'Remove the condition about Last seen' }).click()
  await expect(dialog.getByLabel('Days')).toHaveCount(0)
  await dialog.getByLabel('Another condition').selectOption('Modules')
  await add.click()
  const modules = dialog.getByRole('group', { name: 'Modules', exact: true })
  await modules.getByLabel('The person has').selectOption('started any of these without completing it')
  await modules
    .getByRole('button', { name: /^Add (?!all|the first)/ })
    .first()
    .click()
  await expect(count).toBeVisible()
  await expect(count).not.toHaveText(before)
  await expect(dialog.getByRole('checkbox', { name: 'Learners' })).toBeChecked()
  await page.setViewportSize({ width: 360, height: 800 })
  await expectNoSidewaysScroll(page)
  await dialog.getByRole('button', { name: 'Remove the condition about Group' }).click()
  await expect(dialog.getByRole('checkbox', { name: 'Learners' })).toBeHidden()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Audience “Counted” has been created.')).toBeVisible()
  await page.getByRole('link', { name: 'Counted', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Counted' })).toBeVisible()
  await expectNoSidewaysScroll(page)
})
