/** The frame of every page: bars, menus, footer, brands, and the pages for addresses that do not exist. */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { enter, haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

const brands = {
  institutional: {
    name: 'Titrate',
    palette: 'titrate',
    support: 'support@titrate.example',
    accent: 'rgb(11, 107, 105)',
    drop: 'rgb(217, 58, 73)',
    indicator: '#d93a49', // red
  },
  ns: {
    name: 'Titrate NS',
    palette: 'ns',
    support: 'help@ns.titrate.example',
    accent: 'rgb(31, 63, 128)',
    drop: 'rgb(218, 95, 5)',
    indicator: '#da5f05', // orange
  },
}

for (const site of ['institutional', 'ns'] as const) {
  const brand = brands[site]
  test.describe(`on ${site}`, () => {
    test.use({ site, allowedErrors: [/status of 40[34]/] })

    test('public pages show the brand, signed out and signed in', async ({ page }) => {
      for (const [path, label] of [
        ['/terms/', 'Terms'],
        ['/privacy-policy/', 'Privacy Policy'],
      ]) {
        await page.goto(path ?? '')
        await expect(page).toHaveTitle(`${brand.name} : ${label}`)
        await expect(page.locator('html')).toHaveAttribute('data-brand', brand.palette)
        // C-001, A-279, A-280: the colors of the site, and that of its notices of success.
        const colors = await page.evaluate(() => {
          const sample = document.createElement('div')
          sample.className = 'toast toast--success'
          document.body.append(sample)
          const { backgroundColor } = getComputedStyle(sample)
          sample.remove()
          return [backgroundColor, getComputedStyle(document.documentElement).getPropertyValue('--indicator').trim()]
        })
        expect(colors).toEqual([brand.accent, brand.indicator])
        await expect(page.getByRole('banner').getByRole('link', { name: 'Log In' })).toBeVisible()
      }
      // L-005: the logo has the first color of the brand and its second one.
      await expect(page.getByRole('banner').locator('.mark-t')).toHaveCSS('fill', brand.accent)
      await expect(page.getByRole('banner').locator('.mark-drop')).toHaveCSS('fill', brand.drop)
      await enter(page, 'learner', site)
      await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click()
      await expect(page).toHaveTitle(`${brand.name} : Terms`)
      await expect(page.getByRole('banner').getByRole('link', { name: 'My Learning' }).first()).toBeVisible()
      const primary = page.getByRole('link', { name: 'Skip to content' })
      await primary.focus()
      await expect(primary).toBeInViewport()
    })

    test('L-043 L-044 L-087 L-088 L-089 an unknown address is the 404 page with its status, also signed out', async ({
      page,
    }) => {
      await page.goto('/terms/')
      const answer = await page.goto('/no-such-page/')
      expect(answer?.status()).toBe(404)
      await expect(page).toHaveTitle(`${brand.name} : Page Not Found`)
      await expect(page.getByRole('main')).toContainText(
        `Page Not Found.Sorry, either the page you are looking for doesn't exist or you don't have access to this content. Please contact us at ${brand.support} if you believe you're getting this message in error.`,
      )
      if (site === 'ns') await expectAccessible(page)
      await page.getByRole('link', { name: 'Back' }).click()
      await page.waitForURL('**/terms/')
      // No loader runs after a post to such an address, so the document itself says which brand it has.
      await page.evaluate(() => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action: '/no-such-page/' })
        document.body.append(form)
        form.submit()
      })
      await expect(page).toHaveTitle(`${brand.name} : Page Not Found`)
      await expect(page.getByRole('main')).toContainText(brand.support)
      await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click()
      await expect(page).toHaveTitle(`${brand.name} : Privacy Policy`)
    })
  })
}

test.describe('on one of the sites', () => {
  const site = 'ns'
  const brand = brands[site]
  test.use({ site, allowedErrors: [/status of 40[34]/] })

  test('L-085 L-098 L-110 the bar is 68 px high and sticks, and its menus work by keyboard and pointer', async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1440, height: 700 })
    await enter(page, 'learner', site)
    await expect(page.getByRole('heading', { name: 'Welcome, Ada' })).toBeVisible()
    const bar = page.getByRole('banner')
    expect((await bar.boundingBox())?.height).toBe(68)
    await page.mouse.wheel(0, 2000)
    await expect(bar).toBeInViewport({ ratio: 1 })

    const explore = bar.locator('summary', { hasText: 'Explore' })
    await explore.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'Go to Modules' }).first()).toBeVisible()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await expect(explore).toBeFocused()
    await expect(bar.getByRole('link', { name: 'Go to Modules' })).toBeHidden()

    const account = bar.locator('summary.avatar-btn')
    await account.click()
    await expect(bar.getByText('Welcome Ada')).toBeVisible()
    await expect(bar.getByRole('link', { name: 'Dashboard' })).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('main').click({ position: { x: 5, y: 300 } })
    await expect(bar.getByText('Welcome Ada')).toBeHidden()
    await explore.click()
    await bar.getByRole('link', { name: 'Go to Modules' }).click()
    await page.waitForURL('**/modules/')
    await expect(bar.getByRole('link', { name: 'Go to Modules' })).toBeHidden()
    await bar.getByRole('link', { name: /home$/ }).click()
    await page.waitForURL('**/home/')
  })

  test('on a phone, the console’s navigation folds', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 780 })
    await haveSession(page, 'admin', site)
    await page.goto('/dashboard/')
    await expect(page).toHaveTitle(`${brand.name} : Dashboard : Modules`)
    await expectNoSidewaysScroll(page)
    const console = page.getByRole('navigation', { name: 'Console' })
    await expect(console.getByText('Users', { exact: true })).toBeHidden()
    await page.locator('summary', { hasText: 'Modules' }).click()
    await expect(console.getByText('Users', { exact: true })).toBeVisible()
    await expectAccessible(page)
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 780 } })

  test('L-102 the menu covers the window and leads everywhere', async ({ page }) => {
    await enter(page, 'learner')
    await expectNoSidewaysScroll(page)
    await page.locator('summary[aria-label="Menu"]').click()
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await expect(menu).toBeVisible()
    expect((await menu.boundingBox())?.width).toBe(360)
    await expectAccessible(page)
    await menu.getByRole('link', { name: 'Completed' }).click()
    await page.waitForURL('**/my-learning/completed/')
    await expect(menu).toBeHidden()
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, allowedErrors: [/status of 404/] })

  test('menus open, links work, and Back on the 404 page leads home', async ({ page }) => {
    await enter(page, 'learner')
    await page.locator('summary', { hasText: 'Explore' }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Go to Modules' }).click()
    await page.waitForURL('**/modules/')
    await page.goto('/nowhere/')
    await page.getByRole('link', { name: 'Back' }).click()
    await page.waitForURL('**/home/')
  })
})

test('A-209 L-193 L-224 after a release, links load whole pages', async ({ page }) => {
  await enter(page, 'learner')
  await page.route('**/*.data*', async (route) => {
    const response = await route.fetch()
    const build = response.headers()['x-build-number'] ?? ''
    await route.fulfill({ response, body: (await response.text()).replaceAll(build, 'newer-build') })
  })
  const documents: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
  })
  const bar = page.getByRole('banner')
  await bar.getByRole('link', { name: 'My Learning' }).first().click()
  await expect(page.getByRole('heading', { name: 'In Progress', exact: true })).toBeVisible()
  expect(documents).toEqual([])
  await bar.getByRole('link', { name: 'Home' }).first().click()
  await page.waitForURL('**/home/')
  expect(documents).toEqual(['/home/'])
})

test('L-102 in small windows, as at 200 % or 400 % zoom, few bars stay on the screen', async ({ page }) => {
  await haveSession(page, 'learner')
  for (const { size, bars } of [
    { size: { width: 360, height: 640 }, bars: 2 },
    { size: { width: 640, height: 400 }, bars: 1 },
    { size: { width: 320, height: 400 }, bars: 1 },
    { size: { width: 320, height: 256 }, bars: 0 },
  ]) {
    await page.setViewportSize(size)
    await page.goto('/modules/')
    await page.evaluate(() => window.scrollTo(0, 600))
    const stay = await page
      .locator('.topbar, .searchbar')
      .evaluateAll((all) =>
        all
          .filter((bar) => bar.checkVisibility() && bar.getBoundingClientRect().bottom > 0)
          .map((bar) => bar.className),
      )
    expect(stay, `${size.width} × ${size.height} px`).toHaveLength(bars)
    await expectNoSidewaysScroll(page)
  }
})
