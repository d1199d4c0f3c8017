/** Long lists in My Learning and My Progress: everything of a kind, pages beyond the end, and retakes. */
import type { Locator, Page } from '@playwright/test'
import { itemsPerPage } from '~/lib/list-page.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { openCrowd, type Person } from './support/crowd.ts'
import { haveSessionOf } from './support/people.ts'
import type { Product } from './support/product.ts'
import { expect, test } from './support/server.ts'

test.use({ allowedErrors: [/404 .*(cmi5LearnerPreferences|stateId=bookmark)|status of 404/] })

type Site = 'institutional' | 'ns'

async function begunFilms(product: Product, site: Site): Promise<{ person: Person; count: number }> {
  const crowd = await openCrowd(product, site)
  const person = await crowd.aLearner()
  const count = await crowd.beginFilms(person)
  await crowd.sendMessage(person, { subject: 'News', text: 'Something is new.' })
  return { person, count }
}

const filmRows = (page: Page) => page.getByRole('region', { name: 'Films' }).locator('.learnlist > li')

async function openAllFilms(page: Page, count: number): Promise<void> {
  await page.goto('/my-learning/in-progress/')
  const rows = filmRows(page)
  await expect(rows).toHaveCount(itemsPerPage)
  await page.getByRole('link', { name: `Show all ${count} videos and lectures` }).click()
  await page.waitForURL('**/my-learning/in-progress/?kind=films')
  await expect(rows).toHaveCount(itemsPerPage)
  await expect(page.getByRole('link', { name: /^Show all/ })).toHaveCount(0)
}

test('all films in progress are listed on further pages, and Back returns', async ({ page, product }) => {
  await page.setViewportSize({ width: 360, height: 900 })
  const { person, count } = await begunFilms(product, 'institutional')
  expect(count).toBeGreaterThan(itemsPerPage)
  await haveSessionOf(page, person.email)
  await openAllFilms(page, count)
  await page.getByRole('link', { name: 'Next page' }).click()
  await expect(filmRows(page)).toHaveCount(count - itemsPerPage)
  await page.goBack()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.goBack()
  await expect(page.getByRole('link', { name: /^Show all/ })).toBeVisible()
  await page.goForward()
  await page.getByRole('main').locator('.crumbs').getByRole('link', { name: 'In Progress' }).click()
  await page.waitForURL('**/my-learning/in-progress/')
})

test('a page beyond the end says so and links to the first page', async ({ page, product }) => {
  await page.setViewportSize({ width: 360, height: 900 })
  const { person } = await begunFilms(product, 'institutional')
  await haveSessionOf(page, person.email)
  for (const [address, first] of [
    ['/videos/?category=expert&page=9', '/videos/?category=expert'],
    ['/glossary/?page=9', '/glossary/'],
    ['/search/?query=dose&page=9', '/search/?query=dose&type=all'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: 'This page is empty' }), address).toBeVisible()
    await expectNoSidewaysScroll(page)
    await page.getByRole('link', { name: 'Go to the first page' }).click()
    await page.waitForURL(`**${first}`)
  }
  // If the length of the list is known, the link leads to its last page.
  await page.goto('/all-content/?page=99')
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await expect(pages).toContainText(/^\d+ in all$/)
  await pages.getByRole('link', { name: 'Previous page' }).click()
  await expect(page.getByRole('main').getByRole('listitem').first()).toBeVisible()
  await expect(pages).toContainText(/(\d+)–(\d+) of \2$/)
})

const moduleName = 'First in Human'
const retake = (place: Page | Locator) => place.getByRole('button', { name: `Retake ${moduleName}` })

async function whoCompleted(product: Product): Promise<Person> {
  const crowd = await openCrowd(product, 'institutional')
  const person = await crowd.aLearner()
  await crowd.complete(person, moduleName)
  return person
}

test.describe('a completed module, without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('L-142 is retaken with its button in My Progress, and then resumed', async ({ page, product }) => {
    await haveSessionOf(page, (await whoCompleted(product)).email)
    await page.goto('/my-progress/')
    await retake(page).click()
    await page.waitForURL('**/viewer/**')
    await page.goto('/modules/?phase=deliver')
    await page.getByRole('link', { name: moduleName }).first().click()
    // The unit may have reported its first page before the viewer left it.
    await expect(page.getByText(/^Completed · retaking (0|25)%\.$/)).toBeVisible()
    await expect(page.getByText('Attempt 2, open')).toBeVisible()
    await page.goto('/my-progress/')
    await expect(page.getByText(/^Retaking (0|25)%$/)).toBeVisible()
    await expect(retake(page)).toHaveCount(0)
    await page.getByRole('link', { name: `Resume ${moduleName}` }).click()
    await page.waitForURL('**/modules/?launch=*')
  })
})

test('works the same in the dialog, whose tabs answer to all keys', async ({ page, product }) => {
  await haveSessionOf(page, (await whoCompleted(product)).email)
  await page.goto('/home/')
  await page.route('**/my-progress.data**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    await route.continue()
  })
  await page.getByLabel('Account menu').click()
  await page.getByRole('link', { name: 'My Progress' }).click()
  const dialog = page.getByRole('dialog', { name: 'My Progress' })
  const waiting = dialog.getByRole('status', { name: 'Loading' })
  await expect(waiting).toBeVisible()
  await expect(retake(dialog)).toBeVisible()
  await expect(waiting).toHaveCount(0)
  const [modules, courses] = [
    dialog.getByRole('tab', { name: 'Modules' }),
    dialog.getByRole('tab', { name: 'Courses' }),
  ]
  for (const [from, key, to] of [
    [modules, 'End', courses],
    [courses, 'Home', modules],
    [modules, 'ArrowLeft', courses],
    [courses, 'ArrowRight', modules],
    [modules, 'Home', modules],
  ] as const) {
    await from.press(key)
    await expect(to).toBeFocused()
    await expect(to).toHaveAttribute('aria-selected', 'true')
  }
  await retake(dialog).click()
  await page.waitForURL('**/viewer/**')
  await expect(dialog).toHaveCount(0)
})
