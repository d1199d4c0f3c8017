/**
 * Signing in, and opening an account with its invitation. A journey signs in and out by keyboard and without JavaScript,
 * and HTTP tests have what a plain form is answered.
 */
import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { inviteAdmin } from './support/commands.ts'
import { demoPassword, emailOf } from './support/people.ts'
import { expect, test } from './support/server.ts'

/** A refused form answers 400, and the browser logs that. */
const refusals = [/status of 400/]

async function fill(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

test.describe('forms', () => {
  test.use({ allowedErrors: refusals })

  test('C-121 C-184 C-185 C-186 C-268 an empty form shows each message beside its field and keeps what was typed', async ({
    page,
  }) => {
    await page.goto('/login/')
    await expect(page.getByRole('checkbox')).not.toBeChecked()
    await page.getByRole('button', { name: 'Log In' }).click()
    await expect(page.getByText('Please correct 3 fields.')).toBeVisible()
    await expect(page.getByText('Please enter an email address')).toBeVisible()
    await expect(page.getByText('Please enter a password')).toBeVisible()
    await expect(page.getByText('Please agree to Terms and Conditions')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true')
    await expectAccessible(page)

    await fill(page, emailOf('learner'), 'Wrong7Horse')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Log In' }).click()
    await expect(page.getByText('The email address or password is incorrect.')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(emailOf('learner'))
    await expect(page.getByRole('checkbox')).toBeChecked()
  })

  test('C-006 C-122 C-123 C-164 L-036 an invited admin opens her account with her own password', async ({
    page,
    product,
    site,
  }) => {
    const link = await inviteAdmin(product, 'new@titrate.example', site)
    await page.goto(link)
    const password = page.getByLabel('Password', { exact: true })
    const again = page.getByLabel('Confirm password')
    const privacy = page.getByRole('checkbox')
    const confirm = page.getByRole('button', { name: 'Confirm' })
    const met = page.locator('.pwrules [data-met="true"]')
    await expect(confirm).toBeDisabled()
    await password.pressSequentially('Abcdefg')
    await expect(met).toHaveText([/uppercase letter/])
    await password.pressSequentially('1')
    await expect(met).toHaveText([/8 characters/, /uppercase letter/, /digit/])
    await again.fill('Abcdefg1')
    await expect(met).toHaveCount(4)
    await expect(confirm).toBeDisabled()
    await privacy.check()
    await expect(confirm).toBeEnabled()
    await password.fill('Abcdefg2')
    await expect(confirm).toBeDisabled()
    await expectAccessible(page)
    await password.fill('Titration7')
    await again.fill('Titration7')
    await confirm.click()
    await page.waitForURL('**/dashboard/modules/')
  })
})

test.describe('a used or foreign invitation', () => {
  test.use({ allowedErrors: [/status of 404/] })

  test('C-270 shows a message', async ({ page, product }) => {
    const link = await inviteAdmin(product, 'once@titrate.example', 'institutional')
    await page.goto(link.replace(/[^/]+\/$/, 'wrongtoken/'))
    await expect(
      page.getByText('This invitation link is invalid or has expired. Please ask for a new invitation.'),
    ).toBeVisible()
    await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0)
    expect((await page.goto('/confirm-invitation/x/y/'))?.status()).toBe(404)
  })
})

test('Back from the first page after sign-in does not return to the form', async ({ page, origin }) => {
  await page.goto('/terms/')
  await page.goto('/login/?next=%2Fmodules%2F')
  await fill(page, emailOf('learner'), demoPassword())
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Log In' }).click()
  await page.waitForURL('**/modules/')
  await page.goBack()
  await page.waitForURL(`${origin}/terms/`)
})

test('a person can show the password', async ({ page }) => {
  await page.goto('/login/')
  await page.getByLabel('Password', { exact: true }).fill('Secret7')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
})

test.describe('an outdated page', () => {
  test.use({ allowedErrors: refusals })

  test('a form from before the session began is sent again and loses nothing', async ({ page, context }) => {
    await page.goto('/login/')
    await context.clearCookies()
    await fill(page, emailOf('learner'), demoPassword())
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Log In' }).click()
    await expect(
      page.getByText('This page was open for too long. Nothing was lost: please send it again.'),
    ).toBeVisible()
    await page.getByLabel('Password', { exact: true }).fill(demoPassword())
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/home/')
  })
})
