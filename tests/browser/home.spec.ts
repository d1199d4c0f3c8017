/** The home page: process, films, ways to learn and lectures, with and without JavaScript. */
import type { Locator, Page } from '@playwright/test'
import { homes } from '../../app/config/home.ts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { findCard } from './support/cards.ts'
import { importModule } from './support/commands.ts'
import { enter, haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const phases = [
  ['Discover', ['Clinical Need Assessment', 'Target ID & Validation', 'Screening']],
  ['Develop', ['Optimization', 'Animal Studies', 'Preclinical Studies']],
  ['Deliver', ['Clinical Trial Design', 'Phase 1', 'Phase 2', 'Phase 3']],
] as const
const steps = phases.flatMap(([, names]) => [...names])

const process = (page: Page) => page.getByRole('region', { name: 'The Drug Discovery and Development Process' })
const tab = (page: Page, name: string) => process(page).getByRole('tab', { name })
const panel = (page: Page) => process(page).getByRole('tabpanel')
const watchVideo = (page: Page) => panel(page).getByRole('button', { name: 'Watch Video', exact: true })
const button = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const groundOf = (element: Locator) => element.evaluate((node) => getComputedStyle(node).backgroundColor)

function stateOf(video: Locator) {
  return video.evaluate((film: HTMLVideoElement) => ({
    isPaused: film.paused,
    time: film.currentTime,
    source: new URL(film.currentSrc).pathname,
    length: Math.round(film.duration),
    captions: film.textTracks[0]?.mode,
    cues: film.textTracks[0]?.cues?.length ?? 0,
  }))
}

async function toTheEnd(page: Page): Promise<void> {
  const video = page.getByRole('dialog').locator('video')
  await expect.poll(async () => (await stateOf(video)).length).toBeGreaterThan(1)
  await video.evaluate((film: HTMLVideoElement) => {
    film.currentTime = film.duration - 0.1
  })
  await expect(button(page, 'REPLAY')).toBeVisible()
}

for (const { site, width } of views) {
  test.describe(`${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('L-067 L-068 L-069 L-070 L-186 each phase shows its steps, texts and colors, the links lead on, and all is accessible', async ({
      page,
    }) => {
      await enter(page, 'learner', site)
      await expect(page.getByRole('heading', { level: 1 })).toContainText(homes[site].title)
      await expect(
        page.getByText(
          'The drug development process typically has three phases. Discover, Develop, Deliver. Click each tab to learn more.',
        ),
      ).toBeVisible()
      await expect(process(page).getByRole('tab')).toHaveText(['Discover', 'Develop', 'Deliver'])
      await expect(tab(page, 'Discover')).toHaveAttribute('aria-selected', 'true')
      const grounds = new Set<string>()
      for (const [index, [name, names]] of phases.entries()) {
        const expected = homes[site].phases[index]
        await tab(page, name).click()
        await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
        await expect(panel(page).getByRole('heading', { name })).toBeVisible()
        // L-075: name, description, title of the film and description of the picture.
        await expect(panel(page).getByText(expected?.description ?? '')).toBeVisible()
        await expect(panel(page).getByText(expected?.film.title ?? '')).toBeVisible()
        const picture = panel(page).getByRole('img', { name: expected?.imageDescription })
        await expect(picture).toHaveAttribute('src', expected?.film.poster ?? '')
        grounds.add(await groundOf(panel(page)))
        if (width >= 900) {
          await expect(process(page).getByRole('list', { name: 'The ten steps' }).getByRole('button')).toHaveText(
            steps.map((step) => step.replace(' &', '\u00a0&')),
          )
          const pressed = process(page).locator('.step[aria-pressed="true"]')
          // L-072, L-073, L-074: the steps of the phase, in their order.
          await expect(pressed).toHaveText(names.map((step) => step.replace(' &', '\u00a0&')))
        } else {
          await expect(process(page).locator('.pipeline')).toBeHidden()
          await expect(panel(page).getByRole('listitem')).toHaveText([...names])
        }
        // The ground of a phase is the same in both layouts.
        if (width >= 900 || name === 'Discover') await expectAccessible(page)
      }
      // L-189: each phase has its own color.
      expect(grounds.size).toBe(3)
      const main = page.getByRole('main')
      // L-077, L-078, L-082: the blocks, and where their buttons lead.
      await expect(main.getByRole('heading', { name: 'Your Learning, Your Way' })).toBeVisible()
      await expect(main.getByRole('heading', { name: 'Further Expand Your Knowledge' })).toBeVisible()
      for (const title of ['Courses', 'Modules', 'Videos', 'Lectures']) {
        const link = main.getByRole('link', { name: `Go to ${title}`, exact: true })
        await expect(link).toHaveAttribute('href', `/${title.toLowerCase()}/`)
      }
      await expectNoSidewaysScroll(page)
    })
  })
}

test('L-086 L-190 L-191 the films of the phases play one after the other, and the page behind changes with them', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await enter(page, 'learner')
  expect(asked.filter((path) => path.endsWith('.mp4') || path.includes('film-dialog'))).toEqual([])
  await watchVideo(page).click()
  const video = page.getByRole('dialog').locator('video')
  for (const { name, film } of homes.institutional.phases) {
    await expect(page.getByRole('dialog', { name: film.title })).toBeVisible()
    await expect
      .poll(() => stateOf(video))
      .toMatchObject({ isPaused: false, source: film.source, length: film.seconds, captions: 'showing' })
    await expect.poll(async () => (await stateOf(video)).cues).toBeGreaterThan(3)
    await toTheEnd(page)
    await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
    if (film.key === 'develop') await expectAccessible(page)
    if (film.key !== 'deliver') await button(page, 'NEXT').click()
  }
  await expect(button(page, 'NEXT')).toBeDisabled()
  await button(page, 'REPLAY').click()
  await expect(button(page, 'REPLAY')).toBeHidden()
  await expect.poll(async () => (await stateOf(video)).time).toBeLessThan(5)
  await expect.poll(() => stateOf(video)).toMatchObject({ isPaused: false })
  await toTheEnd(page)
  await button(page, 'CLOSE').click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(watchVideo(page)).toBeFocused()
  await expect(tab(page, 'Deliver')).toHaveAttribute('aria-selected', 'true')
  await panel(page)
    .getByRole('button', { name: /^Play: / })
    .click()
  await expect(page.getByRole('dialog', { name: homes.institutional.phases[2]?.film.title })).toBeVisible()
})

// tests/lib/scroll-lock.test.ts checks the time; on a busy machine this test would guess.
test('L-081 L-185 L-191 the welcome film plays, has no Next, holds the page behind still, and returns the focus', async ({
  page,
}) => {
  await enter(page, 'learner')
  const { welcome } = homes.institutional
  const opener = page.getByRole('button', { name: 'Watch Welcome Video' })
  const isStill = () => page.evaluate(() => getComputedStyle(document.documentElement).overflowY === 'hidden')
  expect(await isStill()).toBe(false)
  await opener.click()
  const video = page.getByRole('dialog', { name: welcome.title }).locator('video')
  await expect.poll(() => stateOf(video)).toMatchObject({ isPaused: false, source: welcome.source })
  await expect.poll(isStill).toBe(true)
  await toTheEnd(page)
  await expect(button(page, 'NEXT')).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(opener).toBeFocused()
  await expect.poll(isStill).toBe(false)
})

test.describe('by pointer', () => {
  test.use({ viewport: { width: 1280, height: 900 } })

  test('L-071 L-187 L-188 a click on a step or near it selects its phase, and the pipeline is shown from 900 px on', async ({
    page,
  }) => {
    await enter(page, 'learner')
    await process(page).getByRole('button', { name: 'Animal Studies' }).click()
    await expect(tab(page, 'Develop')).toHaveAttribute('aria-selected', 'true')
    const { x, width } = (await process(page).getByRole('button', { name: 'Phase 2' }).boundingBox()) ?? {
      x: 0,
      width: 0,
    }
    const ends = process(page).getByText('Thousands of candidates')
    const strip = (await process(page).locator('.ends').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await ends.scrollIntoViewIfNeeded()
    const y = ((await ends.boundingBox())?.y ?? 0) + strip.height / 2
    await page.mouse.click(x + width / 2 + 10, y)
    await expect(tab(page, 'Deliver')).toHaveAttribute('aria-selected', 'true')
    await page.mouse.click(strip.x + 5, y)
    await expect(tab(page, 'Discover')).toHaveAttribute('aria-selected', 'true')
    // Beyond the last step, where the drop leaves the neck.
    await page.mouse.click(strip.x + strip.width - 3, y)
    await expect(tab(page, 'Deliver')).toHaveAttribute('aria-selected', 'true')
    for (const [width, isShown] of [
      [1280, true],
      [900, true],
      [899, false],
      [600, false],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await expect(process(page).locator('.pipeline')).toBeVisible({ visible: isShown })
      await expect(page.locator('.dots')).toBeVisible({ visible: !isShown })
      await expectNoSidewaysScroll(page)
    }
  })
})

test.describe('by keyboard', () => {
  test('arrow keys choose a phase, Enter plays its film, and Escape returns to it', async ({ page }) => {
    await enter(page, 'learner')
    await tab(page, 'Discover').focus()
    for (const [key, name] of [
      ['ArrowRight', 'Develop'],
      ['ArrowRight', 'Deliver'],
      ['ArrowRight', 'Discover'],
      ['ArrowLeft', 'Deliver'],
      ['Home', 'Discover'],
      ['End', 'Deliver'],
    ] as const) {
      await page.keyboard.press(key)
      await expect(tab(page, name)).toBeFocused()
      await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
    }
    // The tabs are one tab stop, and the ten steps are ten.
    await page.keyboard.press('Tab')
    await expect(process(page).getByRole('button', { name: steps[0] })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(tab(page, 'Discover')).toHaveAttribute('aria-selected', 'true')
    for (let count = 0; count < steps.length; count++) await page.keyboard.press('Tab')
    await expect(watchVideo(page)).toBeFocused()
    await page.keyboard.press('Enter')
    await toTheEnd(page)
    await expect(page.getByRole('group', { name: 'The video has ended.' })).toBeFocused()
    for (let count = 0; count < 3; count++) await page.keyboard.press('Tab')
    await expect(button(page, 'NEXT')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: homes.institutional.phases[1]?.film.title })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(watchVideo(page)).toBeFocused()
    await expect(tab(page, 'Develop')).toHaveAttribute('aria-selected', 'true')
  })
})

/** Waits until an element has not scrolled for a while. Runs in the page. */
function standsStill(element: Element): Promise<void> {
  return new Promise((resolve) => {
    let [last, since] = [element.scrollLeft, performance.now()]
    const look = () => {
      if (element.scrollLeft !== last) [last, since] = [element.scrollLeft, performance.now()]
      if (performance.now() - since > 400) return resolve()
      requestAnimationFrame(look)
    }
    look()
  })
}

test.describe('by touch', () => {
  test.use({ viewport: { width: 375, height: 700 }, hasTouch: true })

  test('L-077 L-079 L-192 a swipe of more than 50 px moves one card, and the dots show and choose the card', async ({
    page,
  }) => {
    await enter(page, 'learner')
    const list = page.locator('.waylist')
    await list.scrollIntoViewIfNeeded()
    const client = await page.context().newCDPSession(page)
    const shown = () => page.locator('.dots [aria-current="true"]').textContent()
    const swipe = async (by: number) => {
      const box = (await list.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
      const [x, y] = [190, Math.min(600, Math.max(100, box.y + box.height / 3))]
      const finger = (type: 'touchStart' | 'touchMove' | 'touchEnd', moved: number) =>
        client.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: type === 'touchEnd' ? [] : [{ x: x + moved, y }],
        })
      await finger('touchStart', 0)
      for (const part of [0.3, 0.6, 1]) await finger('touchMove', by * part)
      await finger('touchEnd', by)
    }
    expect(await shown()).toBe('Card 1 of 3: Courses')
    for (const [by, card] of [
      [-40, 'Card 1 of 3: Courses'],
      [-60, 'Card 2 of 3: Modules'],
      [40, 'Card 2 of 3: Modules'],
      [-60, 'Card 3 of 3: Videos'],
      [-60, 'Card 3 of 3: Videos'],
      [60, 'Card 2 of 3: Modules'],
    ] as const) {
      await swipe(by)
      await expect.poll(shown, `after ${by} px`).toBe(card)
      // The dot may change while the list is still moving, and the next touch would stop it there.
      await list.evaluate(standsStill)
    }
    // A click: after such swipes, Chromium on a busy machine now and then makes none of a tap.
    await page.getByRole('link', { name: 'Card 3 of 3: Videos' }).click()
    await expect.poll(shown).toBe('Card 3 of 3: Videos')
    await expect(page.getByRole('link', { name: 'Go to Videos' })).toBeInViewport()
    await expect(page.getByRole('link', { name: 'Go to Courses' })).not.toBeInViewport()
  })
})

test.describe('on a bad network', () => {
  test.use({ allowedErrors: [/ERR_FAILED/] })

  test('a film that fails to load shows a message and can be tried again', async ({ page }) => {
    await enter(page, 'learner')
    await page.route('**/*.mp4', (route) => route.abort())
    await watchVideo(page).click()
    await expect(page.getByText('The film could not be loaded. Check your connection and try again.')).toBeVisible()
    await page.unroute('**/*.mp4')
    await button(page, 'REPLAY').click()
    await expect(button(page, 'REPLAY')).toBeHidden()
    await expect
      .poll(() => stateOf(page.getByRole('dialog').locator('video')))
      .toMatchObject({ isPaused: false, source: homes.institutional.phases[0]?.film.source })
  })
})

/** The film events that the page sends. */
function listenToEvents(page: Page): string[] {
  const names: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST' || !request.url().endsWith('/event/') || !request.postData()) return
    const { event } = request.postDataJSON()
    if (event.startsWith('Video ')) names.push(event)
  })
  return names
}

const trackingChunk = /\/assets\/film-tracking-/

/** Holds the tracking back until the returned function is called. */
async function holdTracking(page: Page): Promise<() => void> {
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(trackingChunk, async (route) => {
    await isReleased
    await route.continue()
  })
  return release
}

/** Plays a film inside the page for a second while its tracking is held back. */
async function playBeforeTracking(page: Page) {
  await enter(page, 'learner')
  const events = listenToEvents(page)
  const release = await holdTracking(page)
  await page.goto('/home/?watch=welcome')
  const video = page.locator('video')
  await expect.poll(async () => (await stateOf(video)).time).toBeGreaterThan(1)
  return { events, release, video }
}

test('a film that started before its tracking arrived is reported as started, once', async ({ page }) => {
  const { events, release, video } = await playBeforeTracking(page)
  expect(events).toEqual([])
  release()
  await expect.poll(() => events).toEqual(['Video Playback Started'])
  await video.evaluate((film: HTMLVideoElement) => film.pause())
  await expect.poll(() => events).toEqual(['Video Playback Started', 'Video Playback Paused'])
})

test('a film that started and paused before its tracking arrived is reported as both', async ({ page }) => {
  const { events, release, video } = await playBeforeTracking(page)
  await video.evaluate((film: HTMLVideoElement) => film.pause())
  expect(events).toEqual([])
  release()
  await expect.poll(() => events).toEqual(['Video Playback Started', 'Video Playback Paused'])
})

test('a film in a dialog waits for its tracking, so that closing it at once is reported too', async ({ page }) => {
  await enter(page, 'learner')
  const events = listenToEvents(page)
  const release = await holdTracking(page)
  const isAsked = page.waitForRequest(trackingChunk)
  await watchVideo(page).click()
  await isAsked
  await expect(page.getByRole('dialog')).toHaveCount(0)
  release()
  const video = page.getByRole('dialog').locator('video')
  await expect.poll(async () => (await stateOf(video)).isPaused).toBe(false)
  await button(page, 'Close').click()
  await expect.poll(() => events).toEqual(['Video Playback Started', 'Video Playback Paused'])
})

test.describe('after a deployment', () => {
  test.use({ allowedErrors: [/status of 404/] })

  test('a film whose tracking is gone plays on, and nobody is told', async ({ page }) => {
    await enter(page, 'learner')
    const { pathname } = new URL(page.url())
    const isLost = page.waitForResponse(trackingChunk)
    await page.route(trackingChunk, (route) => route.fulfill({ status: 404, contentType: 'text/plain', body: '' }))
    await watchVideo(page).click()
    await isLost
    const video = page.getByRole('dialog').locator('video')
    await expect.poll(async () => (await stateOf(video)).time).toBeGreaterThan(2)
    await expect(page.getByText('This could not be loaded.')).toHaveCount(0)
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(pathname)
  })
})

test('the curves of the login and of the hero are seen in forced colors', async ({ page, product }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const colorsOf = (curve: Locator, ground: string) =>
    curve.evaluate(
      (path, ground) => [
        getComputedStyle(path).stroke,
        getComputedStyle(path.closest(ground) as Element).backgroundColor,
      ],
      ground,
    )
  await page.goto('/login/')
  const [ofLogin, behind] = await colorsOf(page.locator('.site .art > path[stroke-width="3"]'), '.site')
  expect(ofLogin).not.toBe(behind)
  // The large hero is for somebody who can open nothing.
  const { id } = await product.db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', 'learner@titrate.example')
    .executeTakeFirstOrThrow()
  const plan = product.db.updateTable('subscriptions').where('user_id', '=', id)
  await plan.set({ valid_from: new Date('2026-01-01'), valid_to: new Date('2026-01-02') }).execute()
  await enter(page, 'learner')
  await plan.set({ valid_to: null }).execute()
  const [stroke, ground] = await colorsOf(page.locator('.hero .curve > path[stroke-width="3"]'), '.hero')
  expect(stroke).not.toBe(ground)
})

test.describe('at 320 px with reduced motion', () => {
  test.use({ viewport: { width: 320, height: 640 }, contextOptions: { reducedMotion: 'reduce' } })

  test('nothing overflows, and the film fits', async ({ page }) => {
    await enter(page, 'learner')
    await expectNoSidewaysScroll(page)
    await page.getByRole('link', { name: 'Card 2 of 3: Modules' }).click()
    await expect(page.getByRole('link', { name: 'Go to Modules' })).toBeInViewport({ ratio: 1 })
    await watchVideo(page).click()
    await toTheEnd(page)
    for (const name of ['Close', 'CLOSE', 'REPLAY', 'NEXT'])
      await expect(button(page, name)).toBeInViewport({ ratio: 1 })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 900 } })

  test('every phase and every film can be reached, and every control works', async ({ page }) => {
    await enter(page, 'learner')
    // The role of a tab promises arrow keys, so without JavaScript the phases are buttons.
    const button = (name: string) => process(page).getByRole('group', { name: 'Phases' }).getByRole('button', { name })
    const phase = (page: Page) => process(page).locator('#phase-panel')
    for (const { name, film, description } of homes.institutional.phases) {
      await button(name).click()
      await expect(button(name)).toHaveAttribute('aria-pressed', 'true')
      await expect(phase(page).getByText(description)).toBeVisible()
      await phase(page).getByRole('button', { name: 'Watch Video', exact: true }).click()
      await expect(button(name)).toHaveAttribute('aria-pressed', 'true')
      const video = phase(page).locator('video')
      await expect(video).toBeVisible()
      await expect(video).toHaveAttribute('src', film.source)
      await expect(video.locator('track')).toHaveAttribute('src', film.captions)
      await expect(video).toHaveJSProperty('controls', true)
    }
    await page.getByRole('link', { name: 'Card 3 of 3: Videos' }).click()
    await expect(page.getByRole('link', { name: 'Go to Videos' })).toBeInViewport()
    await page.getByRole('button', { name: 'Watch Welcome Video' }).click()
    await expect(page.getByLabel(homes.institutional.welcome.title)).toHaveAttribute(
      'src',
      homes.institutional.welcome.source,
    )
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await process(page).getByRole('button', { name: 'Optimization' }).click()
    await expect(button('Develop')).toHaveAttribute('aria-pressed', 'true')
  })
})

test('an address may name a phase or a film, and unknown names do no harm', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/home/?phase=deliver')
  await expect(tab(page, 'Deliver')).toHaveAttribute('aria-selected', 'true')
  for (const query of ['phase=nothing&watch=nothing', 'phase=deliver&phase=develop&watch=']) {
    const answer = await page.goto(`/home/?${query}`)
    expect(answer?.status(), query).toBe(200)
    await expect(panel(page)).toBeVisible()
  }
  await page.goto('/home/?watch=develop')
  await expect(panel(page).locator('video')).toBeVisible()
  await expectAccessible(page)
  await tab(page, 'Discover').click()
  await expect(page.locator('video')).toHaveCount(0)
})

test('L-080 the home page shows lectures only if the site has them', async ({ page, product }) => {
  await enter(page, 'learner')
  const block = page.getByRole('heading', { name: 'Further Expand Your Knowledge' })
  await expect(block).toBeVisible()
  const setLectures = (is_on: boolean) =>
    product.db.updateTable('feature_flags').set({ is_on }).where('name', '=', 'LECTURES').execute()
  await setLectures(false)
  try {
    await page.goto('/home/')
    await expect(page.getByRole('heading', { name: 'Your Learning, Your Way' })).toBeVisible()
    await expect(block).toHaveCount(0)
  } finally {
    await setLectures(true)
  }
})

test('one click on the home page continues where the learner left off', async ({ page, product }) => {
  const name = 'Where One Was'
  await importModule(product, name, [{ title: 'One', html: '<main><h1>Hello</h1></main>' }])
  await haveSession(page, 'instructor')
  await (await findCard(page, name)).click()
  await page.waitForURL('**/viewer/**')
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Hello' })).toBeVisible()
  await page.goto('/home/')
  const band = page.getByRole('region', { name: 'Continue where you were' })
  await expect(band.getByRole('link', { name })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Watch Welcome Video' })).toBeVisible()
  // It is in the first screen, with its button.
  for (const [width, height] of [
    [320, 640],
    [360, 640],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/home/')
    await expect(band.getByRole('button', { name })).toBeInViewport({ ratio: 1 })
    await expectNoSidewaysScroll(page)
  }
  await band.getByRole('button', { name }).click()
  await page.waitForURL('**/viewer/**')
  await expect(page.getByRole('heading', { name })).toBeVisible()
})

test('somebody who has begun nothing finds a first step in the first screen', async ({ page }) => {
  await haveSession(page, 'author')
  for (const [width, height] of [
    [360, 640],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/home/')
    const band = page.getByRole('region', { name: 'Start here' })
    await expect(band.getByRole('button', { name: /^Start / })).toBeInViewport({ ratio: 1 })
    await expectNoSidewaysScroll(page)
  }
})
