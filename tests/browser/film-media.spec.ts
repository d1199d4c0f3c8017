/** The media of a film in its form: what only a browser can show. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { scriptsRun } from './support/scripts-run.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const address = '/dashboard/parts/film-media/'
const film = 'public/films/welcome-titrate.mp4'
const received = async (page: Page) => JSON.parse(await page.getByRole('region', { name: 'Received' }).innerText())
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const lines = (page: Page) => page.getByRole('list', { name: 'Lines of the transcript' }).getByRole('listitem')
const moveTo = (page: Page, seconds: number) =>
  page.locator('video').evaluate((video: HTMLVideoElement, to) => {
    video.currentTime = to
  }, seconds)

test.describe('in the form', () => {
  // Captions that cannot be read.
  test.use({ allowedErrors: [/400 \(Bad Request\).*\/complete\//] })

  test('a film is uploaded, its transcript is typed beside it, and captions are added in another language', async ({
    page,
  }) => {
    await haveSession(page, 'author')
    await page.goto(address)
    await scriptsRun(page)
    await test.step('the film plays from the file as soon as it is uploaded', async () => {
      await expect(page.getByLabel('Video file')).toBeHidden()
      await page.getByRole('radio', { name: /In a file/ }).check()
      await expect(page.getByLabel('Video URL')).toBeHidden()
      await page.getByLabel('Choose a file: Video file').setInputFiles(film)
      await expect
        .poll(() => page.locator('video').evaluate((video: HTMLVideoElement) => video.duration))
        .toBeGreaterThan(10)
    })
    await test.step('lines get the time of the film, from the button and from the keyboard, and are sorted', async () => {
      await moveTo(page, 5)
      await button(page, 'Add line at the current time').click()
      await page.keyboard.type('The second line')
      await moveTo(page, 2.5)
      await page.keyboard.press('Control+Enter')
      await expect(page.getByLabel('Text of line 1')).toBeFocused()
      await page.keyboard.type('The first line')
      await expect(page.getByLabel('Time of line 1')).toHaveValue('00:02.5')
      await expect(page.getByLabel('Text of line 2')).toHaveValue('The second line')
      await page.getByLabel('Time of line 2').fill('0:01')
      await page.getByLabel('Time of line 2').blur()
      await expect(page.getByLabel('Text of line 1')).toHaveValue('The second line')
      await moveTo(page, 6)
      await button(page, 'Set line 1 to the current time').click()
      await expect(page.getByLabel('Time of line 2')).toHaveValue('00:06')
      await button(page, 'Play from line 1').click()
      await expect
        .poll(() => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime))
        .toBeLessThan(5)
    })
    await test.step('a line that was removed comes back', async () => {
      await button(page, 'Remove line 1').click()
      await expect(lines(page)).toHaveCount(1)
      await expect(button(page, 'Undo')).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.getByLabel('Text of line 1')).toHaveValue('The first line')
    })
    await test.step('a fault is named where it is', async () => {
      await page.getByLabel('Time of line 1').fill('soon')
      await button(page, 'Save').click()
      await expect(page.getByText('Line 1: Begin with a time such as 01:30.')).toBeVisible()
      await expectAccessible(page)
      await page.getByLabel('Time of line 1').fill('00:02')
    })
    await test.step('captions in another language', async () => {
      await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('German')
      await button(page, 'Add captions').click()
      const chooser = page.getByLabel('Choose a file: German')
      await expect(chooser).toBeFocused()
      const file = (text: string) => ({ name: 'de.vtt', mimeType: 'text/vtt', buffer: Buffer.from(text) })
      await chooser.setInputFiles(file('WEBVTT\n\n00:01 --> 00:02\nHallo'))
      await expect(page.getByText('Line 3: “00:01” is not a time such as 00:01.000.').first()).toBeVisible()
      await chooser.setInputFiles(file('WEBVTT\n\n00:01.000 --> 00:02.000\nHallo'))
      await expect(page.getByText('de.vtt is uploaded')).toBeAttached()
    })
    await page.getByRole('checkbox', { name: 'Use as captions, too' }).check()
    await button(page, 'Save').click()
    await expect(page.getByRole('region', { name: 'Received' })).toBeVisible()
    expect(await received(page)).toEqual({
      source: 'file',
      seconds: 17,
      captions: ['de'],
      lines: [
        { from: 2, text: 'The first line' },
        { from: 6, text: 'The second line' },
      ],
      isCaptions: true,
    })
  })
})

test('the fields fit every width', async ({ page }) => {
  await haveSession(page, 'author')
  await page.goto(address)
  await scriptsRun(page)
  await button(page, 'Add line at the current time').click()
  for (const { width } of views) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
  }
})
