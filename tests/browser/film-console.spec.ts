/** Lectures and videos in the console: what only a browser can show. */
import type { Page } from '@playwright/test'
import { aPicture } from '../support/attachments.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

test('A-080 A-081 A-142 A-161 A-075 a lecture is filled in, previewed without being tracked, saved and published', async ({
  page,
}) => {
  await haveSession(page, 'author')
  await page.goto('/dashboard/lectures/')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'CREATE LECTURE' }).click()
  const creating = dialogOf(page, 'Create Lecture')
  await expect(creating.getByRole('tablist')).toHaveAttribute('aria-orientation', 'vertical')
  await creating.getByRole('button', { name: 'PREVIEW' }).click()
  await expect(
    page.getByText("Can't preview lecture - please make sure that video embed code is entered"),
  ).toBeVisible()
  await creating.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(creating.getByText('Lecture name is required')).toBeVisible()
  await expect(creating.getByRole('tab', { name: 'Details (has errors)' })).toBeVisible()
  await expect(creating.getByRole('tab', { name: 'Content (has errors)' })).toBeVisible()
  await creating.getByLabel('Name', { exact: true }).fill('Reading the Plates')
  const cover = { name: 'plate.png', mimeType: 'image/png', buffer: await aPicture() }
  await creating.locator('input[type=file]').first().setInputFiles(cover)
  await expect(creating.getByText('plate.png', { exact: true })).toBeVisible()
  await creating.getByLabel('Cover image description').fill('A plate')
  await creating.getByLabel('Presenter').fill('Ines Halvorsen')
  await creating.getByRole('checkbox', { name: 'Deliver' }).check()
  await creating.getByRole('checkbox', { name: 'Full Access' }).check()
  await creating.getByLabel('Description', { exact: true }).fill('What a plate tells')
  await creating.getByLabel('Coming Soon').check()
  await expect(creating.getByLabel('Status')).toBeDisabled()
  await creating.getByLabel('Coming Soon').uncheck()
  await expect(creating.getByLabel('Status')).toBeEnabled()
  await creating.getByLabel('Add to Lectures page').check()
  await creating.getByRole('button', { name: 'Next' }).click()
  await expect(creating.getByRole('tab', { name: 'Details (completed)' })).toBeVisible()
  await creating.getByLabel('Video URL').fill('/films/six-volunteers-titrate.mp4')
  await creating.getByRole('button', { name: 'Add line at the current time' }).click()
  await page.keyboard.type('Every well says something')
  await creating.getByLabel('Use as captions, too').check()
  const editor = creating.getByRole('textbox', { name: 'Guiding questions' })
  await editor.click()
  await page.keyboard.type('What does the plate tell?')

  const tracked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/event\/|progress/.test(pathname)) tracked.push(request.postData() ?? pathname)
  })
  await creating.getByRole('button', { name: 'PREVIEW' }).click()
  const preview = dialogOf(page, 'Preview Lecture')
  await expect(preview.getByText('What does the plate tell?')).toBeVisible()
  await expect(preview.getByText('Ines Halvorsen')).toBeVisible()
  await expect(preview.getByText('Every well says something')).toBeVisible()
  const captions = await preview
    .locator('video')
    .evaluate((video: HTMLVideoElement) =>
      [...video.textTracks].map(({ label, mode, cues }) => [label, mode, cues?.length]),
    )
  expect(captions).toEqual([['English', 'showing', 1]])
  await expectAccessible(page)
  await preview.getByRole('button', { name: 'Play Reading the Plates' }).click()
  await expect(preview.getByText(/^Duration: \d\d:\d\d$/)).toBeVisible()
  await expect(preview.getByRole('link', { name: /Next|Previous/ })).toHaveCount(0)
  await preview.getByRole('button', { name: 'Exit' }).click()
  await expect(preview).toHaveCount(0)
  await expect(creating.getByLabel('Video URL')).toHaveValue('/films/six-volunteers-titrate.mp4')
  await expect(editor).toContainText('What does the plate tell?')
  expect(tracked.filter((body) => /Video|progress/.test(body))).toEqual([])
  await creating.getByRole('button', { name: 'Back' }).click()
  await expect(creating.getByLabel('Name', { exact: true })).toHaveValue('Reading the Plates')

  await creating.getByRole('button', { name: 'PUBLISH' }).click()
  await expect(page.getByText('Lecture needs to be saved before publishing/unpublishing')).toBeVisible()
  await creating.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Lecture has been saved.')).toBeVisible()
  const editing = dialogOf(page, 'Edit Lecture')
  await editing.getByRole('button', { name: 'PUBLISH' }).click()
  const asking = dialogOf(page, 'Publish Lecture')
  await expect(asking).toContainText('Do you want to publish this lecture?')
  await asking.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Lecture "Reading the Plates" has been published.')).toBeVisible()
  // in the color of the site.
  await expect(page.locator('.toast--success').filter({ hasText: 'has been published.' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // The new row is in the list.
  await page.getByLabel('Search topic or name').fill('reading the pl')
  await expect(page.getByRole('link', { name: 'Reading the Plates', exact: true })).toBeVisible()
})

test.describe('without an answer', () => {
  test.use({ allowedErrors: [/ERR_FAILED/] })

  test('A-082 A-252 A-253 A-254 C-273 what fails says so, and unsaved work is not left without a question', async ({
    page,
  }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/lectures/')
    await page.getByRole('link', { name: 'How Many Patients Does a Trial Need?', exact: true }).click()
    const dialog = dialogOf(page, 'Edit Lecture')
    await dialog.getByLabel('Presenter').fill('Somebody')
    await page.route('**/dashboard/lectures/**', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('Error saving lecture. Please try again later.').first()).toBeVisible()
    await expect(dialog.getByLabel('Presenter')).toHaveValue('Somebody')
    await dialog.getByRole('link', { name: 'Close' }).click()
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText(
      'Are you sure you want to cancel and exit editing the lecture? Any unsaved changes will be lost.',
    )
    await question.getByRole('button', { name: 'NO' }).click()
    // A key that is pressed while the question closes goes to the question.
    await expect(question).toHaveCount(0)
    await expect(dialog.getByLabel('Presenter')).toHaveValue('Somebody')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'YES' }).click()
    await expect(dialog).toHaveCount(0)
    await page.getByRole('link', { name: 'How Many Patients Does a Trial Need?', exact: true }).click()
    await dialog.getByRole('button', { name: 'UNPUBLISH' }).click()
    await page.getByRole('dialog', { name: 'Unpublish Lecture' }).getByRole('button', { name: 'Unpublish' }).click()
    await expect(page.getByText('Error unpublishing lecture. Please try again later.').first()).toBeVisible()
    const uid = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(page.url())?.[0]
    await page.goto(`/dashboard/lectures/${uid}/delete/`)
    await page.getByLabel('Type DELETE to confirm').fill('DELETE')
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    const failed = 'Error deleting lecture "How Many Patients Does a Trial Need?". Please try again later.'
    await expect(page.getByText(failed).first()).toBeVisible()
  })
})

test('nothing scrolls sideways on a phone, and the tabs of a video stand above its fields', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await haveSession(page, 'author')
  await page.goto('/dashboard/videos/')
  await expectNoSidewaysScroll(page)
  await page.getByRole('link', { name: 'Attrition in Numbers', exact: true }).click()
  const dialog = dialogOf(page, 'Edit Video')
  await expect(dialog.getByLabel('Category')).toHaveValue(/expert|case_study|animation/)
  await expectNoSidewaysScroll(page)
  await dialog.getByRole('tab', { name: 'Content' }).click()
  await dialog.getByRole('button', { name: 'PREVIEW' }).click()
  const preview = dialogOf(page, 'Preview Video')
  await expect(preview.getByText('Attrition in Numbers')).toBeVisible()
  await expectNoSidewaysScroll(page)
  await page.keyboard.press('Escape')
  await expect(preview).toHaveCount(0)
  await expect(dialog.getByLabel('Video URL')).toBeVisible()
})
