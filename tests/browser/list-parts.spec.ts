/**
 * The console's parts for lists: order, pickers, long-running work, charts and CSV import, each on its example page.
 */
import { readFile } from 'node:fs/promises'
import { expectAccessible, expectNoSidewaysScroll, waitForAnimations } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import type { Product } from './support/product.ts'
import { expect, test } from './support/server.ts'

const order = '/dashboard/parts/sortable-list/'

test.describe('sortable list', () => {
  test.use({ allowedErrors: [/status of 422/] })

  test('works by mouse, keyboard and buttons, with Reset and Save, and tells the second person about a conflict', async ({
    page,
    newContext,
  }) => {
    await haveSession(page, 'admin')
    await page.goto(order)
    const chapters = page.locator('.sortable').first().locator(':scope > li')
    const names = () => chapters.locator('> .sortable-row .sortable-name').allTextContents()
    const [one = '', two = '', three = ''] = await names()
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
    await page.getByRole('button', { name: `Move ${one} down`, exact: true }).click()
    expect((await names()).slice(0, 3)).toEqual([two, one, three])
    await expect(page.getByRole('button', { name: `Move ${one} down`, exact: true })).toBeFocused()
    await expect(page.getByText(`${one} is now at position 2 of`)).toBeAttached()
    await expect(page.getByText('The order has changed and is not saved yet.')).toBeVisible()
    // A link to the same page with another query asks too.
    await page.getByRole('link', { name: 'Let modules move between chapters' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'NO' }).click()
    expect((await names()).slice(0, 3)).toEqual([two, one, three])
    await page.getByRole('button', { name: 'Reset' }).click()
    expect((await names()).slice(0, 3)).toEqual([one, two, three])

    const said = page.locator('[id^=DndLiveRegion]')
    for (const summary of await page.locator('.sortable summary').all()) await summary.click()
    const pickUp = async () => {
      await page.keyboard.press('Space')
      await expect(said).toContainText(`Picked up ${one}. It is at position 1 of`)
      // The library listens to the arrow keys from its next task on.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    }
    await page.getByRole('button', { name: `Drag ${one}`, exact: true }).focus()
    await pickUp()
    await page.keyboard.press('ArrowDown')
    await expect(said).toContainText(`${one} is now at position 2 of`)
    await page.keyboard.press('Escape')
    expect((await names()).slice(0, 3)).toEqual([one, two, three])
    // The rows slide back, and a moving row would be measured on its way.
    await waitForAnimations(page)
    await pickUp()
    await page.keyboard.press('ArrowDown')
    await expect(said).toContainText(`${one} is now at position 2 of`)
    await page.keyboard.press('Space')
    await expect.poll(names).toEqual([two, one, three, ...(await names()).slice(3)])
    await waitForAnimations(page)

    const [from, to] = await Promise.all(
      [three, two].map((name) => page.getByRole('button', { name: `Drag ${name}`, exact: true }).boundingBox()),
    )
    if (!from || !to) throw new Error('There is no handle')
    await page.mouse.move(from.x + 20, from.y + 20)
    await page.mouse.down()
    await page.mouse.move(to.x + 20, to.y + 30, { steps: 8 })
    await page.mouse.move(to.x + 20, to.y + 10, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => (await names()).slice(0, 3)).toEqual([three, two, one])

    const other = await (await newContext()).newPage()
    await haveSession(other, 'admin')
    await other.goto(order)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Order has been saved.')).toBeVisible()
    const [bar, notice] = await Promise.all([
      page.locator('.orderform-foot').boundingBox(),
      page.locator('.toast').boundingBox(),
    ])
    if (!bar || !notice) throw new Error('There is no bar or no notice')
    const isApart = notice.x >= bar.x + bar.width || notice.y + notice.height <= bar.y
    expect(isApart, 'the notice leaves the bar free').toBe(true)
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
    await other.getByRole('button', { name: `Move ${one} down`, exact: true }).click()
    await other.getByRole('button', { name: 'Save' }).click()
    await expect(other.getByRole('alert')).toContainText('in the meantime')
    await other.getByRole('button', { name: 'Save' }).click()
    await expect(other.getByText('Order has been saved.')).toBeVisible()
  })

  test('a module can be dragged into the next chapter, also by touch', async ({ newContext }) => {
    const page = await (await newContext({ hasTouch: true, viewport: { width: 360, height: 800 } })).newPage()
    await haveSession(page, 'admin')
    await page.goto(`${order}?across=1`)
    const [first, second] = [
      page.locator('.sortable > li').first(),
      page.locator('.sortable').first().locator(':scope > li').nth(1),
    ]
    const inside = (item: typeof first) => item.locator('.sortable--inside > li:not(.sortable-empty)')
    await expect(inside(first).first()).toBeVisible()
    const before = [await inside(first).count(), await inside(second).count()]
    const last = inside(first).last()
    const name = (await last.locator('.sortable-name').textContent()) ?? ''
    await last.getByRole('button', { name: `Move ${name} down`, exact: true }).tap()
    await expect(inside(second)).toHaveCount((before[1] ?? 0) + 1)
    await expect(inside(second).first()).toContainText(name)
    const box = await page.getByRole('button', { name: `Drag ${name}`, exact: true }).boundingBox()
    const goal = await inside(first).first().boundingBox()
    if (!box || !goal) throw new Error('There is no handle')
    const touch = await page.context().newCDPSession(page)
    const at = (x: number, y: number) => ({ touchPoints: [{ x, y }] })
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', ...at(box.x + 20, box.y + 20) })
    for (let part = 1; part <= 10; part++) {
      const y = box.y + 20 + ((goal.y + 10 - box.y - 20) * part) / 10
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(box.x + 20, y) })
    }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await expect(inside(first)).toHaveCount(before[0] ?? 0)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })

  test.describe('without JavaScript', () => {
    test.use({ javaScriptEnabled: false })

    test('buttons move an item, and the form keeps the order until it is saved', async ({ page }) => {
      await haveSession(page, 'admin')
      await page.goto(order)
      const names = () =>
        page.locator('.sortable').first().locator(':scope > li > .sortable-row .sortable-name').allTextContents()
      const [one = '', two = '', three = ''] = await names()
      await page.getByRole('button', { name: `Move ${one} down`, exact: true }).click()
      await expect(page.getByText('The order has changed and is not saved yet.')).toBeVisible()
      await page.getByRole('button', { name: `Move ${three} up`, exact: true }).click()
      expect((await names()).slice(0, 3)).toEqual([two, three, one])
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Order has been saved.')).toBeVisible()
      expect((await names()).slice(0, 3)).toEqual([two, three, one])
      await haveSession(page, 'author')
      await page.goto(order)
      await page.getByRole('button', { name: `Move ${one} up`, exact: true }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText(/^Received \d+ chapters/)).toBeVisible()
      expect((await names()).slice(0, 3)).toEqual([two, three, one])
    })
  })
})

const terms = 'Term;Definition\nAssay;A test\n"=cmd";"x"y\nBuffer;\nassay;Again\n'

test.describe('CSV import', () => {
  test.use({ site: 'ns' })

  test('a dry run lists every fault, and offers them as a file without spreadsheet formulas', async ({ page }) => {
    await haveSession(page, 'admin', 'ns')
    await page.goto('/dashboard/glossary/import/')
    const file = { name: 'Terms.csv', mimeType: 'text/csv', buffer: Buffer.from(terms) }
    await page.locator('input[type=file]').setInputFiles(file)
    await expect(page.getByText('Terms.csv', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Check the file' }).click()
    await expect(page.getByText('1 of 4 terms can be imported.')).toBeVisible()
    await expect(page.getByText('with semicolons between its columns')).toBeVisible()
    await expect(page.locator('.faults tbody tr')).toHaveCount(3)
    await expect(page.locator('.faults tbody tr').nth(1)).toContainText('Definition is required')
    await expect(page.locator('.faults tbody tr').nth(2)).toContainText('The same term as in line 2.')
    const loaded = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the faults' }).click()
    const text = await readFile(await (await loaded).path(), 'utf8')
    expect(text).toContain('Line,Column,Value,Reason\r\n3,,')
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await expectNoSidewaysScroll(page)
  })

  test('columns with other headings are chosen by hand, and the choice is kept', async ({ page }) => {
    await haveSession(page, 'admin', 'ns')
    await page.goto('/dashboard/glossary/import/')
    const file = {
      name: 'Words.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Word,Meaning\nAssay,A test\nBuffer,\n'),
    }
    await page.locator('input[type=file]').setInputFiles(file)
    await expect(page.getByText('Words.csv', { exact: true })).toBeVisible()
    const check = page.getByRole('button', { name: 'Check the file' })
    await check.click()
    await expect(page.getByText('This file lacks the columns “Term”, “Definition”.')).toBeVisible()
    await page.getByLabel('Term', { exact: true }).selectOption('Word')
    await page.getByLabel('Definition', { exact: true }).selectOption('Word')
    await check.click()
    await expect(page.getByText('“Word” is chosen for two columns.')).toBeVisible()
    await expect(page.getByLabel('Term', { exact: true })).toHaveValue('Word')
    await expect(page.getByLabel('Definition', { exact: true })).toHaveValue('Word')
    await page.getByLabel('Definition', { exact: true }).selectOption('Meaning')
    await check.click()
    await expect(page.getByText('1 of 2 terms can be imported.')).toBeVisible()
    await expect(page.getByLabel('Term', { exact: true })).toHaveValue('Word')
    await expect(page.getByLabel('Definition', { exact: true })).toHaveValue('Meaning')
    const loaded = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the faults' }).click()
    const faults = await loaded
    expect(faults.suggestedFilename()).toBe('Faults_Glossary.csv')
    expect(await readFile(await faults.path(), 'utf8')).toContain('\r\n3,Meaning,,')

    await page.getByRole('button', { name: 'Close', exact: true }).first().click()
    const question = page.getByRole('alertdialog', { name: 'Unsaved changes' })
    await question.getByRole('button', { name: 'NO', exact: true }).click()
    await page
      .locator('input[type=file]')
      .setInputFiles({ ...file, buffer: Buffer.from('Word,Meaning\nImported by hand,A test\n') })
    await expect(page.getByText('1 of 2 terms can be imported.'), 'the other file').toHaveCount(0)
    await check.click()
    await page.getByRole('button', { name: 'Import 1 term' }).click()
    await expect(page.getByText('The file has been imported: 1 added.')).toBeVisible()
    await expect(page).toHaveURL(/\/dashboard\/glossary\/$/)
  })

  test.describe('without JavaScript', () => {
    test.use({ javaScriptEnabled: false })

    test('what would change is shown first, and imported then', async ({ page }) => {
      await haveSession(page, 'admin', 'ns')
      await page.goto('/dashboard/glossary/import/')
      const term = 'Imported plainly'
      const buffer = Buffer.from(`Term,Definition\n${term},From a file\nBiomarker,Another text\n`)
      await page.locator('input[type=file]').setInputFiles({ name: 'New.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('button', { name: 'Check the file' }).click()
      await expect(page.getByText('All 2 terms can be imported.')).toBeVisible()
      await page.getByRole('button', { name: /^Import [12] terms?$/ }).click()
      await expect(page.getByText(/^The file has been imported: 1 added/)).toBeVisible()
      await page.goto(`/dashboard/glossary/?search=${encodeURIComponent(term)}`)
      await expect(page.getByText('From a file')).toBeVisible()
    })
  })
})

test.describe('two-list picker', () => {
  test('the server searches the candidates, all results can be added, and Clear can be undone', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/parts/picker/')
    const candidates = page.getByRole('region', { name: 'All modules' })
    const chosen = page.getByRole('region', { name: 'Chosen modules' })
    // A search alone is not unsaved work: nobody is asked before the page is left.
    await page.getByLabel('Search modules').fill('no such module')
    await expect(candidates.getByText('0 modules found')).toBeVisible()
    await page.locator('a[href="/dashboard/modules/"]').first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Manage Modules' })).toBeVisible()
    await page.goto('/dashboard/parts/picker/')
    const first = candidates.getByRole('button', { name: /^Add / }).nth(1)
    const name = ((await first.getAttribute('aria-label')) ?? '').replace('Add ', '')
    await first.click()
    await expect(chosen.getByText('1 module', { exact: true })).toBeVisible()
    await expect(candidates.getByRole('button', { name: `Added: ${name}. Press to remove` })).toBeVisible()
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(candidates.getByText(/^2 of/)).toBeVisible()
    await expect(chosen.getByText(name)).toBeVisible()
    await page.getByLabel('Search modules').fill('a')
    await expect(candidates.getByText(/^1 of/)).toBeVisible()
    await candidates.getByRole('button', { name: /^Add (all|the first)/ }).click()
    await expect(chosen.getByText(/^([2-9]|1\d|2[0-5]) modules/)).toBeVisible()
    const count = await chosen.getByRole('listitem').count()
    await chosen.getByRole('button', { name: 'Clear' }).click()
    await expect(chosen.getByText('Nothing chosen yet.')).toBeVisible()
    await chosen.getByRole('button', { name: 'Undo' }).click()
    await expect(chosen.getByRole('listitem')).toHaveCount(count)
    await chosen.getByRole('button', { name: `Remove ${name}` }).click()
    await expect(chosen.getByRole('listitem')).toHaveCount(count - 1)
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(`Received ${count - 1} modules`)).toBeVisible()
  })

  test.describe('without JavaScript', () => {
    test.use({ javaScriptEnabled: false, allowedErrors: [/status of 400/] })

    test('buttons post the form, which keeps the chosen items, also after a refusal', async ({ page }) => {
      await haveSession(page, 'author')
      await page.goto('/dashboard/parts/picker/')
      const chosen = page.getByRole('region', { name: 'Chosen modules' })
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Please choose at least one module').first()).toBeVisible()
      await page.getByRole('button', { name: /^Add / }).nth(1).click()
      await expect(chosen.getByRole('listitem')).toHaveCount(1)
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.getByRole('button', { name: /^Add / }).nth(1).click()
      await expect(chosen.getByRole('listitem')).toHaveCount(2)
      await page.getByLabel('Search modules').fill('a')
      await page.getByLabel('Search modules').press('Enter')
      await expect(page.getByLabel('Search modules')).toHaveValue('a')
      await chosen.getByRole('button', { name: 'Clear' }).click()
      await chosen.getByRole('button', { name: 'Undo' }).click()
      await expect(chosen.getByRole('listitem')).toHaveCount(2)
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Received 2 modules')).toBeVisible()
    })
  })
})

test.describe('charts', () => {
  test.use({ site: 'ns' })

  test('keyboard and mouse show the values of a month, and a table lists all values', async ({ page, product }) => {
    await haveSession(page, 'author', 'ns')
    await page.goto('/dashboard/parts/charts/')
    await expect(page.getByText('There is no data for this period yet.')).toHaveCount(2)
    await startOneModule(product)
    await page.reload()
    const months = page.getByRole('group', { name: 'Values of Starts and completions', exact: true }).getByRole('img')
    await expect(months).toHaveCount(12)
    await expect(months.last()).toHaveAccessibleName(/^\w{3} \d{4}: Starts [\d,]+, Completions [\d,]+$/)
    await months.last().focus()
    await expect(months.last().locator('.chart-tip')).toBeVisible()
    await months.first().hover()
    await expect(months.first().locator('.chart-tip')).toBeVisible()
    await page.getByText('Show as a table').first().click()
    await expect(page.getByRole('table', { name: 'Starts and completions', exact: true }).getByRole('row')).toHaveCount(
      13,
    )
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await expectNoSidewaysScroll(page)
  })
})

async function startOneModule({ db }: Product): Promise<void> {
  const { id, siteId } = await db
    .selectFrom('modules')
    .innerJoin('sites', 'sites.id', 'modules.site_id')
    .select(['modules.id', 'sites.id as siteId'])
    .where('sites.key', '=', 'ns')
    .limit(1)
    .executeTakeFirstOrThrow()
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', 'learner@ns.titrate.example')
    .executeTakeFirstOrThrow()
  await db.insertInto('module_progress').values({ site_id: siteId, module_id: id, user_id: user.id }).execute()
}
