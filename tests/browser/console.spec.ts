/** The console: its shell and who sees what of it, and the table of modules with and without JavaScript. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { enter, haveSession } from './support/people.ts'
import type { Product } from './support/product.ts'
import { test as base, expect } from './support/server.ts'
import { views } from './support/views.ts'

const test = base.extend<{ filled: undefined }>({
  filled: [async ({ product }, use) => use(await product.once(addModules)), { auto: true }],
})

/** 120 more on each site. */
async function addModules({ db }: Product): Promise<undefined> {
  for (const site of await db.selectFrom('sites').select(['id']).execute()) {
    const names = Array.from({ length: 120 }, (_, index) => `Zeta sample ${String(index).padStart(3, '0')}`)
    const modules = await db
      .insertInto('modules')
      .values(names.map((name) => ({ site_id: site.id, name, name_key: name.toLowerCase(), search_key: name })))
      .returning(['id', 'name'])
      .execute()
    const plan = await db
      .selectFrom('access_plans')
      .select('id')
      .where('site_id', '=', site.id)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('module_access_plans')
      .values(modules.map(({ id }) => ({ site_id: site.id, module_id: id, access_plan_id: plan.id })))
      .execute()
    const tag = await db
      .insertInto('tags')
      .values({ site_id: site.id, text: 'Gel', text_key: 'gel' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const tagged = modules.find(({ name }) => name === 'Zeta sample 077')
    await db
      .insertInto('module_tags')
      .values({ site_id: site.id, module_id: tagged?.id ?? 0, tag_id: tag.id })
      .execute()
  }
}

const search = (page: Page) => page.getByLabel('Search topic or name')
const foot = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const quiet = [/status of 40[034]/]

for (const { site, width } of views) {
  test.describe(`${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('the table can be read and operated by everybody', async ({ page }) => {
      await haveSession(page, 'author', site)
      await page.goto('/dashboard/modules/')
      await expect(page.getByRole('heading', { level: 1, name: 'Manage Modules' })).toBeVisible()
      await expect(page).toHaveTitle(/ : Dashboard : Modules$/)
      if (width === 1440) await expect(page.locator('.livegrid .ag-row').first()).toBeVisible()
      await expect(foot(page)).toContainText(/1–10 of 1[345]\d/)
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await search(page).fill('no such thing')
      await search(page).press('Enter')
      await expect(page.getByText('Nothing found for “no such thing”')).toBeVisible()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    })
  })
}

test('the grid finds, sorts and pages all modules, in rows of 70 px', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/modules/')
  const rows = page.locator('.livegrid .ag-row[row-index]:has(.name)')
  await expect(rows).toHaveCount(10)
  expect((await rows.first().boundingBox())?.height).toBe(70)
  await foot(page).getByRole('button', { name: 'Next page' }).click()
  await expect(foot(page)).toContainText('11–20 of')
  await page.getByLabel('Rows per page').selectOption('20')
  await expect(rows).toHaveCount(20)
  await page.getByRole('columnheader', { name: 'Name' }).click()
  await expect(page.locator('.livegrid .name').first()).toHaveText('Zeta sample 119')
  await search(page).fill('GEL')
  await expect(rows).toHaveCount(1)
  await expect(page.locator('.livegrid .name')).toHaveText('Zeta sample 077')
  await search(page).fill('x'.repeat(150))
  expect(await search(page).inputValue()).toHaveLength(100)
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await expect(foot(page)).toContainText(/of 1[345]\d/)
  await page.setViewportSize({ width: 320, height: 700 })
  await expect(page.locator('table.datagrid')).toBeVisible()
  await expectNoSidewaysScroll(page)
})

test('the grid writes what it shows into the address, and a reload and a dialog keep it', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/modules/')
  await expect(page.locator('.livegrid .name').first()).toBeVisible()
  await search(page).fill('Zeta sample 00')
  await expect(foot(page)).toContainText(/1–10 of 10/)
  await page.getByRole('columnheader', { name: 'Name' }).click()
  await expect(foot(page)).toContainText(/1–10 of/)
  await expect(page).toHaveURL(/\?search=Zeta\+sample\+00&sort=-name$/)
  const name = await page.locator('.livegrid .name').first().innerText()
  await page.reload()
  await expect(page.locator('.livegrid .name').first()).toHaveText(name)
  await page.getByRole('link', { name: `Remove ${name}` }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/modules\/\?search=Zeta\+sample\+00&sort=-name$/)

  // The last page has no way on: the focus is on the way back.
  await search(page).fill('Zeta sample 01')
  await search(page).fill('Zeta')
  await page.getByLabel('Rows per page').selectOption('20')
  const next = foot(page).getByRole('button', { name: 'Next page' })
  while (await next.isVisible()) await next.press('Enter')
  await expect(foot(page).getByRole('button', { name: 'Previous page' })).toBeFocused()
  await expect(page).toHaveURL(/page=\d/)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the same table is pages, links and forms', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/modules/')
    const rows = page.locator('table.datagrid tbody tr')
    await expect(rows).toHaveCount(10)
    expect((await rows.first().boundingBox())?.height).toBe(70)
    await foot(page).getByRole('link', { name: 'Next page' }).click()
    await expect(foot(page)).toContainText('11–20 of')
    await page.getByLabel('Rows per page').selectOption('20')
    await page.getByRole('button', { name: 'Show' }).click()
    await expect(rows).toHaveCount(20)
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click()
    await expect(page.locator('.name').first()).toHaveText('Zeta sample 119')
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
    await search(page).fill('gel')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(rows).toHaveCount(1)
    await expect(rows).toContainText('Zeta sample 077')
    await search(page).fill('<nothing>')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page.getByText('Nothing found for “<nothing>”')).toBeVisible()
    await page.getByRole('link', { name: 'Clear the search' }).click()
    await expect(rows).toHaveCount(10)
  })
})

test('an unknown page leads to the modules, and an author sees three sections', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/nonsense/')
  await expect(page).toHaveURL(/\/dashboard\/modules\/$/)
  await page.goto('/dashboard/modules')
  await expect(page).toHaveURL(/\/dashboard\/modules\/$/)
  const sections = page.getByRole('navigation', { name: 'Console' }).getByRole('link')
  await expect(sections).toHaveText(['Manage Courses', 'Manage Modules', 'Manage Lectures'])
  await expect(sections.nth(1)).toHaveAttribute('aria-current', 'page')
  await expect(sections.nth(0)).toHaveAttribute('aria-disabled', 'true')
})

test('an admin sees four groups with eleven sections', async ({ page }) => {
  await enter(page, 'admin')
  await expect(page).toHaveURL(/\/dashboard\/modules\/$/)
  const nav = page.getByRole('navigation', { name: 'Console' })
  await expect(nav.getByRole('heading')).toHaveText([
    'Reporting & Communication',
    'Learning Content',
    'LMS Users',
    'Page Content',
  ])
  await expect(nav.getByRole('link')).toHaveCount(11)
})

test.describe('refused', () => {
  test.use({ allowedErrors: quiet })

  test('an author has no access to the sections of admins, and nothing lies deeper', async ({ page }) => {
    await haveSession(page, 'author')
    for (const id of [
      'users',
      'reports',
      'messages',
      'tags',
      'institutions',
      'courses-page',
      'modules-page',
      'glossary',
    ]) {
      expect((await page.goto(`/dashboard/${id}/`))?.status(), id).toBe(403)
      await expect(page.getByRole('heading', { name: 'Sorry, you do not have access to this page.' })).toBeVisible()
    }
    expect((await page.goto('/dashboard/modules/no/such/place/'))?.status()).toBe(404)
    await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible()
  })

  test('a learner meets the Access Error, and the rows are not handed out', async ({ page }) => {
    await haveSession(page, 'learner')
    await page.goto('/dashboard/modules/')
    await expect(page.getByText('You are not currently logged in under an admin account')).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Console' })).toHaveCount(0)
    expect((await page.request.get('/dashboard/modules-rows/')).status()).toBe(403)
  })
})
