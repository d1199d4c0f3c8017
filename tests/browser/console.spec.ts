/** The console: its shell, who sees what in it, and the table of modules with and without JavaScript. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import type { Product } from './support/product.ts'
import { test as base, expect } from './support/server.ts'

const test = base.extend<{ filled: undefined }>({
  filled: [async ({ product }, use) => use(await product.once(addModules)), { auto: true }],
})

const tagged = [
  ['Zeta sample 0077', ['Gel']],
  ['Zeta sample 0078', ['Blotting', 'Centrifuge']],
] as const

/**
 * 120 more modules on one site, where the browser keeps the whole list, and 1,100 on the other, where it gets single
 * pages.
 */
async function addModules({ db }: Product): Promise<undefined> {
  for (const { id: siteId, key } of await db.selectFrom('sites').select(['id', 'key']).execute()) {
    const count = key === 'ns' ? 1100 : 120
    const names = Array.from({ length: count }, (_, index) => `Zeta sample ${String(index).padStart(4, '0')}`)
    const modules = await db
      .insertInto('modules')
      .values(
        names.map((name, index) => ({
          site_id: siteId,
          name,
          name_key: name.toLowerCase(),
          search_key: name.toLowerCase(),
          // The newest module is neither the first nor the last by name.
          updated_at: new Date(Date.now() + (index === 55 ? 60_000 : -index * 60_000)),
          coming_soon: index < 3,
        })),
      )
      .returning(['id', 'name'])
      .execute()
    const plan = await db
      .selectFrom('access_plans')
      .select('id')
      .where('site_id', '=', siteId)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('module_access_plans')
      .values(modules.map(({ id }) => ({ site_id: siteId, module_id: id, access_plan_id: plan.id })))
      .execute()
    for (const [name, texts] of tagged) {
      const { id } = modules.find((module) => module.name === name) ?? { id: 0 }
      for (const text of texts) {
        const tag = await db
          .insertInto('tags')
          .values({ site_id: siteId, text, text_key: text.toLowerCase() })
          .returning('id')
          .executeTakeFirstOrThrow()
        await db.insertInto('module_tags').values({ site_id: siteId, module_id: id, tag_id: tag.id }).execute()
      }
    }
  }
}

const place = '/dashboard/modules/'
const search = (page: Page) => page.getByLabel('Search topic or name')
const foot = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const rows = (page: Page) => page.locator('.livegrid .ag-row[row-index]:has(.name)')
const firstName = (page: Page) => page.locator('.livegrid .ag-row[row-index="0"] .name')

/** The page's requests to the server, except for files and events. */
function watchRequests(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/dashboard/')) asked.push(pathname + search)
  })
  return asked
}

for (const { site, width } of [
  { site: 'institutional', width: 1280 },
  { site: 'ns', width: 360 },
] as const) {
  test.describe(`${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('the table and its menus are accessible', async ({ page }) => {
      await haveSession(page, 'author', site)
      await page.goto(place)
      await expect(page.getByRole('heading', { level: 1, name: 'Manage Modules' })).toBeVisible()
      await expect(page).toHaveTitle(/ : Dashboard : Modules$/)
      if (width === 1280) await expect(rows(page)).toHaveCount(10)
      await expect(foot(page)).toContainText(/1–10 of 1,?[1345]\d/)
      if (width === 360) {
        const first = page.locator('table.datagrid tbody tr').first()
        await page.getByLabel('Sort by').selectOption('Last Updated')
        await expect(first.locator('.name')).toHaveText('Zeta sample 0055')
        await page.getByRole('link', { name: 'Sort ascending' }).click()
        await expect(page).toHaveURL(/sort=updated/)
        await expect(first.locator('.name')).not.toHaveText('Zeta sample 0055')
        await expect(first.getByText('View', { exact: true })).toBeHidden()
        const more = first.getByRole('button', { name: /^More about / })
        await more.click()
        await expect(first.getByText('View', { exact: true })).toBeVisible()
        await expect(more).toHaveAttribute('aria-expanded', 'true')
        const controlled = (await more.getAttribute('aria-controls'))?.split(' ') ?? []
        for (const id of controlled) await expect(first.locator(`[id="${id}"]`)).toHaveClass(/\bminor\b/)
        await expect(first.locator('td.minor')).toHaveCount(controlled.length)
        await more.click()
        await expect(first.getByText('View', { exact: true })).toBeHidden()
      }
      await page.getByRole('button', { name: 'Status' }).click()
      await page.getByLabel('Coming Soon').check()
      await expect(page).toHaveURL(/filter=status-soon/)
      if (width === 1280) await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.keyboard.press('Escape')
      await page.getByRole('checkbox', { name: 'Select Zeta sample 0001' }).check()
      if (width === 1280)
        await page
          .getByRole('button', { name: /^Actions for/ })
          .first()
          .click()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.keyboard.press('Escape')
      await search(page).fill('no such thing')
      await expect(page.getByText('Nothing found for “no such thing”')).toBeVisible()
      await expectNoSidewaysScroll(page)
    })
  })
}

test('C-098 C-274 a short list is searched, filtered, sorted and paged without a request', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await haveSession(page, 'author')
  await page.goto(place)
  await expect(rows(page)).toHaveCount(10)
  await expect(foot(page)).toContainText(/1–10 of 1[345]\d/)
  expect((await rows(page).first().boundingBox())?.height).toBe(70)
  // the bar at the top.
  expect((await page.getByRole('banner').boundingBox())?.height).toBe(68)
  const asked = watchRequests(page)
  await foot(page).getByRole('link', { name: 'Next page' }).click()
  await expect(foot(page)).toContainText('11–20 of')
  await page.getByLabel('Rows per page').selectOption('20')
  await expect(rows(page)).toHaveCount(20)
  await expect(foot(page)).toContainText('1–20 of')
  await page.getByRole('columnheader', { name: 'Name' }).click()
  await expect(firstName(page)).toHaveText('Zeta sample 0119')
  // The first click on a date column sorts the newest first.
  await page.getByRole('columnheader', { name: 'Last Updated' }).click()
  await expect(firstName(page)).toHaveText('Zeta sample 0055')
  await expect(page).toHaveURL(/sort=-updated/)
  await page.getByRole('button', { name: 'Status' }).click()
  await test.step('C-056 in the menu of every filter, also of recipients, All stands for no choice', async () => {
    const [all, soon, draft] = ['All', 'Coming Soon', 'Draft'].map((name) => page.getByLabel(name, { exact: true }))
    if (!all || !soon || !draft) throw new Error('There are three choices')
    await expect(all).toBeChecked()
    await soon.check()
    await draft.check()
    await expect(all).not.toBeChecked()
    await all.check()
    await expect(soon).not.toBeChecked()
    await expect(draft).not.toBeChecked()
    await soon.check()
    await expect(all).not.toBeChecked()
    await soon.uncheck()
    await expect(all).toBeChecked()
    await soon.check()
  })
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Status: Coming Soon' })).toBeFocused()
  await search(page).fill('SAMPLE 000')
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await expect(rows(page)).toHaveCount(10)
  await search(page).fill('GEL')
  await expect(firstName(page)).toHaveText('Zeta sample 0077')
  await expect(rows(page)).toHaveCount(1)
  // A list of one row is only one row high.
  expect((await page.locator('.livegrid').boundingBox())?.height).toBeLessThan(130)
  await test.step('a press on a cell with two tags shows both', async () => {
    await search(page).fill('zeta sample 0078')
    const cell = page.getByRole('button', { name: /all tags of Zeta sample 0078$/ })
    await expect(cell).toContainText('Blotting+1')
    await expect(page.getByRole('listitem').filter({ hasText: 'Centrifuge' })).toHaveCount(0)
    await cell.click()
    const values = page.locator('.popover--values:popover-open').getByRole('listitem')
    await expect(values).toHaveText(['Blotting', 'Centrifuge'])
    await page.keyboard.press('Escape')
    await expect(values).toHaveCount(0)
    await expect(cell).toBeFocused()
  })
  // a search takes at most 100 characters.
  await search(page).fill('x'.repeat(150))
  expect(await search(page).inputValue()).toHaveLength(100)
  await page.getByRole('link', { name: 'Clear the search' }).click()
  await expect(foot(page)).toContainText(/of 1[345]\d/)
  expect(asked).toEqual([])
  // A window that becomes narrow shows the rows of the address too, though no request has asked the server for them.
  await page.setViewportSize({ width: 320, height: 700 })
  const plain = page.locator('table.datagrid tbody tr')
  await expect(plain).toHaveCount(20)
  await expect(plain.first()).toContainText('Zeta sample 0055')
  expect(asked).toEqual([])
  await expectNoSidewaysScroll(page)
})

test('A-006 the address keeps the table’s state through a reload, a dialog, Back and a shared link', async ({
  page,
}) => {
  await haveSession(page, 'author')
  await page.goto(place)
  await search(page).fill('Zeta')
  await expect(foot(page)).toContainText('1–10 of 120')
  await search(page).fill('Zeta sample 00')
  await expect(foot(page)).toContainText('1–10 of 100')
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByLabel('Coming Soon').check()
  await expect(foot(page)).toContainText('1–3 of 3')
  await page.keyboard.press('Escape')
  await page.goBack()
  await expect(foot(page)).toContainText('1–10 of 100')
  await expect(page.getByRole('button', { name: 'Status', exact: true })).toBeVisible()
  await expect(search(page)).toHaveValue('Zeta sample 00')
  // Searching again after a filter or on another page is a step of its own.
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByLabel('Coming Soon').check()
  await expect(foot(page)).toContainText('1–3 of 3')
  await page.keyboard.press('Escape')
  await search(page).fill('Zeta sample 0001')
  await expect(foot(page)).toContainText('1–1 of 1')
  await page.goBack()
  await expect(foot(page)).toContainText('1–3 of 3')
  await expect(search(page)).toHaveValue('Zeta sample 00')
  await page.goBack()
  await expect(foot(page)).toContainText('1–10 of 100')
  await foot(page).getByRole('link', { name: 'Next page' }).click()
  await expect(foot(page)).toContainText('11–20 of 100')
  await search(page).fill('Zeta sample 000')
  await expect(foot(page)).toContainText('1–10 of 10')
  await page.goBack()
  await expect(foot(page)).toContainText('11–20 of 100')
  await page.goBack()
  await expect(foot(page)).toContainText('1–10 of 100')
  // What was typed is one step, however often the typing paused.
  await page.goBack()
  await expect(search(page)).toHaveValue('')
  await expect(page).toHaveURL(new RegExp(`${place}$`))
  await page.goForward()
  await expect(foot(page)).toContainText('1–10 of 100')
  await expect(search(page)).toHaveValue('Zeta sample 00')
  await page.getByRole('columnheader', { name: 'Name' }).click()
  await foot(page).getByRole('link', { name: 'Page 10' }).click()
  await expect(foot(page)).toContainText('91–100 of 100')
  await expect(page).toHaveURL(/\?search=Zeta\+sample\+00&sort=-name&page=10$/)
  const name = await firstName(page).innerText()
  // The last page has no Next button, so the focus moves to Previous.
  await foot(page).getByRole('link', { name: 'Previous page' }).press('Enter')
  await expect(foot(page)).toContainText('81–90 of 100')
  await foot(page).getByRole('link', { name: 'Next page' }).press('Enter')
  await expect(foot(page).getByRole('link', { name: 'Previous page' })).toBeFocused()
  await page.reload()
  await expect(firstName(page)).toHaveText(name)
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('link', { name: `Remove ${name}` }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/modules\/\?search=Zeta\+sample\+00&sort=-name&page=10$/)
  await expect(firstName(page)).toHaveText(name)
})

test.describe('a list of more than a thousand modules', () => {
  test.use({ site: 'ns', viewport: { width: 1280, height: 900 } })

  test('loads page by page, and shows the page in the address', async ({ page }) => {
    await haveSession(page, 'author', 'ns')
    const asked = watchRequests(page)
    await page.goto(`${place}?page=100`)
    await expect(rows(page)).toHaveCount(10)
    await expect(foot(page)).toContainText(/991–1,000 of 1,1/)
    const name = await firstName(page).innerText()
    expect(asked.length).toBeLessThanOrEqual(2)
    await page.reload()
    await expect(firstName(page)).toHaveText(name)
    await expect(page).toHaveURL(/\?page=100$/)
    await foot(page).getByLabel('Go to page').fill('7')
    await foot(page).getByRole('button', { name: 'Go' }).click()
    await expect(foot(page)).toContainText(/61–70 of/)
    await expect(foot(page).getByRole('link', { name: 'Page 7', exact: true })).toHaveAttribute('aria-current', 'page')
    await page.goBack()
    await expect(firstName(page)).toHaveText(name)
    asked.length = 0
    await search(page).pressSequentially('gel', { delay: 30 })
    await expect(firstName(page)).toHaveText('Zeta sample 0077')
    expect(asked).toHaveLength(1)
    await page.getByRole('columnheader', { name: 'Last Updated' }).click()
    await search(page).fill('zeta')
    await expect(firstName(page)).toHaveText('Zeta sample 0055')
  })

  test('a second change before the first one is answered does not undo it', async ({ page }) => {
    await haveSession(page, 'author', 'ns')
    await page.goto(place)
    await expect(rows(page)).toHaveCount(10)
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/modules\.data\?/, async (route) => {
      await isAnswered
      // The browser has given up on all but the last.
      await route.continue().catch(() => {})
    })
    const asked = watchRequests(page)
    await search(page).fill('zeta sample 000')
    await expect.poll(() => asked.join()).toContain('search=zeta')
    await page.getByRole('button', { name: 'Status' }).click()
    await page.getByLabel('Coming Soon').check()
    await expect.poll(() => asked.join()).toContain('filter=status-soon')
    await page.keyboard.press('Escape')
    await page.getByLabel('Rows per page').selectOption('20')
    answer()
    await expect(rows(page)).toHaveCount(3)
    await expect(page).toHaveURL(/\?search=zeta\+sample\+000&filter=status-soon&size=20$/)
    await expect(search(page)).toHaveValue('zeta sample 000')
    await expect(page.getByRole('button', { name: 'Status: Coming Soon' })).toBeVisible()
  })

  test('is filtered by an author whom the menu has to search for', async ({ page, product }) => {
    await addAuthors(product, 'Zeta sample 0500', 205)
    await haveSession(page, 'author', 'ns')
    await page.goto(place)
    await page.getByRole('button', { name: 'Author' }).click()
    await expect(page.getByLabel('Person 204')).toHaveCount(0)
    await page.getByLabel('Search Author').fill('person 204')
    await page.getByLabel('Person 204').check()
    await expect(page).toHaveURL(/filter=author-/)
    await expect(firstName(page)).toHaveText('Zeta sample 0500')
    await expect(rows(page)).toHaveCount(1)
    await page.reload()
    await page.getByRole('button', { name: 'Author: Person 204' }).click()
    await expect(page.getByLabel('Person 204')).toBeChecked()
    await page.getByLabel('Search Author').fill('person 203')
    await page.getByLabel('Person 203').check()
    await expect(page).toHaveURL(/filter=author-.+filter=author-/)
  })

  test('can be selected across pages and changed together, and the rows that failed are listed', async ({
    page,
    product,
  }) => {
    await haveSession(page, 'author', 'ns')
    await page.goto(`${place}?search=zeta&sort=-name`)
    const bar = page.getByRole('region', { name: 'Selection' })
    await page.getByLabel('Select all rows of this page').check()
    await expect(bar).toContainText('10 selected')
    await foot(page).getByRole('link', { name: 'Next page' }).click()
    await page.getByRole('checkbox', { name: 'Select Zeta sample 1089' }).check()
    await expect(bar).toContainText('11 selected · 10 not on this page')
    await bar.getByRole('button', { name: 'Select the first 500' }).click()
    await expect(bar).toContainText('500 selected')
    await expect(
      page.getByRole('checkbox', { name: /Select Zeta sample 1090|Select Zeta sample 1089/ }).first(),
    ).toBeChecked()
    await bar.getByRole('button', { name: 'Clear' }).click()
    await expect(bar).toHaveCount(0)
    await page.getByRole('checkbox', { name: 'Select Zeta sample 1089' }).check()
    await page.getByRole('checkbox', { name: 'Select Zeta sample 1088' }).check()
    await bar.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('None of these 2 modules can be published.')).toBeVisible()
    await expect(dialog.getByText('Please upload a CMI5 zip file')).toHaveCount(2)
    await expect(dialog.getByRole('button', { name: 'Publish' })).toHaveCount(0)
    await page.reload()
    await expect(dialog.getByText('Please upload a CMI5 zip file')).toHaveCount(2)
    await dialog.getByRole('link', { name: 'Close' }).click()
    for (const number of [1089, 1088, 1087]) {
      await page.getByRole('checkbox', { name: `Select Zeta sample ${number}` }).check()
    }
    const asked = watchRequests(page)
    await bar.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByLabel(/Type DELETE/).fill('DELETE')
    // Somebody else is faster.
    await product.db
      .updateTable('modules')
      .set({ deleted_at: new Date() })
      .where('name', '=', 'Zeta sample 1087')
      .where('site_id', '=', (eb) => eb.selectFrom('sites').select('id').where('key', '=', 'ns'))
      .execute()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(dialog.getByText('2 modules removed, 1 not', { exact: true })).toBeVisible()
    await expect(dialog.getByText('This module is no longer there.')).toBeVisible()
    await expectAccessible(page)
    // What failed stays selected.
    await expect(bar).toContainText('1 selected')
    await expect(page.getByText('Zeta sample 1088', { exact: true })).toHaveCount(1)
    // The question, the answer, the progress, and pages of rows, but not the whole list.
    expect(asked.filter((path) => path.includes('modules-rows')).length).toBeLessThanOrEqual(3)
    await dialog.getByRole('link', { name: 'Close' }).click()
    await expect(page.getByText('Remove Modules: 2 of 3 removed, 1 failed.')).toBeVisible()
    // A dialog that is closing still has its own.
    await page.locator('#main').getByRole('button', { name: 'Undo' }).click()
    await expect(dialog.getByText('2 modules restored', { exact: true })).toBeVisible()
    await dialog.getByRole('link', { name: 'Close' }).click()
    await expect(page.getByRole('button', { name: 'Dismiss' })).toHaveCount(0)
    await expect(page).toHaveURL(/\?search=zeta&sort=-name&page=2$/)
    await expect(page.getByRole('link', { name: 'Zeta sample 1088', exact: true })).toBeVisible()
  })
})

test('in a short list, only the changed row and its page are read again after a change', async ({ page, product }) => {
  await haveSession(page, 'author')
  const whole = page.waitForResponse((response) => response.url().includes('modules-rows/?after='))
  await page.goto(`${place}?search=zeta`)
  await whole
  const completions = rows(page).filter({ hasText: 'Zeta sample 0006' }).locator('[col-id="completions"]')
  await expect(completions).toHaveText('0')
  await completeModule(product, 'Zeta sample 0006')
  await page.getByRole('checkbox', { name: 'Select Zeta sample 0004' }).check()
  const asked = watchRequests(page)
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByLabel(/Type DELETE/).fill('DELETE')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('1 module removed', { exact: true })).toBeVisible()
  await expect(foot(page)).toContainText('1–10 of 119')
  expect(asked.filter((path) => path.includes('modules-rows')).join()).toMatch(
    /^\/dashboard\/modules-rows\/\?since=[^,]+$/,
  )
  // Nobody changed that module, so the state of the list says nothing about its figures.
  await expect(completions).toHaveText('1')
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await expect(foot(page)).toContainText('1–10 of 120')
})

/** Versions of the module by so many authors; the last of them made the latest. */
async function addAuthors({ db }: Product, name: string, count: number): Promise<void> {
  const { id, siteId } = await db
    .selectFrom('modules')
    .innerJoin('sites', 'sites.id', 'modules.site_id')
    .select(['modules.id', 'sites.id as siteId'])
    .where('modules.name', '=', name)
    .where('sites.key', '=', 'ns')
    .executeTakeFirstOrThrow()
  const people = await db
    .insertInto('users')
    .values(
      Array.from({ length: count }, (_, index) => ({
        site_id: siteId,
        email: `person${index}@titrate.example`,
        email_key: `person${index}@titrate.example`,
        first_name: 'Person',
        last_name: String(index).padStart(3, '0'),
        search_key: `person ${String(index).padStart(3, '0')}`,
      })),
    )
    .returning('id')
    .execute()
  const versions = await db
    .insertInto('module_versions')
    .values(people.map((person, index) => ({ module_id: id, version: index + 1, author_id: person.id })))
    .returning(['id', 'version'])
    .execute()
  const latest = versions.find(({ version }) => version === count)?.id ?? null
  await db.updateTable('modules').set({ latest_version_id: latest }).where('id', '=', id).execute()
}

async function completeModule({ db }: Product, name: string): Promise<void> {
  const { id, siteId } = await db
    .selectFrom('modules')
    .innerJoin('sites', 'sites.id', 'modules.site_id')
    .select(['modules.id', 'sites.id as siteId'])
    .where('modules.name', '=', name)
    .where('sites.key', '=', 'institutional')
    .executeTakeFirstOrThrow()
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('site_id', '=', siteId)
    .limit(1)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('module_progress')
    .values({ site_id: siteId, module_id: id, user_id: user.id, completed_at: new Date() })
    .execute()
}

test('columns can be chosen and resized, and the browser remembers both', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto(place)
  await expect(rows(page)).toHaveCount(10)
  const head = (name: string) => page.getByRole('columnheader', { name })
  // In this window, neither columns nor actions cover each other.
  const boxes = await page
    .locator('.ag-header-cell')
    .evaluateAll((cells) =>
      cells.map((cell) => cell.getBoundingClientRect()).sort((one, other) => one.left - other.left),
    )
  for (const [index, { left }] of boxes.entries()) {
    if (index > 0) expect(left).toBeGreaterThanOrEqual((boxes[index - 1]?.right ?? 0) - 1)
  }
  const usual = (await head('Author').boundingBox())?.width ?? 0
  await page.getByRole('button', { name: /^Columns/ }).click()
  await page.getByLabel('Tags', { exact: true }).uncheck()
  await expect(head('Tags')).toHaveCount(0)
  await page.keyboard.press('Escape')
  // The width of a hidden column goes to those that need it.
  const before = (await head('Author').boundingBox())?.width ?? 0
  expect(before).toBeGreaterThan(usual + 10)
  const handle = head('Author').locator('.ag-header-cell-resize')
  const at = await handle.boundingBox()
  await page.mouse.move((at?.x ?? 0) + 3, (at?.y ?? 0) + 10)
  await page.mouse.down()
  await page.mouse.move((at?.x ?? 0) + 63, (at?.y ?? 0) + 10, { steps: 5 })
  await page.mouse.up()
  expect((await head('Author').boundingBox())?.width).toBeCloseTo(before + 60, -1)
  await page.reload()
  await expect(rows(page)).toHaveCount(10)
  await expect(head('Tags')).toHaveCount(0)
  expect((await head('Author').boundingBox())?.width).toBeCloseTo(before + 60, -1)
  await page.getByRole('button', { name: 'Columns: 9 of 10' }).click()
  await page.getByRole('button', { name: 'Reset columns and widths' }).click()
  await expect(head('Tags')).toBeVisible()
  expect((await head('Author').boundingBox())?.width).toBeCloseTo(usual, -1)
})

/** Without JavaScript, progress is shown by a link that loads the page again. */
async function refreshUntil(page: Page, text: string): Promise<void> {
  await expect(async () => {
    const refresh = page.getByRole('link', { name: 'Refresh' })
    if (await refresh.isVisible()) await refresh.click()
    await expect(page.getByText(text, { exact: true })).toBeVisible({ timeout: 500 })
  }).toPass()
}

test.describe('on a phone whose scripts never arrive', () => {
  test.use({ viewport: { width: 360, height: 740 }, allowedErrors: [/./] })

  test('minor cells appear after a while', async ({ page }) => {
    await haveSession(page, 'author')
    await page.route('**/*.js', (route) => route.abort())
    await page.goto(place, { waitUntil: 'commit' })
    await expect(page.locator('td.minor').filter({ hasText: 'View' }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: /^More about / })).toHaveCount(0)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, allowedErrors: [/status of 400/] })

  test('the table works with pages, links and forms', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(place)
    const plain = page.locator('table.datagrid tbody tr')
    await expect(plain).toHaveCount(10)
    expect((await plain.first().boundingBox())?.height).toBe(70)
    await foot(page).getByRole('link', { name: 'Next page' }).click()
    await expect(foot(page)).toContainText('11–20 of')
    await foot(page).getByLabel('Go to page').fill('3')
    await foot(page).getByRole('button', { name: 'Go' }).click()
    await expect(foot(page)).toContainText('21–30 of')
    await page.getByLabel('Rows per page').selectOption('20')
    await page.getByRole('button', { name: 'Show' }).click()
    await expect(plain).toHaveCount(20)
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click()
    await expect(page.locator('.name').first()).toHaveText('Zeta sample 0119')
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
    await search(page).fill('gel')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(plain).toHaveCount(1)
    await expect(plain).toContainText('Zeta sample 0077')
    await page.getByRole('button', { name: 'Status' }).click()
    await page.getByLabel('Published', { exact: true }).check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect(page.getByText('Nothing found for “gel”')).toBeVisible()
    await page.getByRole('link', { name: 'Clear search and filters' }).click()
    await expect(plain).toHaveCount(20)
    await page.getByRole('button', { name: /^Columns/ }).click()
    await page.getByLabel('Tags', { exact: true }).uncheck()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect(page.getByRole('columnheader', { name: 'Tags' })).toHaveCount(0)
    await expect(page.getByRole('columnheader', { name: 'Status' })).toBeVisible()
  })

  test('a press on a cell with two tags shows both, and phones show all cells of a row, and no More', async ({
    page,
  }) => {
    await haveSession(page, 'author')
    await page.goto(`${place}?search=zeta+sample+0078`)
    const values = page.locator('.popover--values').filter({ hasText: 'Centrifuge' }).getByRole('listitem')
    await expect(values.first()).toBeHidden()
    await page.getByRole('button', { name: /all tags of Zeta sample 0078$/ }).click()
    await expect(values).toHaveText(['Blotting', 'Centrifuge'])
    await expect(values.last()).toBeVisible()
    await page.setViewportSize({ width: 360, height: 900 })
    const row = page.locator('table.datagrid tbody tr')
    await expect(row.getByText('Blotting').first()).toBeVisible()
    await expect(row.getByText('View', { exact: true })).toBeVisible()
    await expect(page.getByText('More', { exact: true })).toHaveCount(0)
  })

  test('checked rows can be changed with plain forms', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(`${place}?search=zeta&page=3`)
    await page.getByRole('checkbox', { name: 'Select Zeta sample 0021' }).check()
    await page.getByRole('checkbox', { name: 'Select Zeta sample 0022' }).check()
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByRole('heading', { name: 'Remove 2 Modules' })).toBeVisible()
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByText('Please enter the confirmation text above')).toBeVisible()
    await page.getByLabel(/Type DELETE/).fill('DELETE')
    await page.getByRole('button', { name: 'Remove' }).click()
    await refreshUntil(page, '2 modules removed')
    const result = page.url()
    await page.getByRole('link', { name: 'Close' }).first().click()
    await expect(page.locator('.notice')).toContainText('2 modules removed.')
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page).toHaveURL(/\/dashboard\/modules\/\?search=zeta&page=3$/)
    await expect(page.locator('.notice')).toHaveCount(0)
    await page.goto(result)
    await page.getByRole('button', { name: 'Undo' }).click()
    await refreshUntil(page, '2 modules restored')
    await page.getByRole('link', { name: 'Close' }).first().click()
    await expect(page).toHaveURL(/\?search=zeta&page=3$/)
  })
})
