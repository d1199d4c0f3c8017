/** The console's form parts in the browser: keys, focus, widths, and use without JavaScript. */
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { findCardLink } from './support/cards.ts'
import { importModule } from './support/commands.ts'
import { isDialog } from './support/dialogs.ts'
import { haveSession } from './support/people.ts'
import { aPicture } from './support/pictures.ts'
import { scriptsRun } from './support/scripts-run.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const fields = '/dashboard/parts/fields/'
const steps = '/dashboard/parts/steps/'
const editor = '/dashboard/parts/editor/'
const received = async (page: Page) => JSON.parse(await page.getByRole('region', { name: 'Received' }).innerText())
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const step = (page: Page, name: string) => page.getByRole('heading', { name })

async function fillFields(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Pharmacology')
  await page.getByRole('radio', { name: 'Everyone' }).check()
  await page.getByLabel('Seats').fill('30')
  await page.getByLabel('Start', { exact: true }).fill('2026-11-03T14:05')
  await page.getByRole('checkbox', { name: 'Biology' }).check()
}

test.describe('with JavaScript', () => {
  test('fields show what is wrong and send what was chosen', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(fields)
    await scriptsRun(page)
    await test.step('every message is beside its field, and the first wrong field has the focus', async () => {
      await button(page, 'Save').click()
      for (const message of ['A name is required', 'Please choose who may join', 'A start is required']) {
        await expect(page.getByText(message)).toBeVisible()
      }
      await expect(page.getByText('Please choose one or more groups')).toBeVisible()
      await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
      await expectAccessible(page)
    })
    await test.step('a partly typed date does not count as empty', async () => {
      await fillFields(page)
      await page.getByLabel(/^Day/).pressSequentially('11')
      await button(page, 'Save').click()
      await expect(page.getByText('Please enter a complete date')).toBeVisible()
      await expect(page.getByLabel(/^Day/)).toBeFocused()
      // The typed month is still there, so the rest completes the date.
      await page.keyboard.press('ArrowRight')
      await page.keyboard.type('042026')
      await expect(page.getByLabel(/^Day/)).toHaveValue('2026-11-04')
    })
    await test.step('"Other" asks for its text, and "All" stands for every box', async () => {
      await page.getByRole('checkbox', { name: 'Another group' }).check()
      await button(page, 'Save').click()
      await expect(page.getByText('Please enter the name of the other group')).toBeVisible()
      await page.getByRole('checkbox', { name: 'All groups' }).check()
      await expect(page.getByRole('checkbox', { name: 'Biology' })).toBeDisabled()
      await expect(page.getByLabel('Name of the other group')).toBeHidden()
    })
    await test.step('a long list can be searched, and Enter does not send the form', async () => {
      await page.getByRole('searchbox', { name: 'Find in People' }).fill('maria')
      await page.getByRole('searchbox', { name: 'Find in People' }).press('Enter')
      await expect(page.getByRole('checkbox', { name: 'Ada Okafor' })).toBeHidden()
      await page.getByRole('checkbox', { name: 'María Guadalupe Cruz' }).check()
      await expect(page.getByText('1 of 14 chosen')).toBeVisible()
    })
    await test.step('switches and radio buttons work with keys', async () => {
      await page.getByRole('switch', { name: 'Send reminders' }).press('Space')
      await page.getByRole('radio', { name: 'Everyone' }).press('ArrowDown')
      await button(page, 'Save').click()
      await expect(page.getByRole('region', { name: 'Received' })).toBeVisible()
      expect(await received(page)).toEqual({
        name: 'Pharmacology',
        kind: 'invited',
        seats: 30,
        passMark: null,
        day: '2026-11-04',
        startsAt: '2026-11-03T14:05:00.000Z',
        groups: { isAll: true, values: [], hasOther: false },
        groupsOther: null,
        people: { isAll: false, values: ['maría-guadalupe-cruz'], hasOther: false },
        reminders: true,
      })
    })
  })

  test('on a phone, the message of the last field is in view above the footer of its dialog', async ({ page }) => {
    await haveSession(page, 'admin')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/dashboard/reports/logins-total/schedule/?period=last_month&aggregate_by=')
    await scriptsRun(page)
    await button(page, 'Schedule').click()
    await expect(page.getByText('Choose one or more colleagues')).toBeInViewport({ ratio: 1 })
  })

  test('the scripts keep a date that was partly typed before they started', async ({ page }) => {
    await haveSession(page, 'author')
    let start = () => {}
    const held = new Promise<void>((resolve) => {
      start = resolve
    })
    await page.route('**/assets/*.js', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(fields, { waitUntil: 'commit' })
    await page.getByLabel(/^Day/).pressSequentially('11')
    start()
    await scriptsRun(page)
    await page.keyboard.type('042026')
    await expect(page.getByLabel(/^Day/)).toHaveValue('2026-11-04')
  })

  test('Enter saves from every kind of field', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(fields)
    await scriptsRun(page)
    await fillFields(page)
    // Counts what would be sent, before the form hears of it, so that one page is enough for all fields.
    await page.evaluate(() => {
      const { dataset } = document.documentElement
      const count = (event: Event) => {
        event.preventDefault()
        event.stopImmediatePropagation()
        dataset.sent = String(Number(dataset.sent ?? 0) + 1)
        if (dataset.sent === '6') window.removeEventListener('submit', count, true)
      }
      window.addEventListener('submit', count, true)
    })
    for (const [index, field] of [
      page.getByLabel('Name', { exact: true }),
      page.getByRole('radio', { name: 'Everyone' }),
      page.getByLabel('Seats'),
      page.getByLabel(/^Day/),
      page.getByRole('checkbox', { name: 'Biology' }),
      page.getByRole('switch'),
    ].entries()) {
      await field.press('Enter')
      await expect(page.locator('html')).toHaveAttribute('data-sent', String(index + 1))
    }
    await page.getByLabel('Start', { exact: true }).press('Enter')
    await expect(page.getByRole('region', { name: 'Received' })).toBeVisible()
  })

  test('a form shows that it is being sent and is not sent twice', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(fields)
    await scriptsRun(page)
    await fillFields(page)
    let posts = 0
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/dashboard/parts/fields*', async (route) => {
      if (route.request().method() === 'POST') {
        posts += 1
        await held
      }
      await route.continue()
    })
    await button(page, 'Save').dblclick()
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await expect(save).toHaveAttribute('aria-busy', 'true')
    await expect(page.getByRole('status').filter({ hasText: 'Saving' })).toHaveText('Saving')
    await expect(save).toBeFocused()
    await save.press('Enter')
    await page.getByLabel('Name', { exact: true }).press('Enter')
    answer()
    await expect(page.getByRole('region', { name: 'Received' })).toBeVisible()
    expect(posts).toBe(1)
  })

  test('steps check their fields, save drafts, and keep everything on the way back', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(steps)
    await isDialog(page)
    await test.step('Next checks only the fields of its step', async () => {
      await button(page, 'Next').click()
      await expect(page.getByText('A title is required')).toBeVisible()
      await expect(page.getByLabel('Title')).toBeFocused()
      await page.getByLabel('Title').fill('News')
      await page.getByLabel('Title').press('Enter')
      await expect(step(page, 'Step 2 of 3 People')).toBeFocused()
      await expectAccessible(page)
    })
    await test.step('a reload opens the draft at its step', async () => {
      await page.reload()
      await isDialog(page)
      await expect(step(page, 'Step 2 of 3 People')).toBeVisible()
      await button(page, 'Next').click()
      await expect(page.getByText('Please choose one or more people')).toBeVisible()
    })
    await test.step('Back keeps unsaved values', async () => {
      await page.getByRole('checkbox', { name: 'Bao Tran' }).check()
      await button(page, 'Back').click()
      await expect(step(page, 'Step 1 of 3 Text')).toBeFocused()
      await expect(page.getByLabel('Title')).toHaveValue('News')
      await button(page, 'Next').click()
      await expect(step(page, 'Step 2 of 3 People')).toBeVisible()
      await expect(page.getByRole('checkbox', { name: 'Bao Tran' })).toBeChecked()
      await button(page, 'Next').click()
      await expect(step(page, 'Step 3 of 3 Time')).toBeFocused()
    })
    await test.step('the browser’s Back and Forward move between steps', async () => {
      await page.goBack()
      await expect(step(page, 'Step 2 of 3 People')).toBeVisible()
      await page.goForward()
      await expect(step(page, 'Step 3 of 3 Time')).toBeVisible()
    })
    await test.step('the last step opens an earlier step that now has an error', async () => {
      await page.getByRole('link', { name: 'Text' }).click()
      await page.getByLabel('Title').fill('')
      await page.goBack()
      await expect(step(page, 'Step 3 of 3 Time')).toBeVisible()
      await button(page, 'Send').click()
      await expect(step(page, 'Step 1 of 3 Text')).toBeVisible()
      await expect(page.getByLabel('Title')).toBeFocused()
      await page.getByLabel('Title').fill('Other news')
      await button(page, 'Next').click()
      await expect(step(page, 'Step 2 of 3 People')).toBeVisible()
      await button(page, 'Next').click()
      await page.getByLabel(/^Send/).fill('2026-11-03T14:05')
      await page.getByLabel(/^Expire/).fill('2026-11-03T14:05')
      await button(page, 'Send').click()
      await expect(page.getByText('Please choose a time after the first one')).toBeVisible()
    })
    await test.step('leaving unsaved changes asks first', async () => {
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'NO' }).click()
      await page.getByLabel(/^Expire/).fill('2026-12-03T14:05')
      await button(page, 'Send').click()
      await expect(page.getByRole('region', { name: 'Received' })).toBeVisible()
      expect(await received(page)).toMatchObject({ title: 'Other news', people: { values: ['bao-tran'] } })
      await expect(page.getByLabel('Title')).toHaveValue('')
    })
  })
})

test('rich text is sent as Markdown, and admins can insert pictures', async ({ page }) => {
  await haveSession(page, 'admin')
  await page.goto(editor)
  const text = page.getByRole('textbox', { name: 'Message text' })
  await expect(text).toHaveAttribute('contenteditable', 'true')
  await page.getByRole('button', { name: 'Insert Image' }).click()
  await expect(page.getByRole('menuitem', { name: 'Upload File' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Subject').fill('News')
  await text.click()
  await page.keyboard.press('Control+b')
  await page.keyboard.type('Hello')
  await button(page, 'Save').click()
  await expect(page.getByRole('region', { name: 'Received' })).toBeVisible()
  expect(await received(page)).toEqual({ subject: 'News', text: '**Hello**' })
})

test.describe('a file', () => {
  test.use({ allowedErrors: [/status of 4(00|22)|ERR_FAILED|Connecting to 'blob:|cannot load blob:/] })

  test('is replaced in its field, one at a time, and dropping a file elsewhere does nothing', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto('/dashboard/modules/new/')
    await isDialog(page)
    const field = page.getByRole('group', { name: 'Cover image' })
    const picture = await aPicture()
    const drop = (selector: string, ...names: string[]) =>
      page.evaluate(
        ({ selector, names, bytes }) => {
          const dataTransfer = new DataTransfer()
          for (const name of names) dataTransfer.items.add(new File([new Uint8Array(bytes)], name))
          const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })
          document.querySelector(selector)?.dispatchEvent(event)
          return event.defaultPrevented
        },
        { selector, names, bytes: [...picture] },
      )
    await test.step('dropped beside the field', async () => {
      expect(await drop('.dlg-head', 'plate.png')).toBe(true)
      await expect(field.getByText('plate.png')).toHaveCount(0)
    })
    await test.step('two files at once', async () => {
      await drop('.droparea', 'plate.png', 'well.png')
      await expect(field.getByText('Please drop one file only. Nothing was uploaded.')).toBeVisible()
    })
    await test.step('dropped on the existing file', async () => {
      await drop('.droparea', 'plate.png')
      await expect(field.getByText('plate.png', { exact: true })).toBeVisible()
      await expect(field.getByText(/one file only/)).toHaveCount(0)
      await drop('.droparea', 'well.png')
      await expect(field.getByText('well.png', { exact: true })).toBeVisible()
      await expect(field.getByText('plate.png', { exact: true })).toHaveCount(0)
    })
    await test.step('a file of the wrong type shows the allowed types and can be replaced by the earlier file', async () => {
      await field.locator('input[type=file]').setInputFiles({
        name: 'package.zip',
        mimeType: 'application/zip',
        buffer: picture,
      })
      await expect(field.getByText('Invalid file type', { exact: true }).first()).toBeVisible()
      await expect(field.getByText('Please choose a .png, .jpg, or .jpeg file.')).toBeVisible()
      await field.getByRole('button', { name: 'Keep the earlier file' }).click()
      await expect(field.getByText('well.png', { exact: true })).toBeVisible()
    })
    await test.step('a canceled file is replaced, too', async () => {
      await page.route('**/uploads/prepare/', () => {})
      await field.locator('input[type=file]').setInputFiles({ name: 'new.png', mimeType: 'image/png', buffer: picture })
      await field.getByRole('button', { name: 'Cancel the upload of new.png' }).click()
      // C-254: an upload that was canceled.
      await expect(field.getByText('You canceled the upload of new.png.')).toBeVisible()
      await expect(page.locator('.toasts')).toContainText('File uploading aborted. Please try again later.')
      await expect(field.getByText('well.png', { exact: true })).toBeVisible()
      await page.unroute('**/uploads/prepare/')
    })
    await test.step('A-125 A-163 C-162 C-253 an upload shows its percent, fails with a message, and can be removed', async () => {
      const choose = () =>
        field.locator('input[type=file]').setInputFiles({ name: 'new.png', mimeType: 'image/png', buffer: picture })
      let fail = () => {}
      await page.route(/\/uploads\/[0-9a-f-]{36}\/$/, (route) => {
        fail = () => void route.abort()
      })
      await choose()
      await expect(field.getByText(/^Uploading, \d+% of /)).toBeVisible()
      await expect.poll(() => fail.toString()).toContain('abort')
      fail()
      await expect(field.getByText('Upload failed', { exact: true })).toBeVisible()
      await expect(field.getByText('Error uploading file. Please try again later.').first()).toBeVisible()
      await page.route('**/uploads/prepare/', (route) => route.fulfill({ status: 422, json: { error: 'Not today.' } }))
      await choose()
      await expect(field.getByText('Not today.').first()).toBeVisible()
      await page.unroute('**/uploads/prepare/')
      await field.getByRole('button', { name: 'Keep the earlier file' }).click()
      await field.getByRole('button', { name: 'Remove well.png' }).click()
      await expect(field.getByText('well.png', { exact: true })).toHaveCount(0)
      await button(page, 'Save').click()
      await expect(page.getByText('Cover image is required')).toBeVisible()
    })
  })

  test('a cover of any shape is shown cropped like on a card and does not break a card', async ({ page, product }) => {
    await importModule(product, 'Portrait', [{ title: 'Unit', html: '<h1>Unit</h1>' }])
    await haveSession(page, 'author')
    await page.goto('/dashboard/modules/?search=Portrait')
    await scriptsRun(page)
    await page.getByRole('link', { name: 'Portrait', exact: true }).click()
    const cover = page.getByRole('group', { name: 'Cover image' })
    const portrait = await sharp({ create: { width: 300, height: 900, channels: 3, background: '#0b6b66' } })
      .png()
      .toBuffer()
    await cover.locator('input[type=file]').setInputFiles({ name: 'tall.png', mimeType: 'image/png', buffer: portrait })
    await expect(cover.getByText('Cards show this part of the picture, in 16:9.')).toBeVisible()
    await expect.poll(() => shapeOf(cover.locator('img'))).toBeCloseTo(16 / 9, 1)
    await page.getByLabel('Cover image description').fill('A tall plate')
    await button(page, 'Save').click()
    await expect(page.locator('.toasts')).toContainText('Module has been saved.')
    await page.setViewportSize({ width: 360, height: 800 })
    const picture = page
      .locator('.card')
      .filter({ has: await findCardLink(page, 'Portrait') })
      .locator('.cover')
    await expect(picture.locator('img')).toBeVisible()
    await expect.poll(() => shapeOf(picture)).toBeCloseTo(16 / 9, 1)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, allowedErrors: [/status of 4(00|01|22)/] })

  test('plain forms send fields, rich text and steps, and what is refused keeps what was typed', async ({ page }) => {
    await haveSession(page, 'author')
    await test.step('rich text is a text area, whose text survives a preview and an error', async () => {
      await page.goto(editor)
      await page.getByLabel('Message text').fill('**Hello**')
      await button(page, 'Preview').click()
      await expect(page.getByRole('region', { name: 'Preview' }).locator('strong')).toHaveText('Hello')
      await expect(page.getByText('This is a preview. Nothing has been saved yet.')).toBeVisible()
      await button(page, 'Save').click()
      await expect(page.getByText('A subject is required')).toBeVisible()
      await expect(page.getByLabel('Message text')).toHaveValue('**Hello**')
      await page.getByLabel('Subject').fill('News')
      await button(page, 'Save').click()
      expect(await received(page)).toEqual({ subject: 'News', text: '**Hello**' })
    })
    await test.step('a plain form sends the fields, and errors keep what was typed', async () => {
      await page.goto(fields)
      await fillFields(page)
      await page.getByLabel('Seats').fill('many')
      await page.getByLabel(/^Day/).fill('2026-05-04')
      await page.getByRole('checkbox', { name: 'Chemistry' }).check()
      await page.getByRole('checkbox', { name: 'Another group' }).check()
      await page.getByRole('switch').check()
      await button(page, 'Save').click()
      await expect(page.getByText('Please enter a whole number from 1 to 500.')).toBeVisible()
      await expect(page.getByLabel('Seats')).toHaveValue('many')
      await expect(page.getByLabel(/^Day/)).toHaveValue('2026-05-04')
      await expect(page.getByLabel('Start', { exact: true })).toHaveValue('2026-11-03T14:05')
      await expect(page.getByRole('radio', { name: 'Everyone' })).toBeChecked()
      for (const name of ['Biology', 'Chemistry', 'Another group'])
        await expect(page.getByRole('checkbox', { name })).toBeChecked()
      await expect(page.getByRole('switch')).toBeChecked()
      await page.getByLabel('Seats').fill('25')
      await page.getByLabel('Name of the other group').fill('Guests')
      await button(page, 'Save').click()
      expect(await received(page)).toMatchObject({
        seats: 25,
        groups: { values: ['biology', 'chemistry'], hasOther: true },
        groupsOther: 'Guests',
        reminders: true,
      })
    })
    await test.step('steps are plain posts', async () => {
      await page.goto(steps)
      await button(page, 'Next').click()
      await expect(page.getByText('A title is required')).toBeVisible()
      await page.getByLabel('Title').fill('News')
      await button(page, 'Next').click()
      await expect(step(page, 'Step 2 of 3 People')).toBeVisible()
      await page.getByRole('checkbox', { name: 'Bao Tran' }).check()
      await button(page, 'Back').click()
      await expect(page.getByLabel('Title')).toHaveValue('News')
      await button(page, 'Next').click()
      await expect(page.getByRole('checkbox', { name: 'Bao Tran' })).toBeChecked()
      await button(page, 'Next').click()
      await expect(step(page, 'Step 3 of 3 Time')).toBeVisible()
      await page.goBack()
      await expect(step(page, 'Step 2 of 3 People')).toBeVisible()
      await page.goForward()
      await button(page, 'Send').click()
      expect(await received(page)).toMatchObject({ title: 'News', people: { values: ['bao-tran'] }, sendAt: null })
    })
  })

  test('the form of a signed-out person comes back with the labels of its fields', async ({ page }) => {
    await haveSession(page, 'author')
    await page.goto(fields)
    await fillFields(page)
    await page.context().clearCookies()
    await button(page, 'Save').click()
    await expect(page.getByRole('heading', { name: 'You have been logged out' })).toBeVisible()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Pharmacology')
    await expect(page.getByLabel('Seats')).toHaveValue('30')
    await expect(page.getByLabel('Start', { exact: true })).toHaveValue('2026-11-03T14:05')
    await haveSession(page, 'author')
    await button(page, 'Continue').click()
    await expect(page.getByLabel('Seats')).toHaveValue('30')
    await expect(page.getByRole('checkbox', { name: 'Biology' })).toBeChecked()
  })
})

for (const { site, width } of views) {
  test(`on ${site} at ${width} px nothing overflows`, async ({ browser, origin, nsOrigin }) => {
    const context = await browser.newContext({
      baseURL: site === 'ns' ? nsOrigin : origin,
      viewport: { width, height: 780 },
    })
    const page = await context.newPage()
    await haveSession(page, 'author', site)
    for (const address of ['/dashboard/parts/', fields, `${steps}?title=News&step=people`]) {
      await page.goto(address)
      await scriptsRun(page)
      if (site === 'ns') await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    }
    await context.close()
  })
}

/** Width by height; 0 if it is not shown yet. */
async function shapeOf(element: Locator): Promise<number> {
  const box = await element.boundingBox()
  return box ? box.width / box.height : 0
}
