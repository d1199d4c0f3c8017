/** Failures are reported, retried, and never replace the page (docs/decisions/010). */
import type { Page, Request } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { enter, haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

test.use({
  allowedErrors: [
    /net::ERR|status of (4|5)|reloading page|Failed to fetch|manifest patches|dynamically imported|SyntaxError|decode turbo/,
  ],
})

const offline = 'You seem to be offline. Please check your connection and try again.'
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text })
const menu = (page: Page) => page.locator('summary.avatar-btn')
const bar = (page: Page) => page.getByRole('banner')

async function openModule(page: Page): Promise<void> {
  await page.goto('/modules/?phase=deliver')
  await page.getByRole('link', { name: 'First in Human' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'First in Human' })).toBeVisible()
}

test('offline, Start, links, dialogs and Back keep the page; all of them work when the network is back', async ({
  page,
  context,
}) => {
  await haveSession(page, 'learner')
  await openModule(page)
  const address = page.url()
  const heading = page.getByRole('heading', { level: 1, name: 'First in Human' })
  const dismiss = () => page.getByRole('button', { name: 'Dismiss' }).click()
  await context.setOffline(true)

  await page.getByRole('button', { name: /^(Start|Resume) First in Human/ }).click()
  await expect(toast(page, offline)).toBeVisible()
  await expect(page.locator('.progress-line')).toHaveCount(0)
  await dismiss()
  await bar(page).getByRole('link', { name: 'My Learning' }).first().click()
  await expect(toast(page, offline)).toBeVisible()
  await dismiss()
  await menu(page).click()
  await page.getByRole('link', { name: 'My Progress' }).click()
  await expect(toast(page, offline)).toBeVisible()
  await dismiss()
  await page.goBack()
  await expect(toast(page, offline)).toBeVisible()
  await expect(page).toHaveURL(address)
  await expect(heading).toBeVisible()

  await context.setOffline(false)
  const dialog = page.getByRole('dialog', { name: 'My Progress' })
  // Some browsers do not import a failed file again; they first reload the page.
  await expect(async () => {
    if ((await menu(page).locator('..').getAttribute('open')) === null) await menu(page).click()
    await page.getByRole('link', { name: 'My Progress' }).click({ timeout: 3000 })
    await expect(dialog).toBeVisible({ timeout: 3000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await openModule(page)
  await page.goBack()
  await expect(page).toHaveURL(/phase=deliver$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Modules' })).toBeVisible()
  await page.goForward()
  // The list has a button of the same name, which the page of the module replaces, perhaps in the middle of a click.
  await expect(heading).toBeVisible()
  await page.getByRole('button', { name: /^(Start|Resume) First in Human/ }).click()
  await page.waitForURL('**/viewer/**')
})

test('a failed press leaves one notice about the connection: the last, and none after the next success', async ({
  page,
  context,
}) => {
  await haveSession(page, 'learner')
  await openModule(page)
  const save = page.getByRole('button', { name: 'Save First in Human' })
  const unsaved = 'Your change was not saved. Please check your connection and try again.'
  // The first press loads its code, is answered, and then the page is loaded again.
  const isSaved = page.waitForResponse((response) => new URL(response.url()).pathname === '/favourites.data')
  await save.click()
  await isSaved
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  await save.click()
  // Under the pointer, a notice stays.
  await toast(page, unsaved).hover()
  await page.getByRole('button', { name: /^(Start|Resume) First in Human/ }).press('Enter')
  await expect(toast(page, offline)).toBeVisible()
  await expect(toast(page, unsaved)).toHaveCount(0)
  await toast(page, offline).hover()
  await context.setOffline(false)
  await save.press('Enter')
  await expect(page.locator('.toast')).toHaveCount(0, { timeout: 3000 })
})

test('a page that was opened by its address does not repeat its requests while offline', async ({ page, context }) => {
  await haveSession(page, 'learner')
  await openModule(page)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'First in Human' })).toBeVisible()
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/__manifest')) asked += 1
  })
  await context.setOffline(true)
  await page.getByRole('button', { name: /^(Start|Resume) First in Human/ }).click()
  await expect(toast(page, offline)).toBeVisible()
  await page.waitForTimeout(1000)
  expect(asked).toBeLessThan(5)
  await page.locator('.toast').hover()
  await expect(page.locator('.progress-line')).toHaveCount(0)
  await context.setOffline(false)
  await page.getByRole('button', { name: /^Save / }).click()
  // An outdated notice goes away even while the pointer is on it.
  await expect(toast(page, offline)).toHaveCount(0)
  await page.getByRole('button', { name: /^(Start|Resume) First in Human/ }).click()
  await page.waitForURL('**/viewer/**')
})

test('PREVIEW keeps the console page while offline', async ({ page, context }) => {
  await haveSession(page, 'author')
  // In windows of this width, a row shows its actions side by side.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/dashboard/modules/?search=First%20in%20Human')
  const preview = page.getByRole('button', { name: /preview/i }).first()
  await expect(preview).toBeVisible()
  await context.setOffline(true)
  await preview.click()
  await expect(toast(page, offline)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Manage Modules' })).toBeVisible()
  await context.setOffline(false)
  await preview.click()
  await page.waitForURL('**/viewer/**')
})

test.describe('an answer of 5xx', () => {
  const isReport = (request: Request) => request.url().endsWith('/client-error/')

  test('A-245 L-225 L-226 is tried three times, reported three times and keeps the page; a single one only takes longer', async ({
    page,
    product,
  }) => {
    await haveSession(page, 'learner')
    await page.clock.install()
    await page.goto('/videos/')
    const asked: string[] = []
    const reports: unknown[] = []
    page.on('request', (request) => isReport(request) && reports.push(request.postDataJSON()))
    let failing = 3
    await page.route('**/modules.data*', (route) => {
      asked.push(route.request().method())
      return failing-- > 0 ? route.fulfill({ status: 503, body: 'No server' }) : route.continue()
    })
    await bar(page).locator('summary', { hasText: 'Explore' }).click()
    await bar(page).getByRole('link', { name: 'Go to Modules' }).click()
    await expect.poll(() => asked.length).toBe(1)
    await page.clock.fastForward(2_000)
    await expect.poll(() => asked.length).toBe(2)
    await page.clock.fastForward(4_000)
    await expect(toast(page, 'The server could not be reached. Please try again.')).toBeVisible()
    await expect(page).toHaveURL(/\/videos\/$/)
    expect(asked).toEqual(['GET', 'GET', 'GET'])
    await expect
      .poll(() => reports)
      .toMatchObject([1, 2, 3].map((attempt) => ({ kind: 'answer', status: 503, attempt })))
    await expect.poll(() => product.log()).toContain('"message":"GET /modules.data","route":"/videos/"')

    failing = 1
    // The menu is still open.
    await bar(page).getByRole('link', { name: 'Go to Modules' }).click()
    await expect.poll(() => asked.length).toBe(4)
    await page.clock.fastForward(2_000)
    await page.waitForURL('**/modules/')
    expect(asked).toHaveLength(5)
  })

  test('A-261 L-254 to a log-out shows a message and changes nothing else', async ({ page }) => {
    await haveSession(page, 'learner')
    await page.clock.install()
    await page.goto('/videos/')
    let asked = 0
    await page.route('**/logout.data*', (route) => {
      asked += 1
      return route.fulfill({ status: 500, body: '' })
    })
    await menu(page).click()
    await bar(page).getByRole('button', { name: 'Logout' }).first().click()
    for (const [index, wait] of [2_000, 4_000].entries()) {
      await expect.poll(() => asked).toBe(index + 1)
      await page.clock.fastForward(wait)
    }
    await expect(toast(page, 'Error logging out.')).toBeVisible()
    await expect(page).toHaveURL(/\/videos\/$/)
    expect(asked).toBe(3)
    // L-125, L-126: it is at the top, in the middle, and goes away after six seconds.
    const box = await toast(page, 'Error logging out.').boundingBox()
    const middle = (page.viewportSize()?.width ?? 0) / 2
    expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - middle)).toBeLessThan(20)
    expect(box?.y).toBeLessThan(200)
    await page.clock.fastForward(5_500)
    await expect(toast(page, 'Error logging out.')).toBeVisible()
    await page.clock.fastForward(1_000)
    await expect(toast(page, 'Error logging out.')).toHaveCount(0)
  })
})

test.describe('a chunk of an older build', () => {
  /** The files of other routes' code that a page fetches. */
  const lose = (page: Page, name: RegExp | ((url: URL) => boolean)) =>
    page.route(name, (route) => route.fulfill({ status: 404, contentType: 'text/plain', body: '' }))

  test('L-249 L-261 reloads the requested page once, and then shows the error', async ({ page }) => {
    await haveSession(page, 'learner')
    await page.goto('/terms/')
    await lose(page, /\/assets\/_public\.faq-/)
    await bar(page).locator('summary', { hasText: 'Resources' }).click()
    await bar(page).getByRole('link', { name: 'FAQ' }).click()
    // Not waitForURL, which would wait for the lost scripts.
    await expect(page).toHaveURL(/\/faq\/\?_r=1$/)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

    await page.goto('/terms/?_r=1')
    await page.evaluate(() => {
      window.addEventListener('vite:preloadError', () => Object.assign(window, { isLost: true }))
    })
    await bar(page).locator('summary', { hasText: 'Resources' }).click()
    await bar(page).getByRole('link', { name: 'FAQ' }).click()
    await expect(page.getByText('An internal error has occurred. Please try to refresh the page.')).toBeVisible()
    expect(await page.evaluate(() => 'isLost' in window)).toBe(true)
  })

  test('of a dialog reloads the page once, and then shows a message and stays', async ({ page }) => {
    await haveSession(page, 'learner')
    await page.goto('/terms/')
    const open = async () => {
      await menu(page).click()
      await page.getByRole('link', { name: 'Change Password' }).click()
    }
    // The build decides which files hold the dialog, so the test looks what is loaded for it.
    const asked = new Set<string>()
    const note = (request: Request) => asked.add(new URL(request.url()).pathname)
    page.on('request', note)
    await open()
    await expect(page.getByRole('dialog')).toBeVisible()
    page.off('request', note)
    await page.goto('/terms/')
    await lose(page, ({ pathname }) => pathname.startsWith('/assets/') && asked.has(pathname))
    await open()
    await page.waitForURL('**/terms/?_r=1')
    await open()
    await expect(toast(page, 'This could not be loaded. Please try to refresh the page.')).toBeVisible()
    await expect(page).toHaveURL(/\/terms\/\?_r=1$/)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  })
})

test('code that did not load offline is reported once, though the browser reports the network before it works', async ({
  page,
  context,
}) => {
  await haveSession(page, 'learner')
  await page.goto('/terms/')
  let lose = () => {}
  const isTold = new Promise<void>((resolve) => {
    lose = resolve
  })
  await page.route(/\/assets\/_learn\.my-learning|\/healthz$/, async (route) => {
    await isTold
    await route.abort('internetdisconnected')
  })
  const lost = await page.evaluateHandle(() => {
    const count = { lost: 0 }
    window.addEventListener('vite:preloadError', () => {
      count.lost += 1
    })
    return count
  })
  const howOften = () => lost.evaluate((count) => count.lost)
  const isKnown = () => page.evaluate(() => 'routes/_learn.my-learning' in window.__remixManifest.routes)

  // Before the router knows the route, it requests none of its chunks.
  await expect.poll(isKnown).toBe(true)
  await context.setOffline(true)
  await bar(page).getByRole('link', { name: 'My Learning' }).first().click()
  await expect(toast(page, offline)).toBeVisible()
  lose()
  await expect.poll(howOften).toBeGreaterThan(0)
  const before = await howOften()
  await context.setOffline(false)
  await expect.poll(howOften).toBeGreaterThan(before)
  // Waits a moment, because a second notice would appear late.
  await page.waitForTimeout(500)
  await expect(toast(page, 'The server could not be reached.')).toHaveCount(0)
})

test('a press whose code did not load offline is carried out when the network is back', async ({ page, context }) => {
  await haveSession(page, 'instructor')
  await page.goto('/modules/?phase=deliver')
  await expect.poll(() => page.evaluate(() => 'routes/favourites' in window.__remixManifest.routes)).toBe(true)
  const save = page.getByRole('button', { name: 'Save First in Human' })
  await expect(save).toHaveAttribute('aria-pressed', 'false')
  await context.setOffline(true)
  await save.click()
  await expect(toast(page, offline)).toBeVisible()
  const saved = page.waitForResponse((response) => response.url().includes('/favourites.data'))
  await context.setOffline(false)
  expect((await saved).ok()).toBe(true)
  await expect(save).toHaveAttribute('aria-pressed', 'true')
  await page.goto('/my-learning/saved/')
  await expect(page.getByRole('link', { name: 'First in Human' }).first()).toBeVisible()
})

test('leaving a page whose answer is still arriving causes no error', async ({ page }) => {
  // The whole answer except its end has arrived.
  await page.addInitScript(() => {
    const native = window.fetch.bind(window)
    window.fetch = async (input, init) => {
      const answer = await native(input, init)
      if (!String(input).includes('/faq.data')) return answer
      const text = await answer.text()
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text))
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
          Object.assign(window, { isComing: true })
        },
      })
      return new Response(body, { status: answer.status, headers: answer.headers })
    }
  })
  await page.route(/\/assets\/_public\.faq-/, () => {})
  await haveSession(page, 'learner')
  await page.goto('/terms/')
  await bar(page).locator('summary', { hasText: 'Resources' }).click()
  await bar(page).getByRole('link', { name: 'FAQ' }).click()
  await page.waitForFunction(() => 'isComing' in window)
  await bar(page).getByRole('link', { name: 'Home', exact: true }).click()
  await page.waitForURL('**/home/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('A-208 A-263 L-223 L-259 a token of an older session reloads the page, and the next press works', async ({
  page,
  context,
}) => {
  await haveSession(page, 'instructor')
  await page.goto('/videos/')
  const other = await context.newPage()
  await other.goto('/login/')
  await context.clearCookies()
  await haveSession(other, 'instructor')
  await other.close()
  const button = page.getByRole('button', { name: /^Save / }).first()
  await button.click()
  await page.waitForURL('**/videos/?_r=1')
  await expect(toast(page, 'This page was open for too long. Nothing was lost: please try again.')).toBeVisible()
  await expect(button).toHaveAttribute('aria-pressed', 'false')
  const saved = page.waitForResponse((response) => response.url().includes('/favourites.data'))
  await button.click()
  expect((await saved).status()).toBe(200)
  await expect(button).toHaveAttribute('aria-pressed', 'true')
})

test('A-012 C-019 L-263 malformed console data shows a message in place of the area, and the navigation still works', async ({
  page,
}) => {
  await haveSession(page, 'admin')
  await page.goto('/dashboard/modules/')
  await page.route('**/dashboard/outbox.data*', (route) =>
    route.fulfill({ status: 200, contentType: 'text/x-script', body: '{"malformed":' }),
  )
  await menu(page).click()
  await page.locator('.panel').getByRole('link', { name: 'Outbox' }).click()
  await expect(page.getByText('An internal error has occurred. Please try to refresh the page.')).toBeVisible()
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Modules', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Manage Modules' })).toBeVisible()
})

test.describe('notices', () => {
  test.use({ site: 'ns', viewport: { width: 360, height: 800 } })

  test('go away, and only the people they were for can read them again', async ({ page, context }) => {
    await enter(page, 'learner', 'ns')
    await menu(page).click()
    await expect(page.getByRole('button', { name: /^Notices/ })).toHaveCount(0)
    await context.setOffline(true)
    await page.getByRole('link', { name: 'My Learning', exact: true }).last().click()
    await expect(toast(page, offline)).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await context.setOffline(false)
    await page.reload()
    await menu(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Notices/ }).focus()
    await page.keyboard.press('Enter')
    const list = page.getByRole('dialog', { name: 'Notices' })
    await expect(list.getByRole('listitem')).toHaveText([new RegExp(offline)])
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.keyboard.press('Escape')
    await expect(menu(page)).toBeFocused()

    await page.keyboard.press('Enter')
    await bar(page).getByRole('button', { name: 'Logout' }).first().click()
    await page.waitForURL('**/login/')
    await enter(page, 'instructor', 'ns')
    await menu(page).click()
    await expect(page.getByRole('link', { name: 'Change Password' })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Notices/ })).toHaveCount(0)
  })
})
