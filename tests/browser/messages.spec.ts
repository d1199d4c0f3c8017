/** My Messages: listed, read, pinned and followed. A journey does it without JavaScript (own.spec.ts). */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const list = '/my-learning/my-messages/'
const long = /How to read a trial report/
const withFile = /Short maintenance/

for (const { site, width } of views) {
  test.describe(`on ${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('the list and the messages are accessible', async ({ page }) => {
      await haveSession(page, 'learner', site)
      await page.goto(list)
      await expect(page).toHaveTitle(/ : My Messages$/)
      await expect(page.getByRole('heading', { level: 1, name: 'My Messages' })).toBeVisible()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      for (const name of width === 360 ? [long, withFile] : []) {
        await page.goto(list)
        await page.getByRole('link', { name }).click()
        await expect(page.getByRole('heading', { level: 2, name })).toBeVisible()
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        // An ellipsis beyond the end of the lines would be cut off.
        const over = await page
          .locator('.messagenav .subject')
          .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth))
        expect(Math.max(...over)).toBe(0)
      }
    })
  })
}

test('an opened message counts as read on the next page, and can be pinned and unpinned', async ({ page, site }) => {
  const person = 'instructor'
  await haveSession(page, person, site)
  await page.goto(list)
  const unread = page.locator('.messages .is-unread')
  await expect(unread).toHaveCount(3)
  await expect(page.locator('summary[aria-label="Account menu, 3 unread messages"]')).toBeVisible()
  await expect(page.locator('.messages > li').first()).toContainText('Pinned')
  await page.getByRole('link', { name: withFile }).click()
  await expect(page.getByRole('heading', { level: 2, name: withFile })).toBeVisible()
  await page.getByRole('link', { name: 'All messages' }).click()
  await expect(unread).toHaveCount(2)
  await expect(page.locator('summary[aria-label="Account menu, 2 unread messages"]')).toBeVisible()

  await page.getByRole('link', { name: withFile }).click()
  await page.getByRole('button', { name: 'Pin to the top' }).click()
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeVisible()
  await page.getByRole('link', { name: 'All messages' }).click()
  await expect(page.locator('.messages > li').first()).toContainText('Short maintenance')
  await page.getByRole('link', { name: withFile }).click()
  await page.getByRole('button', { name: 'Unpin' }).click()
  await expect(page.getByRole('button', { name: 'Pin to the top' })).toBeVisible()
  await page.getByRole('link', { name: /^Next/ }).click()
  await expect(page.getByRole('heading', { level: 2, name: /New course/ })).toBeVisible()
  await page.getByRole('link', { name: /^Previous/ }).click()
  await expect(page.getByRole('heading', { level: 2, name: withFile })).toBeVisible()
})

test('a learner without messages reads what will appear here', async ({ page, site }) => {
  await haveSession(page, 'author', site)
  await page.goto(list)
  await expect(page.getByRole('heading', { name: 'You have no messages yet' })).toBeVisible()
  expect((await page.request.get(`${list}9b2f5a52-2a52-4a52-8a52-9b2f5a529b2f/`)).status()).toBe(404)
})

// On the institutional site, because Node follows the link and does not resolve ns.localhost.
test('an attachment downloads under its name, and a link opens the address in the message', async ({ page, site }) => {
  await haveSession(page, 'learner', site)
  await page.goto(list)
  await page.getByRole('link', { name: withFile }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: /^Download maintenance-notice.pdf/ }).click()
  expect((await downloading).suggestedFilename()).toBe('maintenance-notice.pdf')
  await page.goto(list)
  await page.getByRole('link', { name: long }).click()
  const link = page.locator('.prose').getByRole('link', { name: 'CONSORT' })
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  const href = (await link.getAttribute('href')) ?? ''
  expect(href).toMatch(/\/my-learning\/my-messages\/[0-9a-f-]+\/link\/[0-9a-f-]+\/$/)
  const answer = await page.request.get(href, { maxRedirects: 0 })
  expect(answer.status()).toBe(302)
  expect(answer.headers().location).toBe('https://www.consort-spirit.org/')
  const strange = await page.request.get(href.replace(/link\/.*/, 'link/https:%2F%2Fevil.example/'), {
    maxRedirects: 0,
  })
  expect(new URL(strange.headers().location ?? '', page.url()).pathname).toBe(href.replace(/link\/.*/, ''))
})

test('a site without announcements has no messages', async ({ page, product }) => {
  const setFlag = (isOn: boolean) =>
    product.db.updateTable('feature_flags').set({ is_on: isOn }).where('name', '=', 'ANNOUNCEMENTS').execute()
  await haveSession(page, 'learner')
  await setFlag(false)
  try {
    await page.goto(list)
    await expect(page).toHaveURL(/\/my-learning\/in-progress\/$/)
    await expect(page.locator('summary[aria-label="Account menu"]')).toBeVisible()
    await expect(page.getByRole('link', { name: 'My Messages' })).toHaveCount(0)
  } finally {
    await setFlag(true)
  }
})
