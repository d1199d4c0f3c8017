/** Lists and pages of modules, My Learning, and the links that start a module. */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { findCardLink } from './support/cards.ts'
import { importModule } from './support/commands.ts'
import { openCrowd } from './support/crowd.ts'
import { haveSession, haveSessionOf } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const quiet = [/status of 404/]
const plain = '<main><h1>Hello</h1></main>'

for (const { site, width } of views) {
  test.describe(`${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 }, allowedErrors: quiet })

    test('modules, a module and My Learning are accessible', async ({ page }) => {
      await haveSession(page, 'author', site)
      for (const [path, title] of [
        ['/modules/', 'Self-Guided Learning'],
        ['/my-learning/completed/', 'My Learning'],
      ] as const) {
        await page.goto(path)
        await expect(page).toHaveTitle(new RegExp(` : ${title}$`))
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
      await page.goto('/modules/?phase=deliver')
      await page.getByRole('link', { name: 'First in Human' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'First in Human' })).toBeVisible()
      await expect(page.getByText('You have not opened this module yet.')).toBeVisible()
      await expectAccessible(page)
      await page.getByRole('heading', { level: 1 }).evaluate((heading) => {
        heading.textContent = 'Pneumonoultramicroscopicsilicovolcanoconiosis'
      })
      await expectNoSidewaysScroll(page)
    })
  })
}

test('the list is grouped by phase, and a visitor can choose a phase', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/modules/')
  await expect(page.getByRole('heading', { name: 'Discover' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Phases' }).getByRole('link', { name: 'Deliver' }).click()
  await expect(page.getByRole('heading', { name: 'Discover' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'First in Human' })).toBeVisible()
  await page.goto('/modules/?page=99')
  await expect(page.getByText('This page is empty')).toBeVisible()
})

test('an empty list says what it is for', async ({ page, product }) => {
  const crowd = await openCrowd(product, 'institutional')
  const { email } = await crowd.aLearner()
  await haveSessionOf(page, email)
  await page.goto('/my-learning/#completed')
  await page.waitForURL('**/my-learning/completed/')
  await expect(page.getByText('You have not completed anything yet')).toBeVisible()
  await page.getByRole('navigation', { name: 'My Learning' }).getByRole('link', { name: 'In Progress' }).click()
  await expect(page.getByText('You have nothing in progress')).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Go to Modules' }).click()
  await page.waitForURL('**/modules/')
})

test('the modules and courses of the demo have an author', async ({ product }) => {
  for (const table of ['module_versions', 'course_versions'] as const) {
    const versions = await product.db.selectFrom(table).select('author_name').execute()
    expect(versions.length).toBeGreaterThan(10)
    expect(new Set(versions.map((version) => version.author_name))).toEqual(
      new Set(['María Guadalupe Castellanos-Villaseñor']),
    )
  }
})

test.describe('a link by name', () => {
  test.use({ allowedErrors: quiet })

  test('L-031 L-032 L-142 starts the module at once, and Back does not start it again', async ({ page, product }) => {
    await importModule(product, 'A Linked Module', [{ title: 'Linked', html: plain }])
    await haveSession(page, 'instructor')
    await page.goto('/terms/')
    await page.goto('/lms/m/module_link?module=a%20linked%20MODULE')
    await page.waitForURL('**/viewer/**')
    await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Hello' })).toBeVisible()
    await page.goBack()
    await page.waitForURL('**/terms/')
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, allowedErrors: quiet })

  test('the same link shows the start panel, whose button opens the frame', async ({ page }) => {
    await haveSession(page, 'instructor')
    await page.goto('/module-link/?module=First%20in%20Human')
    await expect(page.getByRole('heading', { level: 2, name: 'First in Human' })).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/viewer/**')
    await expect(page.locator('iframe')).toHaveAttribute('src', /endpoint=/)
    await expect(page.getByText('Loading module')).toHaveCount(0)
    await page.getByRole('link', { name: 'Close' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'First in Human' })).toBeVisible()
  })

  test('a form lists the units of a module, in the viewer and on its page', async ({ page }) => {
    await haveSession(page, 'instructor')
    await (await findCardLink(page, 'High-Throughput Screening')).click()
    await page.getByRole('button', { name: /^Open .*Reading a plate$/ }).click()
    await expect(page.locator('iframe')).toHaveAttribute('title', 'Module content: Reading a plate')
    await page.getByRole('button', { name: 'Believing a hit' }).click()
    await expect(page.locator('iframe')).toHaveAttribute('title', 'Module content: Believing a hit')
  })
})
