/** To the content and into it: search, opening and resuming a module, the glossary, a lecture. */
import type { Page } from '@playwright/test'
import { expect, journey } from '../support/journey.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

journey('find', '320 px, reduced motion', async ({ page, press, reach, type }, { crowd, comeAs }) => {
  const lecture = 'Screens That Can Be Believed'
  await comeAs(await crowd.aLearner())
  await page.goto('/home/')
  await reach(heading(page, 'Welcome, Mara'))
  const search = page.getByRole('search', { name: 'Search', exact: true }).filter({ visible: true })
  await type(search.locator('input[type="search"]'), 'believed')
  await press(search.getByRole('button', { name: 'Search' }))
  await page.waitForURL(/\/search\/\?type=all&query=believed$/)
  await reach(heading(page, 'Search'))
  await press(page.getByRole('navigation', { name: 'Types' }).getByRole('link', { name: 'Lectures' }))
  await page.waitForURL(/type=lecture/)
  await reach(page.getByRole('link', { name: lecture }))
  await press(page.getByRole('link', { name: lecture }))
  await page.waitForURL('**/lectures/*/')
  await reach(heading(page, lecture))
  await expect(page.getByRole('list', { name: 'Transcript lines' }).getByRole('listitem')).toHaveCount(5)
})

journey('open', 'keyboard only', async ({ page, press, reach, hasScripts }, { crowd, comeAs }) => {
  const name = 'Choosing and Validating a Drug Target'
  await comeAs(await crowd.aLearner())
  await page.goto('/modules/')
  await reach(heading(page, 'Modules'))
  await press(page.getByRole('link', { name, exact: true }))
  await page.waitForURL('**/modules/*/')
  await reach(heading(page, name))
  await press(page.getByRole('button', { name: `Start ${name}` }))
  await page.waitForURL('**/viewer/**')
  await reach(page.locator('iframe[title^="Module content"]'))
  const unit = page.frameLocator('iframe')
  if (hasScripts) {
    await expect(unit.getByText('Page 1 of 4')).toBeVisible()
    await press(unit.getByRole('button', { name: 'Next' }))
    await expect(unit.getByText('Page 2 of 4')).toBeVisible()
  } else {
    // Without scripts nothing can be recorded, but everything can be read. The test opens the content in its own page,
    // because Playwright cannot always look into a frame of another origin that runs no scripts.
    const alone = await page.context().newPage()
    await alone.goto((await page.locator('iframe').getAttribute('src')) ?? '')
    await expect(alone.locator('noscript .notice')).toContainText(
      'Without it you can read it, and nothing is recorded.',
    )
    for (const part of await alone.locator('[data-page]').all()) await expect(part).toBeVisible()
    await alone.close()
  }
  await press(page.getByRole('link', { name: 'Close' }))
  await page.waitForURL('**/modules/*/')
  await reach(page.getByText('Attempt 1, open'))
})

journey('resume', '320 px, reduced motion', async ({ page, press, reach, hasScripts }, { crowd, comeAs }) => {
  const name = 'High-Throughput Screening: From Plate to Hit List'
  const person = await crowd.aLearner()
  await crowd.leaveOnSecondPage(person, name)
  await comeAs(person)
  await page.goto('/home/')
  await reach(page.getByRole('heading', { name: 'Continue where you were' }))
  await press(page.getByRole('button', { name: `Resume ${name}` }))
  await page.waitForURL('**/viewer/**')
  await reach(page.locator('iframe[title="Module content: Reading a plate"]'))
  // The unit itself remembers its page, which needs its scripts.
  if (hasScripts) await expect(page.frameLocator('iframe').getByText('Page 2 of 2')).toBeVisible()
})

journey('glossary', '320 px, reduced motion', async ({ page, press, reach, type }) => {
  await page.goto('/glossary/')
  await reach(page.getByRole('heading', { level: 1 }))
  await type(page.getByLabel('Search terms').first(), 'pharmaco')
  await press(page.getByRole('button', { name: 'Search terms' }))
  await page.waitForURL('**/glossary/?query=pharmaco')
  await reach(page.getByText('3 terms for “pharmaco”.'))
  await press(page.getByRole('navigation', { name: 'Letters' }).getByRole('link', { name: 'I', exact: true }))
  await page.waitForURL('**/glossary/?letter=I')
  await reach(page.getByRole('link', { name: 'Link to IL-1β' }))
  await press(page.getByRole('link', { name: 'Link to IL-1β' }))
  await page.waitForURL('**/glossary/il-1beta/')
  await reach(page.locator('#il-1beta'))
  await expect(page.locator('#il-1beta')).toBeInViewport()
})

journey('lecture', 'keyboard only', async ({ page, press, reach, hasScripts }, { crowd, comeAs }) => {
  const name = 'Evidence from Human Genetics'
  await comeAs(await crowd.aLearner())
  await page.goto('/lectures/')
  await reach(heading(page, 'Lectures'))
  await press(page.getByRole('link', { name, exact: true }))
  await page.waitForURL('**/lectures/*/')
  await reach(heading(page, name))
  const film = page.locator('video')
  const place = () => film.evaluate((element: HTMLVideoElement) => element.currentTime)
  if (hasScripts) {
    await press(page.getByRole('button', { name: `Play ${name}` }))
    await expect.poll(place).toBeGreaterThan(0.3)
    const line = page.getByRole('list', { name: 'Transcript lines' }).getByRole('listitem').nth(2)
    await press(line.getByRole('button'))
    await expect(line).toHaveAttribute('aria-current', 'true')
    await expect(page.getByText(/[1-9]\d?% watched/)).toBeVisible()
  } else {
    await expect(page.locator('video[controls] track[kind="captions"]')).toHaveCount(1)
    await press(page.getByRole('button', { name: 'I have watched this' }))
    await reach(page.getByText('Watched to the end'))
  }
  await press(page.locator('summary', { hasText: 'Guiding Questions' }))
  await expect(page.locator('.fold strong', { hasText: 'known' })).toBeHidden()
  await press(page.getByRole('link', { name: 'Exit' }))
  await reach(page.getByRole('link', { name: `${hasScripts ? 'Resume' : 'Watch again'} ${name}` }))
})
