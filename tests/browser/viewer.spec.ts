/** The module viewer. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { findCard } from './support/cards.ts'
import { importModule } from './support/commands.ts'
import { haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'

/** A unit that sends nothing and leaves when asked: it goes to the returnURL, as cmi5 requires. */
const unit = `<main><h1>Unit</h1><p id="url"></p><button>Leave</button></main><script>
  const query = new URLSearchParams(location.search)
  document.querySelector('button').onclick = async () => {
    const answer = await (await fetch(query.get('fetch'), { method: 'POST' })).json()
    const state = new URL('activities/state', query.get('endpoint'))
    state.search = new URLSearchParams({ stateId: 'LMS.LaunchData', activityId: query.get('activityId'), agent: query.get('actor'), registration: query.get('registration') })
    const data = await (await fetch(state, { headers: { Authorization: 'Basic ' + answer['auth-token'], 'X-Experience-API-Version': '1.0.3' } })).json()
    location.href = data.returnURL
  }
</script>`
const foreign = `<main><h1>Unit</h1></main><script>parent.postMessage('Exited', '*')</script>`
const closed =
  'The session for this launched module has ended. This may happen if the module has been inactive for too long, or if the module is opened in another window. You will need to re-launch this module.'

test.use({ allowedErrors: [/status of 404/] })

/** The address that the viewer returns to: the page of the list where it was opened. */
const modulesPage = /\/modules\/(\?page=\d)?$/

async function launch(page: Page, name: string): Promise<void> {
  await (await findCard(page, name)).click()
  await page.waitForURL('**/viewer/**')
}

const content = (page: Page) => page.frameLocator('iframe')

test('cmi5 8.1: the viewer fills the window, says that it is loading, and closes itself if there is no next module', async ({
  page,
  product,
}) => {
  await importModule(product, 'Alone', [{ title: 'One', html: unit }])
  await haveSession(page, 'learner')
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`${product.contentOrigin}/**`, async (route) => {
    await isReleased
    await route.continue()
  })
  await launch(page, 'Alone')
  await expect(page.getByText('Loading module: Alone')).toBeVisible()
  await expectAccessible(page)
  release()
  await expect(page.getByText('Loading module: Alone')).toBeHidden()
  const frame = await page.locator('iframe').boundingBox()
  expect(frame?.width).toBe(page.viewportSize()?.width)
  expect(frame?.height).toBeGreaterThan((page.viewportSize()?.height ?? 0) * 0.8)
  await content(page).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL(modulesPage)
})

test('offers the next steps if the chapter has another module', async ({ page, product }) => {
  await importModule(product, 'Chapter A', [{ title: 'A', html: unit }], 'Optimization')
  await importModule(product, 'Chapter B', [{ title: 'B', html: unit }], 'Optimization')
  await haveSession(page, 'learner')
  await launch(page, 'Chapter A')
  await content(page).getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByText('Your place in Chapter A is kept.')).toBeVisible()
  await expect(page.getByText('0% done')).toBeVisible()
  await expect(page.getByText('Completed viewing module')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Where would you like to go now?' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'RESTART THIS MODULE' }).click()
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
  await content(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('button', { name: 'GO TO NEXT MODULE' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Chapter B' })).toBeVisible()
  await content(page).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL(modulesPage)
  await launch(page, 'Chapter A')
  await content(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('link', { name: 'CLOSE MODULE' }).click()
  await page.waitForURL(modulesPage)
})

test('accepts "Exited" only from its own origin', async ({ page, product }) => {
  await importModule(product, 'Impatient', [{ title: 'One', html: foreign }])
  await haveSession(page, 'learner')
  await launch(page, 'Impatient')
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
  await page.waitForTimeout(500)
  await expect(page.locator('iframe')).toBeVisible()
})

test('a refused launch says why', async ({ page, product }) => {
  await importModule(product, 'Refused', [{ title: 'One', html: unit }])
  await haveSession(page, 'learner')
  const button = await findCard(page, 'Refused')
  await button.evaluate((element) => {
    ;(element as HTMLButtonElement).value = '7f0f5f5e-0000-4000-8000-000000000000'
  })
  await button.click()
  await expect(page.getByText('Error: Not found.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'CLOSE MODULE' }).click()
  await page.waitForURL(modulesPage)
})

test('cmi5 9.3.6: of two windows the older one shows a message, and OK closes it without a menu', async ({
  page,
  context,
  product,
}) => {
  await importModule(product, 'Two Windows A', [{ title: 'One', html: unit }], 'Animal Studies')
  await importModule(product, 'Two Windows B', [{ title: 'One', html: unit }], 'Animal Studies')
  await haveSession(page, 'learner')
  await launch(page, 'Two Windows A')
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
  const checks: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/check/')) checks.push(request.url())
  })
  const show = (times = 1) =>
    page.evaluate((times) => {
      for (let i = 0; i < times; i++) document.dispatchEvent(new Event('visibilitychange'))
    }, times)
  await show(5)
  await expect.poll(() => checks.length).toBe(1)
  await expect(page.getByRole('alertdialog')).toHaveCount(0)

  const second = await context.newPage()
  await launch(second, 'Two Windows A')
  await expect(content(second).getByRole('heading', { name: 'Unit' })).toBeVisible()
  await page.waitForTimeout(350)
  await show()
  const alert = page.getByRole('alertdialog', { name: 'Module Session Closed' })
  await expect(alert).toContainText(closed)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(alert).toBeVisible()
  await alert.getByRole('button', { name: 'OK' }).click()
  await page.waitForURL(modulesPage)
  await expect(page.getByText('Completed viewing module')).toHaveCount(0)
})

test('a viewer that is loaded again offers to continue', async ({ page, product }) => {
  await importModule(product, 'Reloaded', [{ title: 'One', html: unit.replace('<button>', '<button id="b">') }])
  await haveSession(page, 'learner')
  await launch(page, 'Reloaded')
  // Takes the token, as every real unit does first. It cannot leave, so the session stays open.
  await content(page)
    .locator('body')
    .evaluate(async () => {
      await fetch(new URLSearchParams(location.search).get('fetch') ?? '', { method: 'POST' })
    })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This page was loaded again' })).toBeVisible()
  await expectAccessible(page)
  const before = page.url()
  await page.getByRole('button', { name: 'Open it again' }).click()
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
  expect(page.url()).not.toBe(before)
})

test('staff preview from the console, and a preview ends without a menu', async ({ page, product }) => {
  await importModule(product, 'Previewed', [{ title: 'One', html: unit }], 'Preclinical Studies')
  await importModule(product, 'Previewed Next', [{ title: 'One', html: unit }], 'Preclinical Studies')
  await haveSession(page, 'admin')
  const table = '/dashboard/modules/?search=Previewed'
  // In windows of this width, a row shows its actions side by side.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(table)
  await page.getByRole('button', { name: 'Preview Previewed', exact: true }).click()
  await content(page).getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL(`**${table}`)
  await page.getByRole('button', { name: 'Preview Previewed', exact: true }).click()
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
  await page.getByRole('link', { name: 'Close' }).click()
  await page.waitForURL(`**${table}`)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'a window of its own' : 'a window of its own without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('cmi5 8.1: the form opens the unit, and the viewer notices that the learner left it', async ({
      page,
      product,
    }) => {
      const name = `Own Window ${javaScriptEnabled}`
      await importModule(product, name, [{ title: 'One', launchMethod: 'OwnWindow', html: unit }])
      await haveSession(page, 'learner')
      await launch(page, name)
      await expect(page.getByRole('heading', { name: 'This module opens in its own window' })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
      const popup = page.waitForEvent('popup')
      await page.getByRole('button', { name: `Open ${name}` }).click()
      const window = await popup
      await expect(window.getByRole('heading', { name: 'Unit' })).toBeVisible()
      await expect(page.locator('iframe')).toHaveCount(0)
      if (!javaScriptEnabled) return
      expect(await window.evaluate('self === top')).toBe(true)
      const gone = window.waitForEvent('close')
      await window.getByRole('button', { name: 'Leave' }).click()
      await gone
      await page.waitForURL(modulesPage)
    })
  })
}

test('with #mobile-test the content opens in a new window', async ({ page, product }) => {
  await importModule(product, 'On a Phone', [{ title: 'One', html: unit }])
  await haveSession(page, 'learner')
  const card = await findCard(page, 'On a Phone', '#mobile-test')
  const popup = page.waitForEvent('popup')
  await card.click()
  await expect((await popup).getByRole('heading', { name: 'Unit' })).toBeVisible()
  await (await findCard(page, 'On a Phone', '#other')).click()
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
})

test('cmi5 10.2.6: the exit page posts to its own origin once and uses no cookie', async ({
  page,
  origin,
  nsOrigin,
}) => {
  const answer = await page.goto('/module-exit/abc/')
  await expect(page).toHaveTitle('Titrate : Exiting')
  await expect(page.getByText('Exiting...')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Continue to My Learning' })).toBeVisible()
  expect(await answer?.headerValue('set-cookie')).toBeNull()
  await expectAccessible(page)

  await page.goto('/terms/')
  const heard = await page.evaluate(
    (address) =>
      new Promise<{ data: unknown; origin: string }[]>((resolve) => {
        const messages: { data: unknown; origin: string }[] = []
        window.addEventListener('message', ({ data, origin }) => {
          messages.push({ data, origin })
          setTimeout(() => resolve(messages), 500)
        })
        const frame = document.createElement('iframe')
        frame.src = address
        document.body.append(frame)
      }),
    `${origin}/module-exit/abc/`,
  )
  expect(heard).toEqual([{ data: 'Exited', origin }])
  expect(nsOrigin).not.toBe(origin)
})

test('the site’s survey is offered once, after the first completion', async ({ page, product, origin }) => {
  const setSurvey = (survey_url: string | null) =>
    product.db.updateTable('sites').set({ survey_url }).where('key', '=', 'institutional').execute()
  await setSurvey(`${origin}/terms/`)
  try {
    await haveSession(page, 'instructor')
    for (const isFirst of [true, false]) {
      await launch(page, 'First in Human')
      await finishUnit(page)
      await content(page).getByRole('button', { name: 'Continue' }).click()
      if (isFirst) {
        const survey = page.locator('iframe[title="Survey about this module"]')
        await expect(survey).toHaveAttribute('src', /\/terms\/\?module=[0-9a-f-]{36}$/)
        await expectAccessible(page)
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await page.waitForURL(modulesPage)
    }
  } finally {
    await setSurvey(null)
  }
})

/** Goes to the last page of a demo unit and answers every question correctly. */
async function finishUnit(page: Page): Promise<void> {
  const unit = content(page)
  await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
  const next = unit.getByRole('button', { name: 'Next' })
  while (await next.isVisible()) await next.click()
  for (const form of await unit.locator('section:visible form[data-question]').all()) {
    for (const value of ((await form.getAttribute('data-correct')) ?? '').split(',')) {
      await form.locator(`input[value="${value}"]`).check()
    }
    await form.getByRole('button', { name: 'Answer' }).click()
    await expect(form.locator('output')).toContainText('Right.')
  }
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, allowedErrors: [/status of 404/] })

  test('the units fold away, and the content fills the window', async ({ page }) => {
    await haveSession(page, 'instructor')
    await (await findCard(page, 'High-Throughput Screening: From Plate to Hit List')).click()
    await expect(page.locator('iframe')).toBeVisible()
    await expectNoSidewaysScroll(page)
    await page.locator('summary', { hasText: 'Units' }).click()
    await expect(page.getByRole('button', { name: 'Reading a plate' })).toBeVisible()
    await expectAccessible(page)
  })

  test('the last page of a unit says what is left', async ({ page }) => {
    await haveSession(page, 'author')
    await (await findCard(page, 'Choosing and Validating a Drug Target')).click()
    const unit = content(page)
    const next = unit.getByRole('button', { name: 'Next' })
    const status = unit.locator('#status')
    await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
    while (await next.isVisible()) await next.click()
    await expect(status).toHaveText('')
    await unit.getByRole('button', { name: 'Continue' }).click()
    const questions = await unit.locator('form[data-question]').count()
    await expect(status).toHaveText(`${questions} questions are not answered yet.`)
    await expect(unit.locator('form[data-question]:visible input').first()).toBeFocused()
    await expectNoSidewaysScroll(page)
    await unit.getByRole('button', { name: 'Save and exit' }).click()
    await expect(page.getByText('Your place in Choosing and Validating a Drug Target is kept.')).toBeVisible()
    await expect(page.getByText('Completed viewing module')).toHaveCount(0)
    await expectAccessible(page)
  })

  test('the last page of a unit leads to the next unit', async ({ page }) => {
    await haveSession(page, 'author')
    await (await findCard(page, 'High-Throughput Screening: From Plate to Hit List')).click()
    await finishUnit(page)
    const unit = content(page)
    await expect(unit.getByRole('button', { name: 'Save and exit' })).toBeHidden()
    await expect(page.locator('summary', { hasText: 'Units' })).toContainText('1 of 3 · Next: Reading a plate')
    await expectNoSidewaysScroll(page)
    await unit.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByText('Your place in High-Throughput Screening')).toBeVisible()
    await expect(page.getByText('1 of 3 units done')).toBeVisible()
    await expect(page.locator('.acts .btn').first()).toHaveClass(/btn--primary/)
    await page.getByRole('button', { name: 'GO TO NEXT UNIT' }).click()
    await expect(page.locator('iframe[title*="Reading a plate"]')).toBeVisible()
  })
})
