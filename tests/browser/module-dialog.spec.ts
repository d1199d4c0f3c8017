/** An author makes a module out of a package, previews and publishes it, takes it back and removes it. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { packageZip } from '../support/package-zip.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { signIn } from './support/people.ts'
import { aPicture } from './support/pictures.ts'
import { expect, test } from './support/server.ts'

/** A refused form answers 4xx, and the browser says so. */
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

  test('from nothing to a published module and back', async ({ page }) => {
    test.setTimeout(90_000)
    const name = `Reading a plate ${randomUUID().slice(0, 6)}`
    await signIn(page, 'author')
    await openNew(page)

    await test.step('what is missing is said beside its field, the first tab with errors first', async () => {
      await save(page)
      for (const text of [
        'Module name is required',
        'Cover image is required',
        'Cover image description is required',
        'Please select one or more groups',
      ]) {
        await expect(page.getByText(text)).toBeVisible()
      }
      await expect(page.getByRole('tab', { name: 'Details (has errors)' })).toHaveAttribute('aria-selected', 'true')
      await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
      await expectAccessible(page)
    })

    await test.step('the chapter waits for its section', async () => {
      await expect(page.getByLabel(/^Chapter/)).toBeDisabled()
      await page.getByLabel(/^Section/).selectOption({ label: 'Develop' })
      await page.getByLabel(/^Chapter/).selectOption({ index: 1 })
      await page.getByLabel(/^Section/).selectOption({ label: 'Discover' })
      await expect(page.getByLabel(/^Chapter/)).toHaveValue('')
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
      await expect(page.getByText('Please upload a CMI5 zip file')).toBeVisible()
      await expect(page.getByRole('button', { name: 'PUBLISH', exact: true })).toBeDisabled()
      await page.getByRole('button', { name: 'PREVIEW', exact: true }).click()
      await expect(notice(page)).toContainText('Module needs to be saved before previewing')
      await page.locator('input[type=file]').last().setInputFiles(zip())
      await expect(page.getByText('package.zip', { exact: true })).toBeVisible()
      await save(page)
    })

    await test.step('saved it is an edit dialog, and the package is read while one waits', async () => {
      await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
      await expect(notice(page)).toContainText('Module has been saved.')
      await page.getByRole('tab', { name: 'Content' }).click()
      await expect(page.getByText('The package of v1 is ready')).toBeVisible({ timeout: 15_000 })
      await expectAccessible(page)
    })

    await test.step('unsaved changes stand before publishing and before leaving', async () => {
      await page.getByRole('tab', { name: 'Details' }).click()
      await page.getByLabel('Name', { exact: true }).fill(`${name} 2`)
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).click()
      await expect(notice(page)).toContainText('Module needs to be saved before publishing/unpublishing')
      await page.keyboard.press('Escape')
      await expect(
        page.getByText(/cancel and exit editing the module\? Any unsaved changes will be lost\./),
      ).toBeVisible()
      await page.getByRole('button', { name: 'NO' }).click()
      await page.getByLabel('Name', { exact: true }).fill(name)
    })

    await test.step('preview shows the package and comes back to the dialog', async () => {
      await page.getByRole('button', { name: 'PREVIEW', exact: true }).click()
      await page.waitForURL('**/viewer/**')
      await page.goBack()
      await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
    })

    await test.step('publishing asks, says so and closes', async () => {
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Publish Module' })).toBeVisible()
      await expect(page.getByText('Do you want to publish this module?')).toBeVisible()
      await page.getByRole('link', { name: 'Cancel' }).click()
      await expect(page.getByRole('heading', { name: 'Edit Module' })).toBeVisible()
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).click()
      await page.getByRole('button', { name: 'PUBLISH', exact: true }).last().click()
      await expect(notice(page)).toContainText(`Module "${name}" has been published.`)
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })

    await test.step('removing asks for the word, and can be undone', async () => {
      await page.getByPlaceholder('Search topic or name').fill(name)
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
