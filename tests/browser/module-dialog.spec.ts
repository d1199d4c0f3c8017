/** An author creates a module from a package, previews, publishes, unpublishes and removes it. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { createModule } from '~/services/modules/create-module.server.ts'
import { aMember, moduleValues } from '../support/module-editing.ts'
import { packageZip } from '../support/package-zip.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { importModule } from './support/commands.ts'
import { isDialog } from './support/dialogs.ts'
import { haveSession } from './support/people.ts'
import { aPicture } from './support/pictures.ts'
import { scriptsRun } from './support/scripts-run.ts'
import { expect, test } from './support/server.ts'

// In windows of this width, a row shows its actions side by side.
test.use({ viewport: { width: 1440, height: 900 } })

/** A refused form answers 4xx, and the browser logs that. */
const refusals = [/status of 4(00|09|22)/]

const picture = async (name = 'plate.png') => ({ name, mimeType: 'image/png', buffer: await aPicture() })
const zip = (name = 'package.zip', buffer = packageZip()) => ({ name, mimeType: 'application/zip', buffer })

async function openNew(page: Page): Promise<void> {
  await page.goto('/dashboard/modules/')
  await page.getByRole('link', { name: 'CREATE MODULE' }).click()
  await expect(page.getByRole('heading', { name: 'Create Module' })).toBeVisible()
}

async function fillDetails(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Cover image description').fill('A plate with 96 wells')
  await page.getByRole('checkbox', { name: 'Full Access' }).check()
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const notice = (page: Page) => page.locator('.toasts')
const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

test.describe('with JavaScript', () => {
  test.use({ allowedErrors: refusals })

  test('A-001 A-032 A-072 A-140 A-143 A-193 A-220 A-271 C-098 an author creates a module, and unsaved changes are guarded', async ({
    page,
  }) => {
    const name = `Reading a plate ${randomUUID().slice(0, 6)}`
    await haveSession(page, 'author')
    await openNew(page)

    await test.step('each missing field has a message, and the first tab with errors opens', async () => {
      await page.getByRole('button', { name: 'Next' }).click()
      await expect(page.getByRole('button', { name: 'Back' })).toBeVisible()
      await save(page)
      for (const text of [
        'Module name is required',
        'Cover image is required',
        'Cover image description is required',
        'Please select one or more groups',
      ]) {
        await expect(page.getByText(text)).toBeVisible()
      }
      // the first tab with errors opens, and is marked.
      await expect(page.getByRole('tab', { name: 'Details (has errors)' })).toHaveAttribute('aria-selected', 'true')
      await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
      await expectAccessible(page)
    })

    await test.step('the chapter needs a section first', async () => {
      // both fields, one after the other.
      await expect(page.getByLabel(/^Chapter/)).toBeDisabled()
      await page.getByLabel(/^Section/).selectOption({ label: 'Develop' })
      await page.getByLabel(/^Chapter/).selectOption({ index: 1 })
      await page.getByLabel(/^Section/).selectOption({ label: 'Discover' })
      await expect(page.getByLabel(/^Chapter/)).toHaveValue('')
      await save(page)
      await expect(page.getByText(/^Please choose a chapter of this section/)).toBeVisible()
      await page.getByLabel(/^Chapter/).selectOption({ index: 1 })
    })

    await test.step('details and cover', async () => {
      await fillDetails(page, name)
      await page.getByLabel(/^Topics/).fill('Assays')
      await page.keyboard.press('Enter')
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(await picture())
      await expect(page.getByText('plate.png', { exact: true })).toBeVisible()
    })

    await test.step('the package is required, too', async () => {
      await save(page)
      await expect(page.getByRole('tab', { name: 'Content (has errors)' })).toHaveAttribute('aria-selected', 'true')
      // the other tab is marked as completed.
      await expect(page.getByRole('tab', { name: 'Details (completed)' })).toBeVisible()
      // the details are right by now.
      await expect(page.getByText('Please upload a CMI5 zip file')).toBeVisible()
      await expect(page.getByRole('button', { name: 'PUBLISH', exact: true })).toBeDisabled()
      // nothing to publish yet.
      await expect(page.getByText('Save it with a package to publish it.')).toBeVisible()
      await page.getByRole('button', { name: 'PREVIEW', exact: true }).click()
      await expect(notice(page)).toContainText('Module needs to be saved before previewing')
      await page.locator('input[type=file]').last().setInputFiles(zip())
      await expect(page.getByText('package.zip', { exact: true })).toBeVisible()
      await save(page)
    })

    await test.step('after saving, the dialog edits the module and shows how its package is being read', async () => {
      await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
      await expect(notice(page)).toContainText('Module has been saved.')
      // The open tab stays open, whether or not the package has been read by now.
      await expect(page.getByRole('tab', { name: /^Content/ })).toHaveAttribute('aria-selected', 'true')
      // without opening the dialog again.
      await expect(page.getByText('The package of v1 is ready')).toBeVisible()
    })

    await test.step('unsaved changes prevent publishing, and leaving asks first', async () => {
      await page.getByRole('tab', { name: 'Details' }).click()
      await page.getByLabel('Name', { exact: true }).fill(`${name} 2`)
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).click()
      await expect(notice(page)).toContainText('Module needs to be saved before publishing/unpublishing')
      await page.keyboard.press('Escape')
      await expect(
        page.getByText(/cancel and exit editing the module\? Any unsaved changes will be lost\./),
      ).toBeVisible()
      await page.getByRole('button', { name: 'NO' }).click()
      await expect(page.getByRole('alertdialog')).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'PUBLISH', exact: true })).toBeFocused()
      await page.getByLabel('Name', { exact: true }).fill(`${name} 3`)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'NO' }).press('Enter')
      await expect(page.getByRole('alertdialog')).toHaveCount(0)
      await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
    })
  })

  test('A-073 A-074 A-138 A-144 A-272 a draft is previewed, published and removed, and Undo brings it back', async ({
    page,
    product,
  }) => {
    const name = `Reading a plate ${randomUUID().slice(0, 6)}`
    await importModule(product, name, [{ title: 'Unit', html: '<h1>Unit</h1>' }], { isDraft: true })
    await haveSession(page, 'author')
    await page.goto(`/dashboard/modules/?search=${encodeURIComponent(name)}`)
    await page.getByRole('link', { name, exact: true }).click()
    await isDialog(page)

    await test.step('preview shows the package and returns to the dialog', async () => {
      await page.getByRole('button', { name: 'PREVIEW', exact: true }).click()
      await page.waitForURL('**/viewer/**')
      await page.goBack()
      await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
    })

    await test.step('publishing asks, confirms and closes', async () => {
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Publish Module' })).toBeVisible()
      await expect(page.getByText('Do you want to publish this module?')).toBeVisible()
      await page.getByRole('link', { name: 'Cancel' }).click()
      await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).click()
      await page
        .getByRole('dialog', { name: 'Publish Module' })
        .getByRole('button', { name: 'Publish', exact: true })
        .click()
      await expect(notice(page)).toContainText(`Module "${name}" has been published.`)
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })

    await test.step('removing asks for the confirmation text and can be undone', async () => {
      await rowOf(page, name)
        .getByRole('link', { name: /Remove/ })
        .click()
      await expect(page.getByText('Are you sure you want to remove this module?')).toBeVisible()
      await page.getByLabel(/Type DELETE/).fill('delete')
      await page.getByRole('button', { name: 'Remove' }).click()
      await expect(page.getByText('Please enter the confirmation text above')).toBeVisible()
      await page.getByLabel(/Type DELETE/).fill('DELETE')
      await page.getByRole('button', { name: 'Remove' }).click()
      await expect(notice(page)).toContainText(`Module "${name}" has been deleted`)
      await expect(rowOf(page, name)).toHaveCount(0)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect(notice(page)).toContainText(`Module "${name}" is back.`)
    })
  })
})

test('A-144 A-145 A-148 a broken new package leaves the published version as it is and can be discarded', async ({
  page,
  product,
}) => {
  const [name, namesake] = [`Replaced ${randomUUID().slice(0, 6)}`, `Namesake ${randomUUID().slice(0, 6)}`]
  const units = [{ title: 'Unit', html: '<h1>Unit</h1>' }]
  await importModule(product, name, units)
  await importModule(product, namesake, units)
  await haveSession(page, 'author')
  const open = async () => {
    await page.goto(`/dashboard/modules/?search=${encodeURIComponent(name)}`)
    await scriptsRun(page)
    await page.getByRole('link', { name, exact: true }).click()
    await isDialog(page)
  }
  await test.step('after saving, the tab stays open and says what is wrong', async () => {
    await open()
    await page.getByLabel('Cover image description').fill('A plate with 96 wells')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await picture())
    await page.getByRole('tab', { name: 'Content' }).click()
    await page
      .locator('input[type=file]')
      .last()
      .setInputFiles(zip('broken.zip', Buffer.from('not a zip')))
    await expect(page.getByText('broken.zip', { exact: true })).toBeVisible()
    await save(page)
    await expect(page.getByText('The package of v2 cannot be used')).toBeVisible()
    await expect(page.getByRole('tab', { name: /^Content/ })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByText('v1 is live.')).toBeVisible()
    await page.getByRole('button', { name: 'PREVIEW', exact: true }).click()
    await expect(notice(page)).toContainText("Can't preview the module - the zip file hasn't been processed")
  })
  await test.step('the table says why there is no preview', async () => {
    await page.goto(`/dashboard/modules/?search=${encodeURIComponent(name)}`)
    await scriptsRun(page)
    await expect(page.getByTitle('No preview: the package of v2 has errors')).toHaveCount(1)
  })
  await test.step('after the discard, v1 is the latest version again', async () => {
    await open()
    await page.getByRole('tab', { name: 'Content (has errors)' }).click()
    await page.getByRole('link', { name: 'Discard v2' }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(notice(page)).toContainText('v2 has been discarded.')
    await expect(page.getByText('The package of v1 is ready and published.')).toBeVisible()
    await expect(page.getByText('The package of v2')).toHaveCount(0)
  })
  await test.step('a name that another module has is saved with a warning', async () => {
    await page.getByRole('tab', { name: /^Details/ }).click()
    await page.getByLabel('Name', { exact: true }).fill(namesake.toUpperCase())
    await save(page)
    await page.getByText(/things? to check/).click()
    await expect(page.getByText('Another module has the same name')).toBeVisible()
  })
})

test.describe('two authors in one module', () => {
  test.use({ allowedErrors: refusals })

  test('the second author sees what the first one changed, and decides', async ({ page, product, newContext }) => {
    const ctx = await aMember(product.db, ['authors'])
    const { uid } = await createModule(ctx, await moduleValues(ctx))
    await haveSession(page, 'author')
    await page.goto(`/dashboard/modules/${uid}/`)
    await isDialog(page)

    const second = await (await newContext()).newPage()
    await haveSession(second, 'admin')
    await second.goto(page.url())
    await isDialog(second)
    await second.getByLabel(/^Description/).fill('By the admin')
    await page.getByLabel(/^Description/).fill('By the author')
    await page.getByLabel('Cover image description').fill('Another plate')
    await save(page)
    await expect(notice(page)).toContainText('Module has been saved.')

    await save(second)
    await expect(second.getByText('Somebody else changed this module while you were editing.')).toBeVisible()
    await expect(second.getByText(/changed this while you were editing\. It is now “By the author”\./)).toBeVisible()
    await expect(second.getByLabel(/^Description/)).toHaveValue('By the admin')
    await expect(second.getByLabel('Cover image description')).toHaveValue('Another plate')
    await expect(second.getByText('cover.png', { exact: true })).toBeVisible()
    await expectAccessible(second)
    // The values that came back are not saved, so leaving asks first.
    await second.getByRole('link', { name: 'Close', exact: true }).first().click()
    const question = second.getByRole('alertdialog', { name: 'Unsaved changes' })
    await question.getByRole('button', { name: 'NO' }).click()
    await second.getByRole('button', { name: 'PREVIEW' }).click()
    await expect(second.getByText('Module needs to be saved before previewing')).toBeVisible()
    await save(second)
    await expect(notice(second)).toContainText('Module has been saved.')
    await page.reload()
    await expect(page.getByLabel(/^Description/)).toHaveValue('By the admin')
    await expect(page.getByLabel('Cover image description')).toHaveValue('Another plate')
  })
})

test.describe('while the network is down', () => {
  test.use({ allowedErrors: [/net::ERR|status of 4/] })

  test('A-246 A-255 A-257 A-258 C-273 each dialog says that it failed, and keeps what was typed', async ({ page }) => {
    const name = `Cut off ${randomUUID().slice(0, 6)}`
    const fail = (path: string) =>
      page.route(path, (route) => (route.request().url().includes('.data') ? route.abort() : route.continue()))
    await haveSession(page, 'author')
    await openNew(page)
    await fillDetails(page, name)
    await page.getByLabel('Coming Soon').check()
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await picture())
    await fail('**/dashboard/modules/new*')
    await save(page)
    await expect(page.getByText('Error saving module. Please try again later.')).toBeVisible()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue(name)
    await expect(page.getByText('plate.png', { exact: true })).toBeVisible()
    await page.unroute('**/dashboard/modules/new*')
    await save(page)
    await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
    await expect(page).not.toHaveURL(/\/new\//)

    const { pathname } = new URL(page.url())
    await fail(`**${pathname.slice(0, -1)}.data*`)
    await page.getByLabel(/^Description/).fill('Typed with care')
    await save(page)
    await expect(page.getByText('Error updating module. Please try again later.')).toBeVisible()
    await expect(page.getByLabel(/^Description/)).toHaveValue('Typed with care')
    await fail('**/publish*')
    await page.goto(`${pathname}publish/`)
    await isDialog(page)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await expect(page.getByText('Error publishing module. Please try again later.')).toBeVisible()
    await fail('**/delete*')
    await page.goto(`${pathname}delete/`)
    await isDialog(page)
    await page.getByLabel(/Type DELETE/).fill('DELETE')
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByText('Error deleting module. Please try again later.')).toBeVisible()
  })
})

test.describe('a broken package on a phone', () => {
  test.use({ site: 'ns', viewport: { width: 360, height: 780 } })

  test('the dialog does not overflow, and says why the package is broken', async ({ page }) => {
    await haveSession(page, 'author', 'ns')
    await page.goto('/dashboard/modules/new/')
    await isDialog(page)
    await fillDetails(page, 'Pharmacovigilance and Risk Management after the First Submission')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await picture(`${'a-very-long-name-'.repeat(8)}.png`))
    await page.getByRole('tab', { name: 'Content' }).click()
    await page
      .locator('input[type=file]')
      .last()
      .setInputFiles(zip('broken.zip', Buffer.from('not a zip')))
    await save(page)
    await expect(page.getByText('The package of v1 cannot be used')).toBeVisible()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('tab', { name: /Details/ }).click()
    await expectNoSidewaysScroll(page)
  })
})

test.describe('on a phone', () => {
  // Playwright's trace fetches the preview of the file from its blob address; the page's policy refuses that and logs
  // an error.
  test.use({
    viewport: { width: 360, height: 740 },
    allowedErrors: [/status of 400|Connecting to 'blob:|cannot load blob:/],
  })

  test('A-058 A-062 typing filters the list and never removes typed text, and a refused file does not offer Retry', async ({
    page,
  }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/modules/')
    const rows = page.locator('.datagrid tbody tr')
    const search = page.getByPlaceholder('Search topic or name')
    await search.pressSequentially('zzzz ')
    await expect(page.getByText('Nothing found for “zzzz”')).toBeVisible()
    await expect(search).toHaveValue('zzzz ')
    await expect(search).toBeFocused()
    await search.fill('')
    await expect(rows).not.toHaveCount(0)
    await openNew(page)
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ ...(await picture()), buffer: Buffer.from('no picture') })
    // The message is announced, too.
    await expect(page.getByText('This file is not a picture').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0)
  })
})
