/** Text typed into the console is never lost, and the grid works by keyboard. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { rounds } from '../support/long.ts'
import { packageZip } from '../support/package-zip.ts'
import { importModule } from './support/commands.ts'
import { isDialog } from './support/dialogs.ts'
import { haveSession } from './support/people.ts'
import { aPicture } from './support/pictures.ts'
import { scriptsRun } from './support/scripts-run.ts'
import { expect, test } from './support/server.ts'

// In windows of this width, a row shows its actions side by side.
test.use({ allowedErrors: [/status of 4/], viewport: { width: 1440, height: 900 } })

const units = [{ title: 'Unit', html: '<h1>Unit</h1>' }]
const description = (page: Page) => page.getByLabel(/^Description/)
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

async function openModule(page: Page, name: string): Promise<void> {
  await page.goto(`/dashboard/modules/?search=${encodeURIComponent(name)}`)
  const edit = page.getByRole('row', { name: new RegExp(name) }).getByRole('link', { name: /^Edit/ })
  const dialog = page.getByRole('heading', { name: 'Edit Module' })
  // A press at the moment when the grid replaces the table would reach neither.
  await expect(async () => {
    if (!(await dialog.isVisible())) await edit.click({ timeout: 1000 })
    await expect(dialog).toBeVisible({ timeout: 3000 })
  }).toPass()
}

/** Fields that an import leaves out and the form requires. */
async function addPicture(page: Page): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'plate.png', mimeType: 'image/png', buffer: await aPicture() })
}

async function addCover(page: Page): Promise<void> {
  await addPicture(page)
  await expect(page.getByRole('button', { name: 'Remove plate.png' })).toBeVisible()
  await page.getByLabel('Cover image description').fill('A plate with 96 wells')
}

test('A-262 L-258 Save and Retry succeed after signing in again in another tab', async ({ page, product }) => {
  const name = `Again ${randomUUID().slice(0, 6)}`
  await importModule(product, name, units)
  await haveSession(page, 'admin')
  await openModule(page, name)
  await description(page).fill('Typed with care')
  await page.context().clearCookies()
  await addPicture(page)
  await expect(
    page.getByText('You have been logged out. Log in again, then press Retry.', { exact: true }),
  ).toBeVisible()
  await expect(page.getByRole('link', { name: 'Log in in a new tab' })).toHaveAttribute('target', '_blank')
  await haveSession(page, 'admin')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('button', { name: 'Remove plate.png' })).toBeVisible()
  await page.getByLabel('Cover image description').fill('A plate with 96 wells')

  await page.context().clearCookies()
  await save(page)
  await expect(page.getByText('You have been logged out. Your changes')).toBeVisible()
  await haveSession(page, 'admin')
  const token = page.waitForResponse('**/graphql/csrf/')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await token
  await save(page)
  await expect(page.locator('.toasts')).toContainText('Module has been saved.')
  await page.reload()
  await expect(description(page)).toHaveValue('Typed with care')
})

test('Save View and Schedule Report keep what was typed after the session has ended', async ({ page }) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/reports/logins-total/?period=this_year&aggregate_by=')
  for (const [link, title, button, notice] of [
    ['Save view', 'Save View', 'Save', 'View “Typed with care” has been saved.'],
    ['Schedule', 'Schedule Report', 'Schedule', 'The report is scheduled.'],
  ] as const) {
    await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.getByLabel(/^Name/).fill('Typed with care')
    const boxes = dialog.getByRole('checkbox')
    await boxes.first().check()
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: button, exact: true }).click()
    await expect(page.getByText('You have been logged out. Your changes are still here.')).toBeVisible()
    await expect(dialog.getByLabel(/^Name/)).toHaveValue('Typed with care')
    await expect(boxes.first()).toBeChecked()
    await haveSession(page, 'admin')
    const token = page.waitForResponse('**/graphql/csrf/')
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await token
    await dialog.getByRole('button', { name: button, exact: true }).click()
    await expect(page.locator('.toasts')).toContainText(notice)
    await page.goto('/dashboard/reports/logins-total/?period=this_year&aggregate_by=')
  }
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('A-262 L-258 keeps the whole form if the session ended before it was posted', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/modules/new/')
    await page.getByLabel('Name', { exact: true }).fill('Typed with <care>')
    await page.getByRole('checkbox', { name: 'Full Access' }).check()
    await page
      .getByLabel('Cover image', { exact: true })
      .setInputFiles({ name: 'plate.png', mimeType: 'image/png', buffer: await aPicture() })
    await page.context().clearCookies()
    const answer = page.waitForResponse((response) => response.request().method() === 'POST')
    await save(page)
    expect((await answer).status()).toBe(401)
    await expect(page.getByRole('heading', { name: 'You have been logged out' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Log in in another tab' })).toHaveAttribute('target', '_blank')
    await expect(page.getByLabel('Name')).toHaveValue('Typed with <care>')
    await haveSession(page, 'author')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { name: 'Create Module' })).toBeVisible()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Typed with <care>')
    await expect(page.getByRole('checkbox', { name: 'Full Access' })).toBeChecked()
  })
})

test('a module that somebody else has removed', async ({ page, newContext, product }) => {
  const name = `Removed ${randomUUID().slice(0, 6)}`
  await importModule(product, name, units)
  await haveSession(page, 'author')
  await openModule(page, name)
  await addCover(page)
  await description(page).fill('Typed with care')
  const other = await (await newContext()).newPage()
  await haveSession(other, 'admin')
  await other.goto(`${new URL(page.url()).pathname}delete/`)
  await isDialog(other)
  await other.getByLabel(/Type DELETE/).fill('DELETE')
  await other.getByRole('button', { name: 'Remove' }).click()
  await expect(other.getByText(`Module "${name}" has been deleted`)).toBeVisible()
  // By keyboard: nothing else has the focus, so the link back gets it.
  await expect(other.getByRole('button', { name: 'Undo' })).toBeFocused()

  await save(page)
  await expect(page.getByText('Someone removed this module while you were editing it')).toBeVisible()
  await expect(description(page)).toHaveValue('Typed with care')
  await other.keyboard.press('Enter')
  await expect(other.getByText(`Module "${name}" is back.`)).toBeVisible()
  await save(page)
  await expect(page.locator('.toasts')).toContainText('Module has been saved.')
})

test('A-148 a published version stays visible behind a newer draft and can be unpublished', async ({
  page,
  product,
}) => {
  const name = `Two versions ${randomUUID().slice(0, 6)}`
  await importModule(product, name, units)
  await haveSession(page, 'author')
  await openModule(page, name)
  await addCover(page)
  await page.getByRole('tab', { name: 'Content' }).click()
  await page.getByRole('button', { name: 'Remove module.zip' }).click()
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles({ name: 'second.zip', mimeType: 'application/zip', buffer: packageZip() })
  await expect(page.getByText('second.zip', { exact: true })).toBeVisible()
  await save(page)
  await expect(page.locator('.toasts')).toContainText('Module has been saved.')
  // The form is rebuilt, and the author is still on the same tab.
  await expect(page.getByRole('tab', { name: 'Content' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('v1 is live.')).toBeVisible()
  await page.getByRole('link', { name: 'Unpublish v1' }).click()
  await page
    .getByRole('dialog', { name: 'Unpublish Module' })
    .getByRole('button', { name: 'Unpublish', exact: true })
    .click()
  await expect(page.getByText(`Module "${name}" has been unpublished.`)).toBeVisible()
  await openModule(page, name)
  await expect(page.getByText('v1 is live.')).toHaveCount(0)
})

test('the cells of the grid work by keyboard', async ({ page }) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/modules/')
  const cell = (column: string) => page.locator(`.ag-row[row-index="0"] .ag-cell[col-id="${column}"]`)
  await cell('actions').focus()
  await page.keyboard.press('Enter')
  const actions = cell('actions').locator('a, button, summary').filter({ visible: true })
  await expect(actions.first()).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(actions.nth(1)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(cell('actions')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.locator('.tablefoot :focus')).toBeVisible()
  await cell('courses').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByRole('heading')).toBeVisible()
})

/** Opens the page without its scripts, until the returned function lets them load. */
async function gotoWithoutScripts(page: Page, address: string): Promise<() => Promise<void>> {
  let release = () => {}
  const isHeld = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await isHeld
    await route.continue()
  })
  await page.goto(address, { waitUntil: 'commit' })
  return async () => {
    release()
    await scriptsRun(page)
  }
}

test.describe('before the scripts run', () => {
  test('text typed into the search of the bar is kept and brings suggestions', async ({ page }) => {
    await haveSession(page, 'learner')
    const release = await gotoWithoutScripts(page, '/courses/')
    const box = page.getByRole('search').locator('[name=query]').first()
    await box.fill('dose')
    await release()
    await expect(box).toHaveAttribute('role', 'combobox')
    await expect(box).toHaveValue('dose')
    await expect(page.getByRole('option').first()).toBeVisible()
  })

  test('text typed into the search of a table filters it', async ({ page }) => {
    await haveSession(page, 'admin')
    const release = await gotoWithoutScripts(page, '/dashboard/modules/')
    const box = page.locator('.toolbar [type=search]')
    await box.fill('dose-response')
    await release()
    await expect(page).toHaveURL(/search=dose-response/)
    await expect(box).toHaveValue('dose-response')
  })

  test('a checkbox that is a whole form is sent', async ({ page }) => {
    await haveSession(page, 'instructor')
    const release = await gotoWithoutScripts(page, '/my-learning/my-account/')
    const tick = page.getByLabel(/Opt out of email messages/)
    await tick.check()
    await release()
    await expect(page.getByText('You will no longer get messages by email.')).toBeVisible()
    await expect(tick).toBeChecked()
    await tick.uncheck()
    await expect(page.getByText('You will get messages by email')).toBeVisible()
  })

  test('a menu that was opened stays open', async ({ page }) => {
    await haveSession(page, 'learner')
    const release = await gotoWithoutScripts(page, '/courses/')
    await page.locator('details.menu > summary').first().click()
    await expect(page.locator('details.menu[open]')).toHaveCount(1)
    await release()
    await page.waitForTimeout(300)
    await expect(page.locator('details.menu[open]')).toHaveCount(1)
  })

  test('changed text stays in the dialog, and closing asks', async ({ page, product }) => {
    const name = `Early ${randomUUID().slice(0, 6)}`
    await importModule(product, name, units)
    await haveSession(page, 'admin')
    await openModule(page, name)
    await description(page).fill('As it was')
    await addCover(page)
    await save(page)
    await expect(page.locator('.toasts')).toContainText('Module has been saved.')
    const release = await gotoWithoutScripts(page, page.url())
    await expect(description(page)).toHaveValue('As it was')
    await description(page).fill('As it was, and more')
    await release()
    await expect(page.getByRole('dialog')).toBeAttached()
    await expect(description(page)).toHaveValue('As it was, and more')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('heading', { name: 'Unsaved changes' })).toBeVisible()
  })

  test('clicks do no harm: the page still starts', async ({ page }) => {
    for (let time = 0; time < rounds(40); time++) {
      await page.goto('/login/', { waitUntil: 'commit' })
      const tick = page.locator('[name=terms]')
      await tick.waitFor()
      for (let click = 0; click < 6; click++) await tick.click({ force: true })
      await scriptsRun(page)
    }
  })
})

test('text typed before the scripts run is still in the dialog afterward', async ({ page }) => {
  await haveSession(page, 'admin')
  const release = await gotoWithoutScripts(page, '/dashboard/modules/new/')
  await page.getByLabel('Name', { exact: true }).fill('Typed at once')
  await page.getByRole('checkbox', { name: 'Full Access' }).check()
  await page.getByLabel(/^Description/).fill('And this')
  await release()
  await expect(page.getByRole('dialog')).toBeAttached()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Typed at once')
  await expect(page.getByLabel(/^Description/)).toHaveValue('And this')
  await expect(page.getByRole('checkbox', { name: 'Full Access' })).toBeChecked()
})
