/** Inviting people in the console, in a browser with and without JavaScript. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const head = 'firstName,lastName,email,university,accessPlan,isAdmin,autoRenew,subscriptionDurationDays\n'

test.use({ allowedErrors: [/status of 4(00|22)/] })

test('C-093 C-168 C-169 C-225 C-170 one person is invited in the dialog, and an address only once', async ({
  page,
}) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/users/')
  await page.getByRole('link', { name: 'Invite User' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite User' })
  const plan = dialog.getByRole('combobox', { name: 'Access plan' })
  await plan.selectOption({ index: 1 })
  await dialog.getByRole('checkbox', { name: /Admin Access/ }).check()
  await expect(plan).toBeDisabled()
  await expect(plan).toHaveValue('')
  await dialog.getByRole('checkbox', { name: /Admin Access/ }).uncheck()
  await expect(plan).toBeEnabled()
  // L-009, L-202: the default institution at first; a name that none has yet is offered as a new one.
  const institution = dialog.getByRole('combobox', { name: 'Institution' })
  await expect(institution).toHaveValue('Titrate Institute')
  await institution.fill('titrate INSTITUTE')
  await expect(dialog.getByText(/^Create "/)).toHaveCount(0)
  await institution.fill('New Uni 1')
  await expect(dialog.getByText('Create "New Uni 1"')).toBeVisible()
  await expect(dialog.getByLabel('Auto-renew yearly')).toBeChecked()
  await expect(dialog.getByRole('textbox', { name: /^Duration/ })).toHaveValue('1')
  await expect(dialog.getByRole('combobox', { name: /^Unit/ })).toHaveValue('Y')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(dialog.getByText('Access Plan is required')).toBeVisible()
  await expectAccessible(page)
  const fill = async () => {
    await dialog.getByLabel('First name').fill('Ida')
    await dialog.getByLabel('Last name').fill('Invited')
    await dialog.getByLabel('Email address').fill('ida@invited.example')
    await dialog.getByRole('combobox', { name: 'Institution' }).fill('An Institute of Its Own')
    await dialog.getByRole('combobox', { name: 'Access plan' }).selectOption({ index: 1 })
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  }
  await fill()
  await expect(page.getByText('Ida Invited has been invited. The email is on its way.')).toBeVisible()
  await page.getByRole('link', { name: 'Invite User' }).click()
  await fill()
  await expect(dialog.getByText(/has already been invited/).first()).toBeVisible()
  await expect(dialog.getByRole('combobox', { name: 'Institution' })).toHaveValue('An Institute of Its Own')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
})

/** Expects that leaving in this way asks about what would be lost, and stays. */
async function expectQuestion(page: Page, leave: () => Promise<void>) {
  await leave()
  const question = page.getByRole('alertdialog', { name: 'Unsaved changes' })
  await question.getByRole('button', { name: 'NO' }).click()
  await expect(question).toBeHidden()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })
    test('C-197 C-199 L-216 a list is checked, corrected in place, invited, and withdrawn', async ({ page }) => {
      await haveSession(page, 'admin')
      const domain = javaScriptEnabled ? 'list.example' : 'plain.example'
      await page.goto('/dashboard/users/invite/')
      await page.getByRole('link', { name: 'Many, from a CSV file' }).click()
      const check = page.getByRole('button', { name: /^Check/ })
      await check.click()
      await expect(page.getByText('CSV file is required').first()).toBeVisible()
      const text = `${head}Ada,One,one@${domain},Helvik,Full Access,,,\nBo,Two,nonsense,Helvik,No Plan,,,\n`
      const name = `${'Long'.repeat(15)}.csv`
      const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
      await page.locator('input[type=file]').setInputFiles(file)
      if (javaScriptEnabled) {
        await expect(page.getByText(`${name.slice(0, 39)}…`, { exact: true })).toBeVisible()
        await expectQuestion(page, () => page.getByRole('link', { name: 'One person' }).click())
      }
      await check.click()
      await expect(page.getByText('2 faults in 1 row of 2.')).toBeVisible()
      const email = page.getByRole('textbox', { name: 'email in line 3' })
      await expect(email).toHaveAccessibleDescription('A valid email address is required')
      if (javaScriptEnabled) await expectAccessible(page)
      await email.fill(`two@${domain}`)
      await check.click()
      await expect(page.getByText('1 fault in 1 row of 2.')).toBeVisible()
      if (javaScriptEnabled) await expectQuestion(page, () => page.keyboard.press('Escape'))
      await page.getByRole('textbox', { name: 'accessPlan in line 3' }).fill('full access')
      await page.setViewportSize({ width: 360, height: 740 })
      if (javaScriptEnabled) await expectNoSidewaysScroll(page)
      await check.click()
      await expect(page.getByText('2 people can be invited.')).toBeInViewport()
      await page.getByRole('button', { name: 'Invite 2 people' }).click()
      await expect(page.getByText('2 people invited')).toBeVisible()
      await page.getByRole('link', { name: 'Withdraw invitations' }).click()
      await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
      await expect(page.getByText('2 invitations withdrawn')).toBeVisible()
    })
  })
}
