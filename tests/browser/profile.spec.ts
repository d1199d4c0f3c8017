/** The person's own profile and account, with and without JavaScript, on both brands, in narrow and wide windows. */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { demoPassword, emailOf, enter, haveSession, signIn } from './support/people.ts'
import { expect, test } from './support/server.ts'

const refusals = [/status of 4(00|04|22)|net::ERR_FAILED/]

async function openProfile(page: Page): Promise<void> {
  await page.getByLabel('Account menu').click()
  await page.locator('details.menu[open]').getByRole('link', { name: 'Profile', exact: true }).click()
}

test.describe('the profile on a phone', () => {
  const site = 'ns'
  test.use({ site, viewport: { width: 360, height: 800 }, allowedErrors: refusals })

  test('L-132 L-133 L-134 L-136 L-176 the profile dialog shows, edits and resets values, and sends only changed fields', async ({
    page,
  }) => {
    await enter(page, 'instructor', site)
    await openProfile(page)
    const dialog = page.getByRole('dialog', { name: 'Learner Profile' })
    await expect(dialog.getByText('Jonas')).toBeVisible()
    await expect(dialog.getByText('North America (United States)')).toBeVisible()
    await expect(dialog).not.toContainText(/Access Plan|Subscription/)
    // Two rows that sound alike are not one below the other.
    const terms = await dialog.locator('dt').allTextContents()
    expect(terms.indexOf('Institution or company') - terms.indexOf('Institution')).toBeGreaterThan(1)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await expect(dialog.getByLabel('Institution', { exact: true })).toHaveAttribute('readonly')
    await expectAccessible(page)
    await dialog.getByLabel('First name').fill('Someone')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog.getByText('Jonas')).toBeVisible()
    await dialog.getByRole('button', { name: 'Edit' }).click()
    // L-177: Cancel has brought back the values.
    await expect(dialog.getByLabel('First name')).toHaveValue('Jonas')

    // L-195, L-198: what is wrong is said beside its field, and nothing is sent.
    const posts: string[] = []
    page.on('request', (request) => {
      const isForm = request.method() === 'POST' && new URL(request.url()).pathname !== '/event/'
      if (isForm) posts.push(request.postData() ?? '')
    })
    await dialog.getByLabel('First name').fill('')
    await dialog.getByLabel('Last name').fill(' ')
    await dialog.getByLabel('Email').fill('abc@')
    await dialog.getByRole('button', { name: 'Save' }).click()
    for (const message of ['First name is required', 'Last name is required', 'A valid email address is required']) {
      await expect(dialog.getByText(message)).toBeVisible()
    }
    expect(posts).toEqual([])
    await dialog.getByLabel('First name').fill('Jonas')
    await dialog.getByLabel('Last name').fill('Lindström')
    await dialog.getByLabel('Email').fill(emailOf('instructor', site))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('User has been updated.')).toBeVisible()
    // L-178: the notice, and the new name.
    await expect(dialog.getByText('Lindström')).toBeVisible()
    expect(posts.map((body) => [...new URLSearchParams(body).keys()].sort())).toEqual([['csrf', 'intent', 'lastName']])

    await test.step('a save without an answer says so, and the form stays', async () => {
      await dialog.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Last name').fill('Nobody')
      await page.route('**/my-learning/my-profile.data**', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      )
      await dialog.getByRole('button', { name: 'Save' }).click()
      // L-253: the values stay.
      await expect(page.getByText('Error updating user. Please try again later.').first()).toBeVisible()
      await expect(dialog.getByLabel('Last name')).toHaveValue('Nobody')
      await page.unroute('**/my-learning/my-profile.data**')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    })

    await dialog.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Email').fill(emailOf('learner', site))
    await dialog.getByLabel('Current password').fill(demoPassword())
    await dialog.getByRole('button', { name: 'Save' }).click()
    // L-200: an address of somebody else.
    await expect(dialog.getByText('This email address is already in use.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByRole('link', { name: 'Change Password' }).click()
    await expect(page.getByRole('dialog', { name: 'Change Password' })).toBeVisible()
  })
})

test.describe('in a wide window', () => {
  const site = 'institutional'
  test.use({ site, viewport: { width: 1440, height: 800 }, allowedErrors: refusals })

  test('leaving unsaved changes asks first, and an ended session is explained at sign-in', async ({ page }) => {
    await haveSession(page, 'author', site)
    await page.goto('/my-learning/my-profile/?edit')
    const name = page.getByLabel('First name')
    await expect(name).toBeFocused()
    await name.fill('Typed')
    await page
      .getByRole('link', { name: /, home$/ })
      .first()
      .click()
    const question = page.getByRole('alertdialog', { name: 'Unsaved changes' })
    await expect(question).toBeVisible()
    await expectAccessible(page)
    // On a phone, both buttons are in one row, with their words in one line.
    await page.setViewportSize({ width: 360, height: 740 })
    const [leave, keep] = await Promise.all(
      ['Leave without saving', 'Keep editing'].map((name) => question.getByRole('button', { name }).boundingBox()),
    )
    expect([leave?.y, leave?.height]).toEqual([keep?.y, keep?.height])
    expect(leave?.height).toBeLessThan(48)
    await page.setViewportSize({ width: 1440, height: 800 })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await expect(name).toHaveValue('Typed')
    // Another browser signs this one out.
    const cookies = await page.context().cookies()
    await page
      .context()
      .addCookies(
        cookies.filter(({ name }) => name.endsWith('session')).map((cookie) => ({ ...cookie, value: 'x'.repeat(43) })),
      )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/login/?next=**&ended')
    await expect(page.getByText('Your session has ended. Log in to continue.')).toBeVisible()
  })

  test('the account page has opt-out, sessions, tokens and all of the person’s data', async ({ page, newContext }) => {
    await signIn(page, 'author', site)
    await haveSession(await (await newContext()).newPage(), 'author', site)
    // L-025, L-026: each part has its hash, and any other one opens In Progress.
    for (const part of ['assigned', 'saved', 'in-progress', 'completed', 'my-messages', 'my-profile']) {
      await page.goto(`/my-learning/#${part}`)
      await page.waitForURL(`**/my-learning/${part}/*`)
    }
    await page.goto('/my-learning/#nothing')
    await page.waitForURL('**/my-learning/in-progress/*')
    await page.goto('/my-learning/#my-account')
    await page.waitForURL('**/my-learning/my-account/')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Account')
    await expect(page.getByText(/^Subsidized, /)).toBeVisible()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByLabel(/Opt out of email messages/).check()
    await expect(page.getByText('You will no longer get messages by email.')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel(/Opt out of email messages/)).toBeChecked()
    await expect(page.getByText('This session')).toBeVisible()
    await page.getByRole('button', { name: 'Log out elsewhere' }).click()
    await expect(page.getByText('You are logged out everywhere else.')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Log out/ })).toHaveCount(0)

    await page.getByText('Create a token', { exact: true }).click()
    await page.getByRole('button', { name: 'Create token' }).click()
    await expect(page.getByText('Please enter a name for the token')).toBeVisible()
    await expect(page.getByText('Please enter your password')).toBeVisible()
    await page.getByLabel('Name', { exact: true }).fill('My script')
    await page.getByLabel('Password', { exact: true }).fill(demoPassword())
    await page.getByLabel('Read and write').check()
    await page.route('**/my-learning/my-account.data**', (route) => route.abort(), { times: 1 })
    await page.getByRole('button', { name: 'Create token' }).click()
    await expect(page.getByText('Error creating the token. Please try again later.')).toBeVisible()
    await page.getByLabel('Password', { exact: true }).fill(demoPassword())
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await expect(page.getByLabel('Access token', { exact: true })).toHaveValue(/^ttr_[\w-]{43}$/)
    await page.reload()
    await expect(page.getByText(/^Read and write, ends in/)).toBeVisible()
    await expect(page.getByLabel('Access token', { exact: true })).toHaveCount(0)
    await page.getByText('Revoke My script').click()
    await page.getByRole('button', { name: 'Revoke token My script' }).click()
    await expect(page.getByText('The token "My script" is revoked.')).toBeVisible()

    await page.getByText('Change email address').click()
    await page.getByLabel('New email').fill(emailOf('admin', site))
    await page.getByLabel('Current password').fill('Wrong7Horse')
    await page.getByLabel('Current password').press('Enter')
    await expect(page.getByText('Current password is incorrect.')).toBeVisible()

    const waiting = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download my data' }).click()
    const file = await readFile(await (await waiting).path(), 'utf8')
    expect(JSON.parse(file).profile.email).toBe(emailOf('author', site))
    expect(file).not.toMatch(/ttr_|hash|argon/)
  })
})

test.describe('without JavaScript', () => {
  const site = 'institutional'
  test.use({ site, javaScriptEnabled: false, viewport: { width: 360, height: 800 }, allowedErrors: refusals })

  test('the same profile and account are pages', async ({ page, newContext }) => {
    await enter(page, 'learner', site)
    await page.getByLabel('Account menu').click()
    await page.locator('details.menu[open]').getByRole('link', { name: 'Profile', exact: true }).click()
    await page.waitForURL('**/my-learning/my-profile/')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('First name').fill('Ada Grace')
    await page.getByLabel('Last name').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Last name is required')).toBeVisible()
    await expect(page.getByLabel('First name')).toHaveValue('Ada Grace')
    await page.getByLabel('Last name').fill('Okafor')
    await page.getByRole('group', { name: 'Current position' }).getByText('Other', { exact: true }).click()
    await page.getByRole('group', { name: 'Current position' }).getByLabel('Your answer').fill('Nurse')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('User has been updated.')).toBeVisible()
    await expect(page.getByText('Nurse')).toBeVisible()
    await expect(page.getByText('Ada Grace', { exact: true })).toBeVisible()

    await page.goto('/my-learning/my-account/')
    await expectNoSidewaysScroll(page)
    await page.getByText('Change email address').click()
    await page.getByLabel('New email').fill(emailOf('admin', site))
    await page.getByLabel('Current password').fill('Wrong7Horse')
    await page.getByRole('button', { name: 'Change email' }).click()
    await expect(page.getByText('Current password is incorrect.')).toBeVisible()
    await expect(page.getByLabel('New email')).toHaveValue(emailOf('admin', site))
    await page.getByLabel('Current password').fill(demoPassword())
    await page.getByLabel('New email').press('Enter')
    await expect(page.getByText('This email address is already in use.')).toBeVisible()
    await page.getByText('Create a token', { exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('By hand')
    await page.getByLabel('Password', { exact: true }).fill('Wrong7Horse')
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await expect(page.getByText('Your token was not created.')).toBeVisible()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('By hand')
    await page.getByLabel('Password', { exact: true }).fill(demoPassword())
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await expect(page.getByLabel('Access token', { exact: true })).toHaveValue(/^ttr_[\w-]{43}$/)
    await page.getByText('Revoke By hand').click()
    await page.getByRole('button', { name: 'Revoke token By hand' }).click()
    await expect(page.getByText('The token "By hand" is revoked.')).toBeVisible()
    await page.getByLabel(/Opt out of email messages/).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('You will no longer get messages by email.')).toBeVisible()
    await expect(page.getByLabel(/Opt out of email messages/)).toBeChecked()
    await signIn(await (await newContext({ javaScriptEnabled: false })).newPage(), 'learner', site)
    await page.reload()
    await page
      .getByRole('button', { name: /^Log out / })
      .first()
      .click()
    await expect(page.getByText('That session has been logged out.')).toBeVisible()
  })
})
