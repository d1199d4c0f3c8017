/** The module viewer. */
import type { FrameLocator, Page } from '@playwright/test'
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

/** Each module has an origin of its own. */
const moduleOrigins = /^http:\/\/[0-9a-f-]{36}\.content\.localhost:/

/** The address that the viewer returns to: the page of the list where it was opened. */
const modulesPage = /\/modules\/(\?page=\d)?$/

async function launch(page: Page, name: string): Promise<void> {
  await (await findCard(page, name)).click()
  await page.waitForURL('**/viewer/**')
}

const content = (page: Page) => page.frameLocator('iframe')

test('A-204 A-002 cmi5 8.1: the viewer fills the window, says that it is loading, and closes itself if there is no next module', async ({
  page,
  product,
}) => {
  await importModule(product, 'Alone', [{ title: 'One', html: unit }])
  await haveSession(page, 'learner')
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(moduleOrigins, async (route) => {
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
  await importModule(product, 'Chapter A', [{ title: 'A', html: unit }], { chapterName: 'Optimization' })
  await importModule(product, 'Chapter B', [{ title: 'B', html: unit }], { chapterName: 'Optimization' })
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
  await expect(page.getByText('Error: This module is not available to you at the moment.')).toBeVisible()
  await page.getByRole('link', { name: 'CLOSE MODULE' }).click()
  await page.waitForURL(modulesPage)
})

test('cmi5 9.3.6: of two windows the older one shows a message, and OK closes it without a menu', async ({
  page,
  context,
  product,
}) => {
  await importModule(product, 'Two Windows A', [{ title: 'One', html: unit }], { chapterName: 'Animal Studies' })
  await importModule(product, 'Two Windows B', [{ title: 'One', html: unit }], { chapterName: 'Animal Studies' })
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

/** A unit takes its token first, as every real one does. */
async function takeToken(page: Page): Promise<void> {
  await content(page)
    .locator('body')
    .evaluate(async () => {
      await fetch(new URLSearchParams(location.search).get('fetch') ?? '', { method: 'POST' })
    })
}

/** The parameters of the shown unit: which attempt and unit it is. */
async function shownUnit(page: Page): Promise<{ registration: string | null; activityId: string | null }> {
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
  const query = new URL((await page.locator('iframe').getAttribute('src')) ?? '').searchParams
  return { registration: query.get('registration'), activityId: query.get('activityId') }
}

/** Lets the viewer ask whether its session may continue, and returns the server's answer. */
async function sessionCheck(page: Page): Promise<unknown> {
  const answer = page.waitForResponse(/\/check\//)
  const asking = setInterval(
    () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))).catch(() => {}),
    100,
  )
  try {
    return await (await answer).json()
  } finally {
    clearInterval(asking)
  }
}

test('a viewer that is loaded again, or returned to, continues in the same unit and attempt', async ({
  page,
  product,
}) => {
  const units = ['One', 'Two', 'Three'].map((title) => ({ title, html: unit }))
  await importModule(product, 'Reloaded', units)
  await haveSession(page, 'learner')
  await launch(page, 'Reloaded')
  await shownUnit(page)
  await page.getByRole('button', { name: 'Two' }).click()
  await expect(page.locator('[aria-current=step]')).toHaveText('Two')
  const before = await shownUnit(page)
  const addresses = new Set([page.url()])
  const continues = async (act: () => Promise<unknown>) => {
    await takeToken(page)
    await act()
    await expect.poll(() => addresses.has(page.url()), { message: 'a new session' }).toBe(false)
    await page.waitForURL('**/viewer/**')
    addresses.add(page.url())
    expect(await shownUnit(page)).toEqual(before)
    await expect(page.locator('[aria-current=step]')).toHaveText('Two')
  }
  await continues(async () => {
    await page.goBack()
    // The address changes before the viewer has gone.
    await expect(page.locator('iframe')).toHaveCount(0)
    await page.goForward()
  })
  await continues(() => page.reload())
  await continues(() => page.reload())
  // From another document, the browser may also bring back the page as it was, with its session.
  await takeToken(page)
  await page.goto('/about-us/')
  await page.goBack()
  expect(await shownUnit(page)).toEqual(before)
  await expect(page.getByRole('button', { name: 'Open it again' })).toHaveCount(0)
})

test('a page that was not the last to show the unit asks before it continues, and so does one without storage', async ({
  page,
  context,
  product,
}) => {
  await importModule(product, 'Asked', [{ title: 'One', html: unit }])
  await haveSession(page, 'learner')
  await launch(page, 'Asked')
  await shownUnit(page)
  await takeToken(page)
  const asks = page.getByRole('heading', { name: 'This page was loaded again' })

  // The address in another window, while this one is open.
  const copy = await context.newPage()
  await copy.goto(page.url())
  await expect(copy.getByRole('heading', { name: 'This page was loaded again' })).toBeVisible()
  // It was opened in another window since. The reload must not end that session.
  await copy.getByRole('button', { name: 'Open it again' }).click()
  await shownUnit(copy)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This session has ended' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open it again' })).toBeVisible()
  expect(await sessionCheck(copy)).toEqual({ status: true, error: null })
  await expect(copy.getByRole('alertdialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Open it again' }).click()
  await shownUnit(page)

  await takeToken(page)
  await page.addInitScript(() => sessionStorage.removeItem('viewing'))
  await page.reload()
  await expect(asks).toBeVisible()
})

test('a window of its own that is loaded again continues, and the viewer behind it goes on', async ({
  page,
  product,
}) => {
  await importModule(product, 'Own Reloaded', [{ title: 'One', launchMethod: 'OwnWindow', html: unit }])
  await haveSession(page, 'learner')
  await launch(page, 'Own Reloaded')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Open Own Reloaded' }).click()
  const own = await popup
  const before = await shownUnit(own)
  const address = own.url()
  await takeToken(own)
  await own.reload()
  await own.waitForURL((url) => url.href !== address)
  await own.waitForURL('**/viewer/*/window/**')
  expect(await shownUnit(own)).toEqual(before)
  expect(await sessionCheck(page)).toEqual({ status: true, error: null })
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  const gone = own.waitForEvent('close')
  await content(own).getByRole('button', { name: 'Leave' }).click()
  await gone
  await page.waitForURL(modulesPage)
})

test('staff preview from the console, and a preview ends without a menu', async ({ page, product }) => {
  await importModule(product, 'Previewed', [{ title: 'One', html: unit }], { chapterName: 'Preclinical Studies' })
  await importModule(product, 'Previewed Next', [{ title: 'One', html: unit }], { chapterName: 'Preclinical Studies' })
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
      await expect(content(window).getByRole('heading', { name: 'Unit' })).toBeVisible()
      await expect(page.locator('iframe')).toHaveCount(0)
      if (!javaScriptEnabled) return
      const gone = window.waitForEvent('close')
      await content(window).getByRole('button', { name: 'Leave' }).click()
      await gone
      await page.waitForURL(modulesPage)
    })
  })
}

test('a window that is closed without a word is noticed, and so is its Close', async ({ page, product }) => {
  await importModule(product, 'Closed by Hand', [{ title: 'One', launchMethod: 'OwnWindow', html: unit }])
  await haveSession(page, 'learner')
  for (const isByHand of [true, false]) {
    await launch(page, 'Closed by Hand')
    const popup = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Open Closed by Hand' }).click()
    const window = await popup
    await expect(content(window).getByRole('heading', { name: 'Unit' })).toBeVisible()
    if (isByHand) await window.close()
    // It closes in the middle of the click.
    else
      await window
        .getByRole('link', { name: 'Close' })
        .click()
        .catch(() => undefined)
    await page.waitForURL(modulesPage)
  }
})

test('the list is where it was scrolled to, after Close and after a window of its own', async ({ page, product }) => {
  await importModule(product, 'Behind Own', [{ title: 'One', launchMethod: 'OwnWindow', html: unit }])
  await importModule(product, 'Behind Frame', [{ title: 'One', html: unit }])
  await page.setViewportSize({ width: 360, height: 600 })
  await haveSession(page, 'learner')
  for (const [name, isOwn] of [
    ['Behind Own', true],
    ['Behind Frame', false],
  ] as const) {
    const button = await findCard(page, name)
    await button.scrollIntoViewIfNeeded()
    await page.evaluate(() => window.scrollBy(0, 40))
    const list = page.url()
    const before = await page.evaluate(() => window.scrollY)
    expect(before).toBeGreaterThan(100)
    await button.evaluate((element) => (element as HTMLButtonElement).click())
    await page.waitForURL('**/viewer/**')
    if (isOwn) {
      const popup = page.waitForEvent('popup')
      await page.getByRole('button', { name: `Open ${name}` }).click()
      const window = await popup
      await expect(content(window).getByRole('heading', { name: 'Unit' })).toBeVisible()
      await window.close()
    } else {
      await page.getByRole('link', { name: 'Close' }).click()
    }
    await page.waitForURL(list)
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(before)
  }
})

test('F8 a unit at a plain-http address opens alone, and its end is noticed', async ({ page, product }) => {
  const name = 'Elsewhere'
  await importModule(product, name, [{ title: 'One', html: unit }])
  const address = 'http://units.invalid/unit'
  await product.db
    .updateTable('cmi5_units')
    .set({ url: address })
    .where('title', '@>', JSON.stringify({ en: 'One' }))
    .where('package_id', 'in', (eb) =>
      eb
        .selectFrom('cmi5_packages as p')
        .innerJoin('module_versions as v', 'v.id', 'p.module_version_id')
        .innerJoin('modules as m', 'm.id', 'v.module_id')
        .select('p.id')
        .where('m.name', '=', name),
    )
    .execute()
  await page
    .context()
    .route(`${address}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Far away</h1>' }))
  await haveSession(page, 'learner')
  await launch(page, name)
  const opened = page.context().waitForEvent('page')
  await page.getByRole('link', { name: `Open ${name}` }).click()
  const window = await opened
  await expect(window.getByRole('heading', { name: 'Far away' })).toBeVisible()
  expect(await window.evaluate('opener')).toBeNull()
  await expect(page.getByText('Then come back to this page.')).toBeVisible()
  const uid = /viewer\/([^/]*)/.exec(page.url())?.[1] ?? ''
  await product.db.updateTable('launch_sessions').set({ terminated_at: new Date() }).where('uid', '=', uid).execute()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.waitForURL(modulesPage)
})

test.describe('a browser that cannot resolve the origin of a module', () => {
  test.use({ allowedErrors: [/ERR_NAME_NOT_RESOLVED|status of 404/] })

  test('gets the shared one', async ({ page, product }) => {
    await importModule(product, 'Unresolved', [{ title: 'One', html: unit }])
    await haveSession(page, 'learner')
    await page.route(/\.content\.localhost:/, (route) => route.abort('namenotresolved'))
    await launch(page, 'Unresolved')
    await expect(page.locator('iframe')).toHaveAttribute('src', /^http:\/\/127\.0\.0\.1:/)
    await content(page).getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(modulesPage)
    expect(product.log()).toContain('a browser cannot reach the origin of a module')
  })
})

/** What the review of security did: everything that content tries is said in its list. */
const hostile = `<main><h1>Hostile</h1><button>Attack</button><ol></ol></main><script>
  const attack = (name, action) => {
    let outcome
    try { outcome = String(action()) } catch (error) { outcome = error.name }
    document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: name + ': ' + outcome }))
  }
  const isSpy = location.hash === '#spy'
  const behind = isSpy ? (opener.top.opener ?? opener.top) : top
  const run = () => {
    for (let i = 0; i < 400; i++) document.cookie = 'c' + i + '=x; path=/'
    for (const domain of ['', '; domain=localhost', '; domain=content.localhost']) document.cookie = 'titrate_session=x; path=/my-learning' + domain
    attack('move the tab', () => { behind.location.href = 'about:blank#moved' })
    attack('move the tab behind', () => { if (!behind.opener) return 'none'; behind.opener.location.href = 'about:blank#moved' })
    attack('read the tab', () => behind.document.title)
    attack('read the frame', () => behind.frames[0].location.href)
    attack('hook the frame', () => { behind.frames[0].fetch = null })
    attack('camera', () => document.featurePolicy?.allowsFeature('camera') ?? false)
  }
  document.querySelector('button').onclick = run
  if (!isSpy) addEventListener('click', () => open(location.href + '#spy'), { once: true })
</script>`

test.describe('F1, F4, F8 a hostile package', () => {
  test.use({ allowedErrors: [/Unsafe attempt to initiate navigation|status of 404/] })

  for (const launchMethod of ['AnyWindow', 'OwnWindow'] as const) {
    test(`${launchMethod}: moves no window of ours, reads no other package and keeps no cookie of ours`, async ({
      page,
      product,
      context,
    }) => {
      const name = `Hostile ${launchMethod}`
      await importModule(product, name, [{ title: 'One', launchMethod, html: hostile }])
      await importModule(product, `Victim ${launchMethod}`, [{ title: 'One', html: unit }])
      await haveSession(page, 'learner')
      const session = async () =>
        (await context.cookies(product.origin)).filter((one) => one.name === 'titrate_session')
      const before = await session()
      await launch(page, name)
      let window = page
      if (launchMethod === 'OwnWindow') {
        const own = page.waitForEvent('popup')
        await page.getByRole('button', { name: `Open ${name}` }).click()
        window = await own
      }
      const popup = window.waitForEvent('popup')
      await content(window).getByRole('button', { name: 'Attack' }).click()
      const spy = await popup
      const said = content(window).getByRole('listitem')
      await expect(said).toHaveCount(6)
      await expect(said.nth(0)).toHaveText('move the tab: SecurityError')
      await expect(said.nth(1)).toHaveText(
        `move the tab behind: ${launchMethod === 'OwnWindow' ? 'SecurityError' : 'none'}`,
      )
      await expect(said.nth(2)).toHaveText('read the tab: SecurityError')
      await expect(said.nth(5)).toHaveText('camera: false')

      // The spy stays while the learner opens another package.
      await launch(page, `Victim ${launchMethod}`)
      await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
      await spy.getByRole('button', { name: 'Attack' }).click()
      const spied = spy.getByRole('listitem')
      await expect(spied).toHaveCount(6)
      for (const [index, text] of ['move the tab', 'read the tab', 'read the frame', 'hook the frame'].entries())
        await expect(spied.nth(index === 0 ? 0 : index + 1)).toHaveText(`${text}: SecurityError`)
      expect(page.url()).toContain('/viewer/')
      expect(await session()).toEqual(before)
      await page.goto('/my-learning/in-progress/')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(page.url()).toContain('/my-learning/in-progress/')
    })
  }
})

test('with #mobile-test the content opens in a new window', async ({ page, product }) => {
  await importModule(product, 'On a Phone', [{ title: 'One', html: unit }])
  await haveSession(page, 'learner')
  const card = await findCard(page, 'On a Phone', '#mobile-test')
  const popup = page.waitForEvent('popup')
  await card.click()
  await expect(content(await popup).getByRole('heading', { name: 'Unit' })).toBeVisible()
  await (await findCard(page, 'On a Phone', '#other')).click()
  await expect(content(page).getByRole('heading', { name: 'Unit' })).toBeVisible()
})

test('L-029 L-030 cmi5 10.2.6: the exit page posts to its own origin once and uses no cookie', async ({
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
      await content(page).getByRole('button', { name: 'Finish' }).click()
      if (isFirst) {
        const survey = page.locator('iframe[title="Survey about this module"]')
        await expect(survey).toHaveAttribute('src', /\/terms\/\?module=[0-9a-f-]{36}$/)
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await page.waitForURL(modulesPage)
      // Nothing follows it, so the page that it closes to says so.
      await expect(page.locator('.toasts')).toContainText('Completed viewing module: First in Human')
    }
  } finally {
    await setSurvey(null)
  }
})

async function goToLastPage(unit: FrameLocator): Promise<void> {
  await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
  const next = unit.getByRole('button', { name: 'Next' })
  while (await next.isVisible()) await next.click()
}

/** Goes to the last page of a demo unit and answers every question correctly. */
async function finishUnit(page: Page): Promise<void> {
  const unit = content(page)
  await goToLastPage(unit)
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

  test('the units fold away, and the bars above and below the content have one row each', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 })
    await haveSession(page, 'instructor')
    await (await findCard(page, 'High-Throughput Screening: From Plate to Hit List')).click()
    const unit = content(page)
    await expect(unit.locator('body')).toHaveAttribute('data-ready', 'true')
    const footer = unit.locator('footer')
    const oneRow = async () => {
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 640 })
        expect((await footer.boundingBox())?.height).toBeLessThan(72)
      }
    }
    await oneRow()
    expect((await page.locator('iframe').boundingBox())?.y).toBeLessThanOrEqual(62)
    await expectNoSidewaysScroll(page)
    await unit.getByRole('button', { name: 'Next' }).click()
    await expect(unit.getByRole('button', { name: 'Back' })).toBeVisible()
    await oneRow()
    await goToLastPage(unit)
    await oneRow()
    const other = page.getByRole('button', { name: 'Reading a plate' })
    await page.locator('summary', { hasText: 'Units' }).click()
    await expect(other).toBeVisible()
    await expectAccessible(page)
    // Whoever goes on in the unit has done with the list.
    await unit.getByRole('button', { name: 'Back' }).click()
    await expect(other).toBeHidden()
    await page.locator('summary', { hasText: 'Units' }).click()
    await expect(other).toBeVisible()
    await unit.getByRole('button', { name: 'Save and exit' }).evaluate((button: HTMLButtonElement) => button.click())
    await expect(page.getByRole('heading', { name: 'Where would you like to go now?' })).toBeVisible()
    await expect(other).toBeHidden()
  })

  test('what was achieved is on the first screen of the page of a module', async ({ page, product }) => {
    await haveSession(page, 'instructor')
    const name = 'Choosing and Validating a Drug Target'
    const module = await product.db
      .selectFrom('modules')
      .innerJoin('sites', 'sites.id', 'modules.site_id')
      .select(['modules.id', 'modules.uid', 'modules.site_id as siteId'])
      .where('modules.name', '=', name)
      .where('sites.key', '=', 'institutional')
      .executeTakeFirstOrThrow()
    const user = await product.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'instructor@titrate.example')
      .executeTakeFirstOrThrow()
    const key = { user_id: user.id, module_id: module.id }
    for (const [values, text] of [
      [{ progress_percent: 100, highest_score: 83, completed_at: new Date() }, 'Completed · score 83%'],
      [{ progress_percent: 40, highest_score: null, completed_at: null }, 'Started, 40%'],
    ] as const) {
      await product.db
        .insertInto('module_progress')
        .values({ ...key, site_id: module.siteId, ...values })
        .onConflict((oc) => oc.columns(['user_id', 'module_id']).doUpdateSet(values))
        .execute()
      await page.goto(`/modules/${module.uid}/`)
      const standing = page.locator('.standing')
      await expect(standing).toHaveText(text)
      await expect(standing).toBeInViewport()
    }
    await product.db
      .deleteFrom('module_progress')
      .where('user_id', '=', key.user_id)
      .where('module_id', '=', key.module_id)
      .execute()
  })

  test('the last page of a unit says what is left', async ({ page }) => {
    await haveSession(page, 'author')
    await (await findCard(page, 'Choosing and Validating a Drug Target')).click()
    const unit = content(page)
    const status = unit.locator('#status')
    await goToLastPage(unit)
    await expect(status).toHaveText('')
    await unit.getByRole('button', { name: 'Finish' }).click()
    const questions = await unit.locator('form[data-question]').count()
    await expect(status).toHaveText(`${questions} questions are still open.`)
    await expect(unit.locator('form[data-question]:visible input').first()).toBeFocused()
    await expectNoSidewaysScroll(page)

    const last = unit.locator('form[data-question]').last()
    const wrong = last.locator(`input:not([value="${await last.getAttribute('data-correct')}"])`).first()
    /** Presses Answer where the feedback would be behind the bar. */
    const answersInSight = async (text: string) => {
      await last.evaluate((form) => {
        const button = form.querySelector('button') as HTMLButtonElement
        const bar = document.querySelector('footer') as HTMLElement
        window.scrollBy(0, button.getBoundingClientRect().bottom - bar.getBoundingClientRect().top)
        button.click()
      })
      const output = last.locator('output')
      await expect(output).toContainText(text)
      const end = await output.evaluate((element) => element.getBoundingClientRect().bottom)
      expect(end).toBeLessThanOrEqual(await unit.locator('footer').evaluate((bar) => bar.getBoundingClientRect().top))
    }
    await answersInSight('Choose an answer first.')
    await wrong.check()
    await answersInSight('Not quite. Try once more.')
    await expect(status).toHaveText(`${questions} questions are still open.`)
    await answersInSight('Not quite. ')
    await expect(status).toHaveText(`${questions - 1} questions are still open.`)
    await unit.getByRole('button', { name: 'Save and exit' }).click()
    await expect(page.getByText('Your place in Choosing and Validating a Drug Target is kept.')).toBeVisible()
    await expect(page.getByText('Completed viewing module')).toHaveCount(0)
    await expect(page.getByText('again. Your progress and best score are kept.')).toBeVisible()
    await expectAccessible(page)
  })

  test('A-152 the last module of a course ends with a menu, which names a failed test and is there after a reload', async ({
    page,
    product,
  }) => {
    await haveSession(page, 'author')
    const { uid } = await product.db
      .selectFrom('courses')
      .innerJoin('sites', 'sites.id', 'courses.site_id')
      .select('courses.uid')
      .where('courses.name', '=', 'From a Question to the First Dose')
      .where('sites.key', '=', 'institutional')
      .executeTakeFirstOrThrow()
    await page.goto(`/courses/${uid}/`)
    await page.getByRole('button', { name: 'Start First in Human' }).click()
    const unit = content(page)
    await goToLastPage(unit)
    for (const form of await unit.locator('section:visible form[data-question]').all()) {
      const wrong = form.locator(`input:not([value="${await form.getAttribute('data-correct')}"])`)
      const button = form.getByRole('button', { name: 'Answer' })
      await wrong.first().check()
      for (const _ of ['first', 'second']) if (await button.isEnabled()) await button.click()
    }
    await expect(unit.locator('#status')).toHaveText(
      'All questions are answered. Your score: 0%. Not passed yet: leave the unit and open it again for another try.',
    )
    await unit.getByRole('button', { name: 'Finish' }).click()
    const menu = page.getByRole('heading', { name: 'Where would you like to go now?' })
    for (const isAgain of [false, true]) {
      if (isAgain) await page.reload()
      await expect(menu).toBeVisible()
      await expect(page.getByText('Completed viewing module: First in Human')).toBeVisible()
      await expect(page.getByText('Completed · test not passed, 0%')).toBeVisible()
      await expect(page.getByRole('link', { name: 'CLOSE MODULE' })).toHaveClass(/btn--primary/)
    }
    // What the player said is true: the module asks the questions again.
    await page.getByRole('button', { name: 'RESTART THIS MODULE' }).click()
    await expect(unit.locator('#status')).toHaveText(
      'You have not passed the test yet. You can answer the questions again.',
    )
    await page.getByRole('link', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Retake First in Human' }).click()
    await expect(unit.locator('#place')).toHaveText('1 of 4')
    await page.getByRole('link', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'First in Human' }).click()
    await expect(page.locator('.standing')).toContainText('Completed · test not passed, 0% · retaking ')
  })

  test('the last page of a unit leads to the next unit', async ({ page }) => {
    await haveSession(page, 'author')
    await (await findCard(page, 'High-Throughput Screening: From Plate to Hit List')).click()
    await finishUnit(page)
    const unit = content(page)
    await expect(unit.getByRole('button', { name: 'Save and exit' })).toBeHidden()
    const units = page.locator('summary', { hasText: 'Units' })
    await expect(units).toContainText('1 of 3 · Next: Reading a plate')
    // The name of the module needs the room.
    await expect(units.locator('.next')).toBeHidden()
    await page.setViewportSize({ width: 800, height: 740 })
    await expect(units.locator('.next')).toBeVisible()
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
    await unit.getByRole('button', { name: 'Finish' }).click()
    await expect(page.getByText('Your place in High-Throughput Screening')).toBeVisible()
    await expect(page.getByText('1 of 3 units done')).toBeVisible()
    await expect(page.locator('.acts .btn').first()).toHaveClass(/btn--primary/)
    await page.getByRole('button', { name: 'GO TO NEXT UNIT' }).click()
    await expect(page.locator('iframe[title*="Reading a plate"]')).toBeVisible()
  })
})
