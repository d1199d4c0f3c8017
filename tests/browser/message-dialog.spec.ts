/** The dialog of a message: what only a browser can show. Its steps without JavaScript are in http/messages-console. */
import type { Page } from '@playwright/test'
import { localTimeOf } from '~/lib/zoned-time.ts'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { aDraft } from '../support/messages.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { currentProduct } from './support/product.ts'
import { expect, test } from './support/server.ts'

/** Opens a step of a message to three people, on a site with an audience. */
async function openDraft(page: Page, step: 'message' | 'recipients' | 'review', text = 'Something is new.') {
  const { db } = currentProduct()
  const ctx = await aContext(db, { isOperator: true })
  const people = await Promise.all([1, 2, 3].map(() => aUser(db, {})))
  const { uid } = await aDraft(ctx, { to: people, text })
  const conditions = [{ about: 'group', how: 'is', values: ['learners'] }]
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
  await createAudience(admin, { name: `Learners ${uid}`, conditions })
  await haveSession(page, 'admin')
  await page.goto(`/dashboard/messages/${uid}/?step=${step}`)
}

test('a message has a time only while it is chosen, and goes out at that time', async ({ page }) => {
  await openDraft(page, 'recipients')
  const address = page.url().replace(/\?.*/, '')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  const [now, later] = ['Send it now', 'Send it at this time'].map((name) => page.getByRole('radio', { name }))
  const time = page.getByLabel('Send at')
  await expect(time).toBeHidden()
  await later?.check()
  await expectAccessible(page)
  await expect(page.getByText('Please choose a date and a time')).toHaveCount(0)
  await time.fill(localTimeOf(new Date(Date.now() + 2 * 86_400_000), 'UTC'))
  await now?.check()
  await expect(page.getByRole('button', { name: 'Send to 3 recipients' })).toBeVisible()
  await expect(time).toBeHidden()
  await expect(time).toBeDisabled()
  await later?.check()
  await expect(time).not.toHaveValue('')
  await page.getByRole('button', { name: 'Schedule for 3 recipients' }).click()
  await expect(page.getByText(/has been scheduled\.$/).first()).toBeVisible()

  // The dialog stays open when the schedule is canceled, with what was typed.
  await page.goto(address)
  await page.getByRole('textbox', { name: 'Subject' }).fill('Typed, not saved')
  const cancel = page.getByRole('button', { name: 'Cancel the schedule' })
  expect((await cancel.boundingBox())?.width, 'as wide as its words').toBeLessThan(300)
  await cancel.press('Enter')
  await expect(page.getByText('The schedule has been canceled.').first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Step 1 of 3' })).toBeFocused()
  await expect(page.getByRole('textbox', { name: 'Subject' })).toHaveValue('Typed, not saved')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await expect(page.getByRole('radio', { name: 'Send it now' })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Send to 3 recipients' })).toBeVisible()
  await expect(time).toBeDisabled()
})

test('a draft that is discarded stays away, and nothing typed leaves none', async ({ page }) => {
  await openDraft(page, 'message')
  const address = page.url().replace(/\?.*/, '')
  const offer = page.getByText('You have unsaved changes from')
  for (const place of [address, '/dashboard/messages/new/']) {
    await page.goto(place)
    await page.getByRole('textbox', { name: 'Subject' }).fill('Typed, not saved')
    await page.goto(place)
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect(offer).toHaveCount(0)
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
    const uid = await page.locator('input[name=uid]').first().inputValue()
    await expect(page.locator('input[name=draftKey]'), 'the next draft is of this form').toHaveValue(
      new RegExp(`${uid}$`),
    )
    await page.goto(place)
    await expect(page.getByRole('textbox', { name: 'Subject' })).toBeEditable()
    await expect(offer, place).toHaveCount(0)
  }
  await page.goto(address)
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Step 2 of 3' })).toBeVisible()
  await page.goto(address)
  await expect(page.getByRole('textbox', { name: 'Subject' })).toBeEditable()
  await expect(offer).toHaveCount(0)

  // What is taken back leaves no draft either, and the form keeps what is typed after it.
  await page.goto('/dashboard/messages/new/')
  const kept = () =>
    page.waitForResponse((answer) => answer.url().endsWith('/dashboard/drafts/') && answer.status() === 204)
  for (const subject of ['x', '']) {
    const answer = kept()
    await page.getByRole('textbox', { name: 'Subject' }).fill(subject)
    await answer
  }
  for (const field of ['Name', 'Subject']) await page.getByLabel(field, { exact: true }).fill('Typed after all')
  await page.getByRole('textbox', { name: 'Message text' }).fill('Text')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Step 2 of 3' })).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Message "Typed after all" has been created.').first()).toBeVisible()

  // Back opens an empty form, which is that of another message.
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Step 1 of 3' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Subject' })).toHaveValue('')
})

test('the keyboard reads a previewed email in one stop, and skips its links', async ({ page }) => {
  const text = Array.from({ length: 30 }, (_, n) => `Paragraph ${n} with [a link](https://a.example/${n}).`).join(
    '\n\n',
  )
  await openDraft(page, 'message', text)
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  const [narrow, wide] = [360, 600].map((width) => page.getByRole('region', { name: `Preview, ${width} pixels wide` }))
  if (!narrow || !wide) throw new Error('There are two previews')
  await expect(narrow.getByTitle('Email, 360 pixels wide')).toHaveAttribute('tabindex', '-1')
  await expectAccessible(page)
  await narrow.focus()
  await page.keyboard.press('End')
  const end = narrow.frameLocator('iframe').getByRole('link', { name: 'Stop messages by email' })
  await expect(end).toBeInViewport()
  await page.keyboard.press('Tab')
  await expect(wide).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Send a test to yourself' })).toBeFocused()
})

test('the recipients have the focus after people are added or removed, because the button is gone', async ({
  page,
}) => {
  await openDraft(page, 'recipients')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('row').filter({ hasText: '@' }).first().getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Add Selected' }).press('Enter')
  await expect(dialog.getByRole('heading', { name: 'Recipients (4)' })).toBeFocused()
  await dialog
    .getByRole('button', { name: /^Remove (?!all)/ })
    .first()
    .press('Enter')
  await expect(dialog.getByRole('heading', { name: 'Recipients (3)' })).toBeFocused()
})

test('Escape closes an open filter and not the dialog, wherever the focus is', async ({ page }) => {
  await openDraft(page, 'recipients')
  const filter = page.getByRole('dialog').getByRole('button', { name: 'Status', exact: true })
  const panel = page.locator('.popover:popover-open')
  await filter.click()
  await expect(panel).toBeVisible()
  await expect(filter).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(filter).toBeFocused()
  await page.keyboard.press('Enter')
  await panel.getByRole('checkbox').first().focus()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await filter.click()
  await panel.getByText('Status', { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Edit Message' })).toBeHidden()
})

for (const width of [360, 1440]) {
  test(`the recipients and the audience come before the list at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await openDraft(page, 'recipients')
    const chosen = page.getByRole('region', { name: 'Recipients (3)' })
    await expect(chosen.getByRole('heading')).toBeInViewport()
    await expect(chosen.getByLabel('Audience', { exact: true })).toBeInViewport()
    const list = page.getByRole('region', { name: 'People to choose from' })
    const [first, second] = [await chosen.boundingBox(), await list.boundingBox()]
    if (width === 360) expect(second?.y).toBeGreaterThan((first?.y ?? 0) + (first?.height ?? 0))
    else expect(second?.x).toBeGreaterThan((first?.x ?? 0) + (first?.width ?? 0))
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
}

test('a message that is restored in its review begins at its text, and keeps its time', async ({ page }) => {
  await openDraft(page, 'review')
  const address = page.url().replace(/\?.*/, '')
  await page.getByRole('radio', { name: 'Send it at this time' }).check()
  const kept = page.waitForResponse((answer) => answer.url().endsWith('/dashboard/drafts/') && answer.status() === 204)
  const at = localTimeOf(new Date(Date.now() + 2 * 86_400_000), 'UTC')
  await page.getByLabel('Send at').fill(at)
  await kept
  await page.goto(address)
  await page.getByRole('button', { name: 'Restore changes' }).click()
  await expect(page.getByText('Your unsaved changes from')).toBeFocused()
  await expect(page.getByRole('heading', { name: 'Step 1 of 3' })).toBeVisible()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await expect(page.getByLabel('Send at')).toHaveValue(at)
  await expect(page.getByRole('button', { name: 'Schedule for 3 recipients' })).toBeVisible()
})
