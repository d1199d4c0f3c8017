/** The public glossary, the page of search results, and the search box with its suggestions. */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

for (const { site, width } of views) {
  test.describe(`${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('the glossary is accessible', async ({ page }) => {
      for (const [path, title] of [
        ['/glossary/?letter=E', 'Glossary'],
        ['/glossary/?query=zzzz', 'Glossary'],
        ['/glossary/endpoint/', 'Glossary : Endpoint'],
      ] as const) {
        await page.goto(path)
        await expect(page).toHaveTitle(new RegExp(` : ${title}$`))
        if (title === 'Glossary : Endpoint') await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
    })

    test('the results and suggestions are accessible', async ({ page }) => {
      await haveSession(page, 'learner', site)
      await page.goto(`/search/?query=${width === 360 ? 'dose' : 'pharmecovigilance'}`)
      await expect(page).toHaveTitle(/ : Search$/)
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.goto('/search/')
      await page.getByRole('combobox', { name: 'Search for' }).pressSequentially('pharma')
      await expect(page.getByRole('option').first()).toBeVisible()
      await page.keyboard.press('ArrowDown')
      if (width === 360) await expectAccessible(page)
      const types = page.getByRole('navigation', { name: 'Types' }).getByRole('link')
      for (const type of await types.all()) await expect(type).toBeInViewport({ ratio: 1 })
      await expectNoSidewaysScroll(page)
    })
  })
}

// Journeys do the same without JavaScript, and the HTTP tests of search post its form.

test('L-028 a person searches for a term, chooses it by its letter, and opens it at its address', async ({ page }) => {
  await page.goto('/glossary/')
  await page.getByLabel('Search terms').first().fill('pharmaco')
  await page.getByRole('button', { name: 'Search terms' }).click()
  await page.waitForURL('**/glossary/?query=pharmaco')
  await expect(page.getByText('3 terms for “pharmaco”.')).toBeVisible()
  await page.getByRole('navigation', { name: 'Letters' }).getByRole('link', { name: 'I', exact: true }).click()
  await page.waitForURL('**/glossary/?letter=I')
  await page.getByRole('link', { name: 'Link to IL-1β' }).click()
  await page.waitForURL('**/glossary/il-1beta/')
  await expect(page.locator('#il-1beta')).toHaveClass(/is-target/)
  await expect(page.locator('#il-1beta')).toBeInViewport()
  await expect(page.locator('#il-1beta')).toBeFocused()
})

test('L-018 L-104 L-108 Enter and the icon start a search, and a blank search stays on the page', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/search/')
  const box = page.getByRole('combobox', { name: 'Search for' })
  await box.press('Enter')
  await box.fill('   ')
  await box.press('Enter')
  await expect(page).toHaveURL(/\/search\/$/)
  await box.fill('biomarker')
  await box.press('Enter')
  await page.waitForURL(/\/search\/\?type=all&query=biomarker$/)
  await expect(page.getByRole('heading', { level: 2 }).first()).toHaveText('Biomarker')
  await box.fill('screening')
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/query=screening$/)
  await page.getByRole('navigation', { name: 'Types' }).getByRole('link', { name: 'Modules' }).click()
  await page.waitForURL(/type=module/)
  await page.getByRole('link', { name: /^High-Throughput Screening/ }).click()
  await page.waitForURL('**/modules/*/')
})

test('L-108 without results, the page says so and repeats the words that were typed', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto(`/search/?${new URLSearchParams({ query: '<b>zzzz</b>', type: 'module' })}`)
  await expect(page.getByRole('heading', { name: 'No results found for "<b>zzzz</b>"' })).toBeVisible()
  await page.getByRole('link', { name: 'Search everything' }).click()
  await page.waitForURL(/type=all/)
})

test('L-109 keys or a click choose a suggestion, and Escape closes the list', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/search/')
  const box = page.getByRole('combobox', { name: 'Search for' })
  await box.pressSequentially('pharmaco')
  const options = page.getByRole('option')
  await expect(options.first()).toBeVisible()
  await expect(box).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await expect(box).toHaveAttribute('aria-activedescendant', (await options.first().getAttribute('id')) ?? '')
  await page.keyboard.press('ArrowUp')
  await expect(page.locator('[aria-selected="true"]')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(options.first()).toBeHidden()
  await expect(box).toHaveValue('pharmaco')
  await page.keyboard.press('ArrowDown')
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  // Modules come before terms.
  await page.waitForURL('**/modules/*/')
  await test.step('a click chooses a suggestion, while typing continues', async () => {
    await page.goto('/search/')
    await page.getByRole('combobox', { name: 'Search for' }).pressSequentially('high-thr')
    await page.getByRole('option', { name: /^High-Throughput Screening.*Module$/ }).click()
    await page.waitForURL('**/modules/*/')
  })
})

test.describe('without access', () => {
  test.use({ allowedErrors: [/status of 404/] })

  test('L-162 a site without a glossary answers 404, and a visitor who searches is sent to sign-in', async ({
    page,
    product,
  }) => {
    const set = (is_on: boolean) =>
      product.db.updateTable('feature_flags').set({ is_on }).where('name', '=', 'GLOSSARY').execute()
    try {
      await set(false)
      expect((await page.goto('/glossary/'))?.status()).toBe(404)
      expect((await page.goto('/glossary/adme/'))?.status()).toBe(404)
    } finally {
      await set(true)
    }
    await page.goto('/search/?query=dose')
    await page.waitForURL(/\/login\/\?next=/)
  })
})
