/**
 * New passwords: forgotten, invited and changed. Without JavaScript, a journey resets a password, and an HTTP test changes
 * one.
 */
import type { Page, Request } from '@playwright/test'
import { aUser, testPassword } from '../support/context.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { inviteAdmin } from './support/commands.ts'
import { mailedLink } from './support/mails.ts'
import { haveSession, haveSessionOf } from './support/people.ts'
import type { Product } from './support/product.ts'
import { expect, test } from './support/server.ts'

const refusals = [/status of 40[04]/]

/** The address of an account for one test, with the password of all tests. Other tests sign in with the demo accounts. */
async function anAccount({ db }: Product): Promise<string> {
  return (await aUser(db, { groups: ['admins'], plan: null })).email
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/login/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Log In' }).click()
}

test.use({ allowedErrors: refusals })

test('L-036 L-064 a person who forgot her password gets a link by mail, sets a new one and signs in', async ({
  page,
  product,
  newContext,
}) => {
  const email = await anAccount(product)
  const first = await (await newContext()).newPage()
  await haveSessionOf(first, email)

  await page.goto('/login/')
  // C-005, C-120: Login leads to Request Password Reset.
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.waitForURL('**/request-password-reset/')
  await expect(page).toHaveTitle(/ : Request Password Reset$/)
  await page.getByRole('button', { name: 'Send Link' }).click()
  // C-184: a request without an address.
  await expect(page.getByText('Please enter an email address')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send Link' }).click()
  const answer = 'If an account exists for this email address, you will receive a message with a link'
  await expect(page.getByText(answer)).toBeVisible()

  // C-006, C-233: the mailed link has uid and token as parts of its path.
  const link = await mailedLink(product, email, 'reset-password')
  await page.goto(link)
  await expect(page).toHaveTitle(/ : Reset Password$/)
  const password = page.getByLabel('New password')
  const again = page.getByLabel('Confirm password')
  const send = page.getByRole('button', { name: 'Reset Password' })
  await send.click()
  // C-187, C-188: empty fields, and different values.
  await expect(page.getByText('Please enter a password')).toBeVisible()
  await expect(page.getByText('Please confirm the password')).toBeVisible()
  await expectAccessible(page)
  await password.fill('Solution8Drop')
  await again.fill('Solution9Drop')
  await send.click()
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  await password.fill('Solution8Drop')
  await again.fill('Solution8Drop')
  await send.click()
  // C-167: a message with a link to log in, and only the new password works.
  await expect(page.getByText('Your password has been reset.')).toBeVisible()
  await first.goto('/home/')
  await first.waitForURL('**/login/?next=%2Fhome%2F')
  await page.getByRole('main').getByRole('link', { name: 'Log In' }).click()
  await page.waitForURL('**/login/')
  await logIn(page, email, testPassword)
  await expect(page.getByText('The email address or password is incorrect.')).toBeVisible()
  await logIn(page, email, 'Solution8Drop')
  await page.waitForURL('**/dashboard/modules/')

  await page.goto(link)
  // C-269: a used link.
  await expect(page.getByText('is invalid, has expired or was already used')).toBeVisible()
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await page.waitForURL('**/request-password-reset/')
})

test('L-134 L-205 L-250 L-251 changing the password ends the other session and keeps this one', async ({
  page,
  product,
  newContext,
}) => {
  const email = await anAccount(product)
  const other = await (await newContext()).newPage()
  for (const one of [page, other]) await haveSessionOf(one, email)

  await page.goto('/home/')
  await page.locator('summary[aria-label^="Account menu"]').click()
  await page.getByRole('link', { name: 'Change Password' }).click()
  const form = page.getByRole('dialog')
  const send = form.getByRole('button', { name: 'Change Password' })
  const requests: string[] = []
  page.on('request', (request) => request.method() === 'POST' && requests.push(new URL(request.url()).pathname))
  await send.click()
  for (const sentence of [
    'Please enter current password',
    'Please enter new password',
    'Please confirm the password',
  ]) {
    await expect(form.getByText(sentence)).toBeVisible()
  }
  expect(requests.filter((path) => path !== '/event/')).toEqual([])
  await expectAccessible(page)
  const change = async (current: string, password: string, password2: string, sentence: string) => {
    await form.getByLabel('Current password').fill(current)
    await form.getByLabel('New password', { exact: true }).fill(password)
    await form.getByLabel('Confirm new password').fill(password2)
    await send.click()
    await expect(form.getByText(sentence)).toBeVisible()
  }
  await change(testPassword, 'Abc1234', 'Abc1234', 'The minimum password length is 8')
  await change('Titration1', 'Solution8Drop', 'Solution8Drop', 'Current password is incorrect.')
  await form.getByLabel('Current password').fill(testPassword)
  await form.getByLabel('New password', { exact: true }).fill('Solution8Drop')
  await form.getByLabel('Confirm new password').fill('Solution8Drop')
  await send.click()
  await expect(page.getByText('Password has been changed.')).toBeVisible()
  await expect(form).toBeHidden()
  await page.goto('/my-learning/in-progress/')
  await expect(page).toHaveURL(/my-learning/)
  await other.goto('/home/')
  await other.waitForURL('**/login/?next=%2Fhome%2F')
  await logIn(other, email, 'Solution8Drop')
  await other.waitForURL('**/dashboard/modules/')
})

test('L-132 L-135 L-138 the dialog stays open after a click beside it, Cancel and Escape close it, and an admin’s profile is short', async ({
  page,
}) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/outbox/')
  const dialog = page.getByRole('dialog')
  // A dialog that opens after its first paint would miss a key that is pressed at once.
  await page.evaluate(() => {
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (node instanceof HTMLDialogElement && !node.matches(':modal')) document.documentElement.dataset.late = 'yes'
      }
    }).observe(document.body, { childList: true })
  })
  const open = async () => {
    await page.locator('summary[aria-label^="Account menu"]').click()
    await page.getByRole('link', { name: 'Change Password' }).click()
    await expect(dialog).toBeVisible()
  }
  await open()
  await page.mouse.click(5, 500)
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.locator('summary[aria-label^="Account menu"]')).toBeFocused()
  await open()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  expect(new URL(page.url()).pathname).toBe('/dashboard/outbox/')
  await expect(page.locator('html')).not.toHaveAttribute('data-late')
  await test.step('an admin’s profile has only name and address', async () => {
    await page.locator('summary[aria-label^="Account menu"]').click()
    await page.locator('details.menu[open]').getByRole('link', { name: 'Profile', exact: true }).click()
    const profile = page.getByRole('dialog', { name: 'Admin Profile' })
    await expect(profile.getByText('Priya')).toBeVisible()
    await expect(profile.locator('dt')).toHaveText(['First name', 'Last name', 'Email'])
  })
})

test.describe('while the network is down', () => {
  test.use({ allowedErrors: [/ERR_FAILED|ERR_INTERNET/] })

  test('C-166 C-268 C-269 a request for a link gives its usual answer, and the other forms say that they failed', async ({
    page,
    product,
  }) => {
    const email = await anAccount(product)
    await page.goto('/request-password-reset/')
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send Link' }).click()
    const link = await mailedLink(product, email, 'reset-password')

    // Whole pages still load, so that there is a page to post from. Requests of the page fail.
    const isAway = (request: Request) => request.method() === 'POST' || request.url().includes('.data')
    await page.route('**', (route) => (isAway(route.request()) ? route.abort() : route.continue()))
    await page.goto('/request-password-reset/')
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send Link' }).click()
    await expect(page.getByText('If an account exists for this email address')).toBeVisible()
    await page.goto(link)
    await page.getByLabel('New password').fill('Solution8Drop')
    await page.getByLabel('Confirm password').fill('Solution8Drop')
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page.getByText('Password reset error. Please try again later.')).toBeVisible()
    await expect(page.getByLabel('New password')).toHaveValue('Solution8Drop')
    await logIn(page, email, testPassword)
    await expect(page.getByRole('alert')).toContainText('The server could not be reached. Please try again.')
    // The same page works when the network is back.
    await page.unroute('**')
    await page.getByRole('button', { name: 'Log In' }).click()
    await page.waitForURL('**/dashboard/modules/')
  })
})

test.describe('the outbox', () => {
  test.use({ viewport: { width: 360, height: 800 } })

  test('shows an admin the mails that were sent, without links for other people', async ({ page, product }) => {
    const other = await page.context().newPage()
    await other.goto('/request-password-reset/')
    await other.getByLabel('Email').fill('learner@titrate.example')
    await other.getByRole('button', { name: 'Send Link' }).click()
    await mailedLink(product, 'learner@titrate.example', 'reset-password')
    await other.close()
    await haveSession(page, 'admin')
    await page.goto('/dashboard/institutions/')
    await page.locator('summary[aria-label^="Account menu"]').click()
    await page.locator('.panel').getByRole('link', { name: 'Outbox' }).click()
    await page.getByRole('link', { name: 'Reset your Titrate password' }).first().click()
    await expect(page.getByText('Somebody asked for a new password')).toBeVisible()
    await expect(page.getByText('This link is shown only to the recipient of the mail.')).toBeVisible()
    await expect(page.getByText('/reset-password/')).toHaveCount(0)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
})

for (const [site, width, figure] of [
  ['institutional', 1440, 'The long line, and the one drop that changes everything.'],
  ['ns', 360, 'Every therapy starts as one careful measurement.'],
] as const) {
  test.describe(`the four auth pages of ${site}`, () => {
    test.use({ site, viewport: { width, height: 800 }, allowedErrors: refusals })

    test('C-005 C-119 L-035 L-037 show their two parts, and neither the bar nor the footer of other pages', async ({
      page,
      product,
    }) => {
      const invitation = await inviteAdmin(product, `split-${site}@titrate.example`, site)
      for (const path of ['/login/', '/request-password-reset/', '/reset-password/x/y/', invitation]) {
        await page.goto(path)
        if (path === '/login/') await expect(page).toHaveTitle(/^Titrate( NS)? : Log In$/)
        await expect(page.getByText(figure)).toBeVisible()
        await expect(page.locator('.topbar, .foot-site')).toHaveCount(0)
        if (site === 'ns') await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
    })
  })
}
