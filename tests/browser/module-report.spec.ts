/** What staff read about a module: report, learner list and files, courses, links by name, and a learner's attempts. */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { csvFileName } from '~/lib/csv.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { type FilledModule, fillReports, formulaName } from './support/report.ts'
import { test as base, expect } from './support/server.ts'

const test = base.extend<{ filled: Record<'institutional' | 'ns', FilledModule> }>({
  filled: async ({ product }, use) => use(await product.once(fillReports)),
})

// In windows of this width, a row shows its actions side by side.
test.use({ viewport: { width: 1440, height: 900 } })

const place = '/dashboard/modules/'
const reportOf = (module: FilledModule) => `${place}${module.uid}/report/`
const grid = (page: Page) => page.getByRole('dialog').locator('.livegrid .ag-row[row-index]:has(.name)')

/** The file that a click downloads: its name and its text. */
async function saved(page: Page, click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

test.describe('on a phone', () => {
  const site = 'ns'
  test.use({ site, viewport: { width: 360, height: 900 } })

  test('every page is accessible', async ({ page, filled }) => {
    const module = filled[site]
    await haveSession(page, 'author', site)
    for (const path of [
      reportOf(module),
      `${reportOf(module)}learners/`,
      `${place}${module.empty}/report/learners/`,
      `${place}${module.uid}/courses/`,
      `${place}interlinking/?module=Dose`,
    ]) {
      await page.goto(path)
      await expect(page).toHaveTitle(/ : Dashboard : Modules( : |$)/)
      // A list without rows and one of courses are made of the same parts.
      if (!path.includes(module.empty) && !path.endsWith('/courses/')) await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    }
    await page.goto(`${place}${module.uid}/learners/${module.learner}/`)
    const attempt = page.getByRole('link', { name: 'Attempt 1' })
    // The link is higher than its line by a border, which forced colors would paint over the text.
    await page.emulateMedia({ forcedColors: 'active' })
    await expect(attempt).toHaveCSS('border-top-width', '0px')
    await page.emulateMedia({ forcedColors: 'none' })
    await attempt.click()
    await expect(page.getByRole('heading', { name: 'Units of Attempt 1' })).toBeVisible()
    await page.locator('.statements summary').first().click()
    await expect(page.locator('.statements pre').first()).toBeVisible()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
})

test('A-059 C-102 C-104 C-251 the report opens over the table, its figures are downloaded without a request, and closing returns to the table', async ({
  page,
  filled,
}) => {
  const { name } = filled.institutional
  await haveSession(page, 'author')
  // The table behind the report fetches its own rows first.
  const rows = page.waitForResponse('**/modules-rows/**')
  await page.goto(place)
  await rows
  await page.getByRole('link', { name: `View the report of ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `Report: ${name}` })
  await expect(dialog.getByText('Average score')).toBeVisible()
  await expect(dialog.getByText('130 people have opened this module, and 44 have completed it.')).toBeVisible()
  await dialog.getByRole('link', { name: 'Learner List' }).click()
  await expect(grid(page).first()).toBeVisible()
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: /edit|remove|delete/i })).toHaveCount(0)
  await dialog.getByRole('link', { name: 'Stats' }).click()
  await expect(dialog.getByText('Users with access')).toBeVisible()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const file = await saved(page, () => dialog.getByRole('link', { name: 'EXPORT CSV' }).click())
  expect(file.name).toBe(csvFileName('ModuleStatistics', name))
  const [head, row] = file.text.split('\r\n')
  expect(head).toBe('\ufeffModule name,Total users,Users with access,Starts,Completions,Average score')
  expect(row).toMatch(/^"A\/B: ""dose"" <b>\*\?\|\\ 5 % of 10 mg",\d+,\d+,130,44,\d+%$/)
  expect(asked.filter((path) => path.includes('/export/'))).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1, name: 'Manage Modules' })).toBeVisible()
})

test('C-252 the learner list filters while somebody types, its file has the rows that are shown, and the way back keeps both', async ({
  page,
  filled,
}) => {
  const module = filled.institutional
  await haveSession(page, 'author')
  await page.goto(`${reportOf(module)}learners/?sort=-updated`)
  // Not the page that the server sent: from that page, the file also comes from the server.
  await expect(grid(page)).toHaveCount(10)
  await expect(page.getByText('1–10 of 130')).toBeVisible()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const all = await saved(page, () => page.getByRole('link', { name: 'EXPORT CSV' }).click())
  expect(all.name).toBe(csvFileName('ModuleLearners', module.name))
  expect(all.text.trimEnd().split('\r\n')).toHaveLength(131)
  expect(all.text.split('\r\n')[0]).toBe('\ufeffName,Email,Started (UTC),Completed (UTC),Progress,Score')
  await page.getByLabel('Search name or email').fill('SAMPLE 00')
  await expect(page.getByText('1–10 of 10')).toBeVisible()
  const some = await saved(page, () => page.getByRole('link', { name: 'EXPORT CSV' }).click())
  expect(some.text.trimEnd().split('\r\n')).toHaveLength(11)
  expect(asked.filter((path) => path.includes('/export/'))).toEqual([])
  await expectAccessible(page)
  await page.getByLabel('Search name or email').fill('Castellanos')
  await expect(grid(page)).toHaveCount(1)
  await page.getByRole('link', { name: /Castellanos/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'María Guadalupe Castellanos-Villaseñor' })).toBeVisible()
  await test.step('the link back from a learner restores the list and the table under it', async () => {
    const attempt = page.getByRole('link', { name: 'Attempt 1' })
    // The keyboard was used last, so the link has its ring, which its cell must not clip.
    await page.keyboard.press('Shift')
    await attempt.focus()
    await expect(page.locator('.cell:has(:focus-visible)')).toHaveCSS('overflow', 'visible')
    await attempt.click()
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByRole('link', { name: 'Launch Unit 1' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: `Learners of ${module.name}` }).click()
    await expect(page.getByLabel('Search name or email')).toHaveValue('Castellanos')
    await expect(grid(page)).toHaveCount(1)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await expect(page).toHaveURL(/\/dashboard\/modules\/\?sort=-updated$/)
  })
})

test('a learner can be opened while a search is still waiting to be sent', async ({ page, filled }) => {
  await haveSession(page, 'author')
  // The rows of the live grid arrive late, and so does the learner's page.
  await page.route('**/learners-rows**', () => {})
  await page.route('**/learners/*.data**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 800))
    await route.continue()
  })
  await page.goto(`${reportOf(filled.institutional)}learners/`)
  const name = 'María Guadalupe Castellanos-Villaseñor'
  const link = page.getByRole('link', { name })
  await expect(link).toBeVisible()
  await page.getByLabel('Search name or email').fill('Castellanos')
  // Keeps the browser busy until the search is due, so that nothing on the page knows of the press by then.
  await link.evaluate((row: HTMLAnchorElement) => {
    row.click()
    const end = performance.now() + 400
    while (performance.now() < end);
  })
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
})

test('A-056 A-057 C-010 C-099 a link by name can be created, copied and opened, and a refused clipboard shows a message', async ({
  page,
  filled,
  origin,
  context,
}) => {
  const name = 'First in Human'
  expect(filled.institutional.name).not.toBe(name)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await haveSession(page, 'author')
  await page.goto(place)
  await page.getByRole('link', { name: 'Module Interlinking' }).click()
  const dialog = page.getByRole('dialog', { name: 'Module Interlinking' })
  await expect(dialog.getByLabel('Module name')).toBeFocused()
  await dialog.getByLabel('Module name').fill(' A & B ')
  await expect(dialog.getByLabel('Link', { exact: true })).toHaveValue(`${origin}/lms/m/module_link?module=A%20%26%20B`)
  await expect(dialog.getByText('No module on this site has this name yet')).toBeVisible()
  await dialog.getByLabel('Module name').fill(name)
  await expect(dialog.getByText('The link opens the module for everyone')).toBeVisible()
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByText('URL copied to clipboard')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toBe(`${origin}/lms/m/module_link?module=First%20in%20Human`)
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
  })
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByText('Error copying URL to clipboard.')).toBeVisible()
  await page.goto(link)
  await page.waitForURL('**/viewer/**')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the report is two pages, links page through its list, and its files are links', async ({ page, filled }) => {
    const module = filled.institutional
    await haveSession(page, 'author')
    await page.goto(reportOf(module))
    await expect(page.getByRole('heading', { level: 1, name: `Report: ${module.name}` })).toBeVisible()
    const file = await saved(page, () => page.getByRole('link', { name: 'EXPORT CSV' }).click())
    expect(file.name).toBe(csvFileName('ModuleStatistics', module.name))
    expect(file.text.split('\r\n')[1]).toMatch(/,130,44,\d+%$/)
    await page.getByRole('link', { name: 'Learner List' }).click()
    await expect(page.getByText('1–10 of 130')).toBeVisible()
    // One file has the whole list, from all batches.
    const whole = await saved(page, () => page.getByRole('link', { name: 'EXPORT CSV' }).click())
    const rows = whole.text.trimEnd().split('\r\n')
    expect([rows.length, new Set(rows).size]).toEqual([131, 131])
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect(page.getByText('11–20 of 130')).toBeVisible()
    await page.getByRole('link', { name: 'Score' }).click()
    await page.getByLabel('Search name or email').fill('eve')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page.locator('table.datagrid tbody tr')).toHaveCount(1)
    const found = await saved(page, () => page.getByRole('link', { name: 'EXPORT CSV' }).click())
    expect(found.name).toBe(csvFileName('ModuleLearners', module.name))
    expect(found.text.split('\r\n')).toHaveLength(3)
    expect(found.text).toContain(`Eve ${formulaName}`.replaceAll('"', '""'))
    await page.getByRole('link', { name: /^Eve/ }).click()
    await expect(page.getByText('has not opened this module yet')).toBeVisible()
    await page.getByRole('link', { name: `Learners of ${module.name}` }).click()
    await expect(page.getByLabel('Search name or email')).toHaveValue('eve')
    await expect(page.locator('table.datagrid tbody tr')).toHaveCount(1)
    await page.getByRole('link', { name: 'Close' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Manage Modules' })).toBeVisible()
  })

  test('attempts are described in words, in pages, with voided statements marked; courses are a list, and a link by name is shown for copying', async ({
    page,
    filled,
    origin,
  }) => {
    const { uid, learner } = filled.institutional
    await haveSession(page, 'author')
    await page.goto(`${place}${uid}/learners/${learner}/`)
    await expect(page.getByRole('heading', { name: 'Units of Attempt 2' })).toBeVisible()
    await page.getByRole('link', { name: 'Attempt 1' }).click()
    await expect(page.getByRole('row', { name: /Unit 2 Passed 100% 80% 10 s/ })).toBeVisible()
    const launch = page.getByRole('row', { name: /Unit 2 Normal / })
    await expect(launch).toBeVisible()
    await expect(launch).not.toContainText(/Abandoned|Still open/)
    const said = page.locator('.statements .sentence')
    const passed = 'María Guadalupe Castellanos-Villaseñor passed “Unit 2”, score 80%, 10 s'
    await expect(said.filter({ hasText: passed })).toHaveCount(1)
    const voided = page.locator('.statements li.is-voided')
    await expect(voided).toHaveCount(1)
    await expect(voided).toContainText('answered “Which well turned first?”, answer: Well A1, right Voided')
    await voided.locator('summary').click()
    await expect(voided.locator('pre')).toContainText('"interactionType": "choice"')
    const total = await said.count()
    expect(total).toBeLessThanOrEqual(100)
    await page.getByRole('link', { name: 'Older' }).click()
    await expect(said.last()).toHaveText('María Guadalupe Castellanos-Villaseñor launched “Unit 1”')
    await page.getByRole('link', { name: 'Newest' }).click()
    await expect(said.filter({ hasText: passed })).toHaveCount(1)
    await page.goto(`${place}${uid}/courses/`)
    // C-102: the column of courses leads to their list.
    await expect(page.getByText('No courses contain this module')).toBeVisible()
    await page.goto(`${place}interlinking/?search=x`)
    await page.getByLabel('Module name').fill('A & B')
    await page.getByRole('button', { name: 'Create link' }).click()
    await expect(page.getByLabel('Link', { exact: true })).toHaveValue(`${origin}/lms/m/module_link?module=A%20%26%20B`)
    await expect(page).toHaveURL(/search=x/)
  })
})

test.describe('access', () => {
  test.use({ allowedErrors: [/status of 40[034]/] })

  test('learners are refused; unknown names and uids of the other site are not found', async ({ page, filled }) => {
    const { uid, learner } = filled.institutional
    const paths = [
      'report/',
      'report/learners/',
      'learners-rows/',
      'export/statistics/',
      'export/learners/',
      'courses/',
    ]
    const all = [...paths.map((path) => `${place}${uid}/${path}`), `${place}${uid}/learners/${learner}/`]
    await haveSession(page, 'learner')
    for (const path of [...all, `${place}interlinking/`])
      expect((await page.request.get(path)).status(), path).toBe(403)
    await page.context().clearCookies()
    expect((await page.request.get(all[0] ?? '')).url()).toMatch(/\/login\/\?next=/)
    await haveSession(page, 'author')
    const foreign = all.map((path) => path.replace(uid, filled.ns.uid).replace(learner, filled.ns.learner))
    const odd = [`${place}${uid}/export/nothing/`, `${place}${uid}/learners/${learner}/?attempt=x`, `${place}x/report/`]
    const data = `${place}${filled.ns.uid}/report/learners.data?_routes=routes%2Fdashboard.modules.%24uid_.report.learners`
    for (const path of [...foreign, ...odd, `${place}x/learners-rows/`, data]) {
      expect((await page.request.get(path)).status(), path).toBe(404)
    }
    for (const query of [
      '?attempt=',
      '?before=x',
      '?before=1e999',
      '?learners.page=-1&learners.sort=evil&learners.search=%F0%9F%92%8A',
    ]) {
      const status = (await page.request.get(`${all.at(-1)}${query}`)).status()
      expect(status, query).toBeLessThan(500)
    }
  })
})

test('a page takes few queries, and a dialog adds few to those of the table under it', async ({
  page,
  filled,
  product,
}) => {
  const { uid, learner } = filled.institutional
  await haveSession(page, 'author')
  const queriesOnce = async (path: string) => {
    const reply = await page.request.get(path)
    expect(reply.status(), path).toBe(200)
    const id = reply.headers()['x-request-id'] ?? 'no id'
    const lineOf = () =>
      product
        .log()
        .split('\n')
        .find((line) => line.includes(id) && line.includes('"queries"'))
    await expect.poll(lineOf).toBeDefined()
    return (JSON.parse(lineOf() ?? '{}') as { queries: number }).queries
  }
  // Once a minute a request also notes when the session was last used.
  const queriesOf = async (path: string) => Math.min(await queriesOnce(path), await queriesOnce(path))
  const table = await queriesOf(place)
  expect(table).toBeLessThanOrEqual(14)
  for (const path of [`learners/${learner}/`, 'learners-rows/', 'export/statistics/', 'export/learners/']) {
    expect(await queriesOf(`${place}${uid}/${path}`), path).toBeLessThanOrEqual(8)
  }
  for (const path of [`${uid}/report/`, `${uid}/report/learners/`, `${uid}/courses/`, 'interlinking/']) {
    expect((await queriesOf(`${place}${path}`)) - table, path).toBeLessThanOrEqual(path.includes('learners') ? 7 : 3)
  }
})
