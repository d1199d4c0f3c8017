/** Courses in the console: what only a browser can show. */
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const dialogOf = (page: Page, name: 'Create Course' | 'Edit Course') => page.getByRole('dialog', { name })

/** Opens the picker of a chapter, adds modules by name, and closes it. */
async function addModules(page: Page, chapter: Locator, names: string[]): Promise<void> {
  await chapter.getByRole('button', { name: 'Add modules' }).click()
  const picker = page.getByRole('dialog', { name: 'Add Modules' })
  for (const name of names) {
    await picker.getByLabel('Search modules').fill(name)
    await picker.getByRole('button', { name: `Add ${name}`, exact: true }).click()
  }
  await picker.getByRole('button', { name: 'Submit' }).click()
  await expect(picker).toBeHidden()
}

/** The names of the modules of a chapter, in order. */
const modulesOf = (chapter: Locator) =>
  chapter
    .locator('.sortable--inside .sortable-name')
    .evaluateAll((rows) => rows.map((row) => row.firstChild?.textContent ?? ''))

test('A-027 A-029 A-031 A-033 A-133 a course is built, saved, changed and published in one dialog', async ({
  page,
}) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/courses/')
  // titles, notices and the control that publishes.
  await page.getByRole('link', { name: 'CREATE COURSE' }).click()
  const creating = dialogOf(page, 'Create Course')
  await test.step('A-025 the dialog is extra large, and a click beside it does not close it', async () => {
    const usual = page.viewportSize() ?? { width: 1280, height: 720 }
    await page.setViewportSize({ width: 1920, height: 1080 })
    const panel = creating.locator('.dlg')
    await expect.poll(async () => (await panel.boundingBox())?.width).toBeGreaterThanOrEqual(1200)
    await page.mouse.click(20, 500)
    await expect(panel).toBeVisible()
    await page.setViewportSize(usual)
  })
  await creating.getByLabel('Name', { exact: true }).fill('From Bench to Bedside')
  await creating.getByRole('button', { name: 'PUBLISH' }).click()
  await expect(page.getByText('Course needs to be saved before publishing')).toBeVisible()
  await creating.getByRole('tab', { name: 'Sections' }).click()
  await creating.getByRole('button', { name: 'Add section' }).click()
  await creating.getByRole('button', { name: 'Add chapter' }).click()
  await creating.getByLabel('Chapter name').fill('First chapter')
  await creating.getByRole('button', { name: 'Add chapter' }).click()
  await creating.getByLabel('Chapter name').nth(1).fill('Second chapter')
  await creating.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(creating.getByText('Section name is required')).toBeVisible()
  await expectAccessible(page)
  await creating.getByLabel('Section name').fill('Basics')
  await page.keyboard.press('Tab')
  const chapters = creating.getByRole('list', { name: 'Chapters of Basics' }).locator(':scope > li')
  const [first, second] = [chapters.nth(0), chapters.nth(1)]
  await addModules(page, first, ['ADME and Early Dosing', 'First in Human'])
  await addModules(page, second, ['Choosing an Animal Model'])
  await creating.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Course "From Bench to Bedside" has been created.')).toBeVisible()
  const editing = dialogOf(page, 'Edit Course')
  // The tab that was open stays open.
  await expect(editing.getByLabel('Section name')).toHaveValue('Basics')
  await editing.getByRole('button', { name: 'Move First in Human down', exact: true }).click()
  const saved = editing.getByRole('list', { name: 'Chapters of Basics' }).locator(':scope > li')
  await expect.poll(() => modulesOf(saved.nth(1))).toEqual(['First in Human', 'Choosing an Animal Model'])
  // The focus goes with the module.
  await expect(editing.getByRole('button', { name: 'Move First in Human down', exact: true })).toBeFocused()
  await expect(page.getByText('First in Human is now at position 1 of 2 in Second chapter.')).toBeAttached()
  await editing.getByRole('button', { name: 'Remove Second chapter' }).click()
  await expect(editing.getByText('Second chapter was taken out, with everything in it.')).toBeVisible()
  await editing.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => modulesOf(saved.nth(1))).toEqual(['First in Human', 'Choosing an Animal Model'])
  await editing.getByRole('button', { name: 'PUBLISH' }).click()
  await expect(page.getByText('Course needs to be saved before publishing').last()).toBeVisible()
  await editing.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Course has been updated.')).toBeVisible()
  await editing.getByRole('button', { name: 'PUBLISH' }).click()
  const asking = page.getByRole('dialog', { name: 'Publish Course' })
  await asking.getByLabel('Add to homepage').check()
  await asking.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Course "From Bench to Bedside" has been published.')).toBeVisible()
  await expect(editing.getByRole('button', { name: 'UNPUBLISH' })).toBeVisible()
  await expect.poll(() => modulesOf(saved.nth(1))).toEqual(['First in Human', 'Choosing an Animal Model'])
})

test.describe('finding modules, on a phone', () => {
  test.use({ allowedErrors: [/ERR_FAILED/], viewport: { width: 360, height: 740 } })

  test('modules are found by status and section, and the author is warned about groups that cannot open one', async ({
    page,
  }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/courses/')
    await expectNoSidewaysScroll(page)
    await page.getByRole('link', { name: 'CREATE COURSE' }).click()
    const dialog = dialogOf(page, 'Create Course')
    await dialog.getByRole('checkbox', { name: 'Free Access' }).check()
    await expectNoSidewaysScroll(page)
    await dialog.getByRole('tab', { name: 'Sections' }).click()
    await dialog.getByRole('button', { name: 'Add section' }).click()
    await dialog.getByRole('button', { name: 'Add chapter' }).click()
    await expectNoSidewaysScroll(page)
    await dialog.getByRole('button', { name: 'Add modules' }).click()
    const picker = page.getByRole('dialog', { name: 'Add Modules' })
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await picker.getByLabel('Status').selectOption('Draft')
    await expect(picker.getByText(/^\d modules? found$/)).toBeVisible()
    await expect(picker.getByText('Draft, not visible to learners yet').first()).toBeVisible()
    await picker.getByLabel('Section').selectOption('Deliver')
    await expect(picker.getByText('Nothing found')).toBeVisible()
    await picker.getByLabel('Section').selectOption('All')
    const add = picker.getByRole('button', { name: 'Add Choosing a Formulation', exact: true })
    // While the connection is down, the picker and what was chosen stay.
    await add.click()
    await page.route('**/dashboard/courses-modules*', (route) => route.abort())
    await picker.getByLabel('Search modules').fill('dose')
    await expect(page.getByText('could not be reached')).toBeVisible()
    await page.unroute('**/dashboard/courses-modules*')
    await expect(picker.getByText('0 modules found')).toBeVisible()
    await picker.getByRole('button', { name: 'Submit' }).click()
    await expect(dialog.getByText('Free Access cannot open it.')).toBeVisible()
    await expect(dialog.getByText(/^Coming Soon ·/)).toBeVisible()
  })
})

test('A-032 the builder works by keyboard alone, and asks before unsaved work is left', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/courses/')
  await page.getByRole('link', { name: 'Designing Trials That Answer', exact: true }).click()
  const dialog = dialogOf(page, 'Edit Course')
  await dialog.getByRole('tab', { name: 'Sections' }).click()
  const sections = dialog.getByRole('list', { name: 'Sections', exact: true }).locator(':scope > li')
  const names = () =>
    sections.getByLabel('Section name').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
  const before = await names()
  await dialog.getByRole('button', { name: `Drag ${before[0]}`, exact: true }).focus()
  await page.keyboard.press('Space')
  await expect(page.getByText(`Picked up ${before[0]}.`)).toBeAttached()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByText(`${before[0]} is now at position 2 of ${before.length}.`).last()).toBeAttached()
  await page.keyboard.press('Space')
  await expect.poll(names).toEqual([before[1], before[0], ...before.slice(2)])
  await page.keyboard.press('Escape')
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('editing the course')
  await question.getByRole('button', { name: 'NO' }).click()
  await expect.poll(names).toEqual([before[1], before[0], ...before.slice(2)])
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'YES' }).click()
  await expect(dialog).toBeHidden()
})

test('a module is dragged into another chapter by mouse', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/courses/')
  await page.getByRole('link', { name: 'From Compound to Candidate', exact: true }).click()
  const dialog = dialogOf(page, 'Edit Course')
  await dialog.getByRole('tab', { name: 'Sections' }).click()
  await dialog.getByRole('button', { name: 'Add chapter' }).first().click()
  const chapters = dialog
    .getByRole('list', { name: /^Chapters of/ })
    .first()
    .locator(':scope > li')
  const [from, to] = [chapters.nth(0), chapters.last()]
  const [name = ''] = await modulesOf(from)
  const handle = from.getByRole('button', { name: `Drag ${name}`, exact: true })
  const goal = to.getByText('No modules')
  await goal.scrollIntoViewIfNeeded()
  const [start, end] = [await handle.boundingBox(), await goal.boundingBox()]
  if (!start || !end) throw new Error('There is nothing to drag')
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(end.x + 40, end.y + end.height / 2, { steps: 15 })
  await expect.poll(() => modulesOf(to)).toEqual([name])
  await page.mouse.up()
  await expect.poll(() => modulesOf(to)).toEqual([name])
})
