/**
 * Lectures and videos: lists, playing, leaving and continuing, the events of a film, and the same without JavaScript.
 */
import type { Page, Request } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { fillSignIn, haveSession } from './support/people.ts'
import { expect, test } from './support/server.ts'
import { views } from './support/views.ts'

const lecture = 'Evidence from Human Genetics'
const video = 'Reaching Steady State'

type Event = { event: string; properties: Record<string, unknown>; screen: { width: number; height: number } }

/** Everything that the page reports, as it was sent. Playwright cannot read the body of a beacon. */
function listen(page: Page) {
  const events: Event[] = []
  const requests: Request[] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST') return
    if (request.url().endsWith('/event/') && request.postData()) events.push(request.postDataJSON() as Event)
    if (/\/(event|progress)\/$/.test(request.url())) requests.push(request)
  })
  return {
    requests,
    names: () => events.map(({ event }) => event),
    named: (name: string) => events.filter(({ event }) => event === name),
    progress: () =>
      requests
        .filter((request) => request.url().endsWith('/progress/') && request.postData())
        .map((request) => new URLSearchParams(request.postData() ?? '').get('played') ?? ''),
  }
}

const film = (page: Page) => page.locator('video')
const place = (page: Page) => film(page).evaluate((element: HTMLVideoElement) => element.currentTime)
const jump = (page: Page, seconds: number) =>
  film(page).evaluate((element: HTMLVideoElement, to) => {
    element.currentTime = to
  }, seconds)
const pause = (page: Page) => film(page).evaluate((element: HTMLVideoElement) => element.pause())

for (const { site, width } of views) {
  test.describe(`on ${site} at ${width} px`, () => {
    test.use({ site, viewport: { width, height: 900 } })

    test('A-090 A-092 A-094 L-057 lists and viewers are accessible', async ({ page }) => {
      await haveSession(page, 'instructor', site)
      await page.goto('/videos/?category=expert&phase=discover')
      await expect(page).toHaveTitle(/ : Video Library$/)
      await expect(page.getByRole('heading', { level: 1, name: 'Videos' })).toBeVisible()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.goto('/lectures/')
      await expect(page).toHaveTitle(/ : Lectures$/)
      await expectNoSidewaysScroll(page)
      await page.getByRole('link', { name: lecture, exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: lecture })).toBeVisible()
      await expect(page.getByText('Duration: 00:20')).toBeVisible()
      await expect(page.getByText('PRESENTER')).toBeHidden()
      await expect(page.locator('.fold strong', { hasText: 'known' })).toBeVisible()
      await page.getByRole('button', { name: `Play ${lecture}` }).click()
      await expect.poll(() => place(page)).toBeGreaterThan(0.5)
      await pause(page)
      // a film is 16:9.
      const box = await film(page).boundingBox()
      expect((box?.height ?? 0) / (box?.width ?? 1)).toBeCloseTo(0.5625, 2)
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByText('Guiding Questions', { exact: true }).click()
      await expect(page.locator('.fold strong', { hasText: 'known' })).toBeHidden()
      await page.getByRole('link', { name: 'Exit' }).click()
      await expect(page).toHaveURL(/\/lectures\/$/)
    })
  })
}

test('A-095 Previous and Next walk through the list and stop at its ends, before what is Coming Soon', async ({
  page,
}) => {
  await haveSession(page, 'learner')
  await page.goto('/lectures/?phase=deliver')
  const soon = page.locator('.card', { hasText: 'After the Approval' })
  await expect(soon.getByText('Coming Soon')).toBeVisible()
  await expect(soon.getByRole('link')).toHaveCount(0)
  await page.locator('.card h2 a').first().click()
  await expect(page.getByRole('button', { name: 'Previous lecture' })).toBeDisabled()
  const names: string[] = []
  for (;;) {
    names.push(await page.getByRole('heading', { level: 1 }).innerText())
    const next = page.getByRole('link', { name: /^Next lecture/ })
    if ((await next.count()) === 0) break
    const label = (await next.getAttribute('aria-label')) ?? ''
    await next.click()
    await expect(page.getByRole('heading', { level: 1, name: label.replace('Next lecture: ', '') })).toBeVisible()
  }
  expect(names.length).toBeGreaterThan(1)
  await expect(page.getByRole('button', { name: 'Next lecture' })).toBeDisabled()
  await page.getByRole('link', { name: /^Previous lecture/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: names.at(-2) })).toBeVisible()
})

test('A-158 A-159 A-160 A-243 A-277 L-014 L-247 a film reports when it starts, resumes, pauses and ends, and how much was watched', async ({
  page,
}) => {
  await haveSession(page, 'author')
  const reports = listen(page)
  await page.goto('/videos/?page=1')
  await page.getByRole('link', { name: video, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: video })).toBeVisible()
  await page.getByRole('button', { name: `Play ${video}` }).click()
  await expect.poll(() => reports.named('Video Playback Started').length).toBe(1)
  const [started] = reports.named('Video Playback Started')
  expect(Object.keys(started?.properties ?? {}).sort()).toEqual([
    'video_asset_id',
    'video_percent',
    'video_player',
    'video_position',
    'video_title',
    'video_total_length',
    'video_uid',
  ])
  expect(started?.properties).toMatchObject({ video_player: 'native', video_title: video, video_total_length: 14 })
  // the screen, the token and the answer.
  expect(started?.screen.width).toBeGreaterThan(0)
  // Skips the first event: the page may have been left before its answer came.
  const first = reports.requests.find((request) => request.postData()?.includes('Video Playback Started'))
  expect(first?.headers()['x-csrftoken']).toBeTruthy()
  expect((await first?.response())?.status()).toBe(204)
  expect(await film(page).evaluate((element: HTMLVideoElement) => element.volume)).toBeCloseTo(0.2)
  expect(
    await film(page).evaluate((element: HTMLVideoElement) => [
      element.textTracks[0]?.mode,
      element.textTracks[0]?.cues?.length,
    ]),
  ).toEqual(['showing', 4])

  await expect.poll(() => reports.named('Video Content Playing').length).toBe(1)
  await pause(page)
  await expect.poll(() => reports.named('Video Playback Paused').length).toBe(1)
  await film(page).evaluate((element: HTMLVideoElement) => {
    element.playbackRate = 4
    return element.play()
  })
  await expect.poll(() => reports.named('Video Playback Resumed').length).toBe(1)
  await expect(page.getByText('Watched to the end')).toBeVisible()
  await expect.poll(() => reports.named('Video Playback Completed').length).toBe(1)
  expect(reports.named('Video Playback Paused')).toHaveLength(1)
  await expect.poll(() => reports.progress().at(-1)).toMatch(/-1(39|4\d)$/)
  // after its end, a film starts over.
  await page.reload()
  await expect(page.getByText('Watched to the end')).toBeVisible()
  await expect.poll(() => place(page)).toBe(0)
})

// a lecture is watched, and its place is kept.
test('A-162 A-204 a viewer who leaves in the middle continues there, even after closing the tab', async ({
  page,
  context,
}) => {
  await haveSession(page, 'admin')
  await page.goto('/lectures/')
  await page.getByRole('link', { name: lecture, exact: true }).click()
  await page.getByRole('button', { name: `Play ${lecture}` }).click()
  await expect.poll(() => place(page)).toBeGreaterThan(3.5)
  const watched = async () => Number.parseInt(await page.getByText(/\d+% watched/).innerText(), 10)
  const before = await watched()
  await page.reload()
  // A player says four times a second, or less often on a busy machine, where it is.
  await expect.poll(() => place(page)).toBeGreaterThan(2)
  await expect.poll(watched).toBeGreaterThanOrEqual(before)
  await page.getByRole('button', { name: `Play ${lecture}` }).click()
  await jump(page, 8.5)
  await expect.poll(() => place(page)).toBeGreaterThan(8.7)
  const address = page.url()
  await page.close({ runBeforeUnload: true })
  const again = await context.newPage()
  await expect(async () => {
    await again.goto(address)
    await expect.poll(() => place(again), { timeout: 1500 }).toBeGreaterThan(8)
  }).toPass()
  expect(await place(again)).toBeLessThan(12)
  // The seconds before the jump were not watched.
  await expect(again.getByText(/^[1-3]?\d% watched$/)).toBeVisible()
  await again.goto('/lectures/')
  await expect(again.getByRole('link', { name: `Resume ${lecture}` })).toBeVisible()
})

test('a film that plays on after the session has ended says so, and logging in leads back to its place and keeps what was played', async ({
  page,
  context,
}) => {
  await haveSession(page, 'learner')
  await page.goto('/videos/')
  await page.getByRole('link', { name: video, exact: true }).click()
  await page.getByRole('button', { name: `Play ${video}` }).click()
  await expect.poll(() => place(page)).toBeGreaterThan(0.2)
  await context.clearCookies({ name: /session$/ })
  await pause(page)
  const alert = page.getByRole('alert').filter({ hasText: 'You are logged out. Log in to keep your progress.' })
  await expect(alert).toBeVisible()
  await film(page).evaluate((element: HTMLVideoElement) => {
    element.playbackRate = 2
    return element.play()
  })
  await expect.poll(() => place(page)).toBeGreaterThan(5.5)
  await pause(page)
  const at = Math.floor(await place(page))
  await expect(alert.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', new RegExp(`at%3D${at}&`))
  const percent = await page.getByText(/\d+% watched/).innerText()
  await alert.getByRole('link', { name: 'Log in' }).click()
  await page.waitForURL('**/login/**')
  await fillSignIn(page, 'learner')
  await page.waitForURL(/\/videos\/.*at=/)
  await expect.poll(() => place(page)).toBe(at)
  await expect(page.getByText(percent)).toBeVisible()
  await page.goto('/videos/')
  await page.getByRole('link', { name: video, exact: true }).click()
  await expect(page.getByText(percent)).toBeVisible()
})

test('who jumps to the end of a film has not watched it, and who comes back finds what was played', async ({
  page,
  product,
}) => {
  const name = 'Why Half-Lives Matter'
  await haveSession(page, 'author')
  await product.db
    .deleteFrom('video_progress')
    .where('video_id', 'in', (eb) => eb.selectFrom('videos').select('id').where('name', '=', name))
    .execute()
  const reports = listen(page)
  await page.goto('/videos/')
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('button', { name: `Play ${name}` }).click()
  await expect.poll(() => place(page)).toBeGreaterThan(1.5)
  const length = await film(page).evaluate((element: HTMLVideoElement) => element.duration)
  await jump(page, length - 1.5)
  await expect.poll(() => film(page).evaluate((element: HTMLVideoElement) => element.ended)).toBe(true)
  await expect(page.getByText(/^[1-4]\d% watched$/)).toBeVisible()
  await expect.poll(() => reports.named('Video Playback Paused').length).toBe(1)
  expect(reports.named('Video Playback Completed')).toEqual([])
  await page.reload()
  await expect(page.getByText(/^[1-4]\d% watched$/)).toBeVisible()
  // The rest, in another window, at another speed.
  await page.getByRole('button', { name: `Play ${name}` }).click()
  await film(page).evaluate((element: HTMLVideoElement) => {
    element.currentTime = 1
    element.playbackRate = 4
  })
  await expect(page.getByText('Watched to the end')).toBeVisible()
  await expect.poll(() => reports.named('Video Playback Completed').length).toBe(1)
  await page.goto('/my-learning/completed/')
  await expect(page.getByRole('link', { name }).first()).toBeVisible()
})

test('the transcript follows the film, and a click or a key in it jumps to that place', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/lectures/')
  await page.getByRole('link', { name: 'Screens That Can Be Believed', exact: true }).click()
  const lines = page.getByRole('list', { name: 'Transcript lines' }).getByRole('listitem')
  await expect(lines).toHaveCount(5)
  await lines.nth(2).getByRole('button').click()
  await expect.poll(() => place(page)).toBeGreaterThanOrEqual(8)
  await expect(lines.nth(2)).toHaveAttribute('aria-current', 'true')
  await lines.nth(4).getByRole('button').focus()
  await page.keyboard.press('Enter')
  await expect(lines.nth(4)).toHaveAttribute('aria-current', 'true')
  await expect(lines.nth(4).getByRole('button')).toBeFocused()
  await expect(page.locator('[aria-current="true"]', { hasText: '00:08' })).toHaveCount(0)
})

test('a film that started before the scripts ran is reported too and has its controls', async ({ page }) => {
  await haveSession(page, 'instructor')
  const reports = listen(page)
  await page.goto('/videos/')
  const address = (await page.locator('.card h2 a').first().getAttribute('href')) ?? ''
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await isReleased
    await route.continue()
  })
  await page.goto(address, { waitUntil: 'commit' })
  await film(page).evaluate((element: HTMLVideoElement) => {
    element.muted = true
    return element.play()
  })
  expect(reports.named('Video Playback Started')).toEqual([])
  release()
  await expect.poll(() => reports.named('Video Playback Started').length).toBe(1)
  await expect(film(page)).toHaveAttribute('controls')
  await expect(page.getByRole('button', { name: /^Play / })).toHaveCount(0)
})

test('a film that started before its length was known reports its start', async ({ page }) => {
  await haveSession(page, 'instructor')
  const reports = listen(page)
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\.(mp4|webm)$/, async (route) => {
    await isReleased
    await route.continue()
  })
  await page.goto('/videos/?page=1')
  await page.getByRole('link', { name: video, exact: true }).click()
  await page.getByRole('button', { name: `Play ${video}` }).click()
  await expect.poll(() => film(page).evaluate((element: HTMLVideoElement) => element.paused)).toBe(false)
  expect(reports.named('Video Playback Started')).toEqual([])
  release()
  await expect.poll(() => reports.named('Video Playback Started').length).toBe(1)
  expect(reports.named('Video Playback Started')[0]?.properties).toMatchObject({
    video_position: 0,
    video_total_length: 14,
  })
})

test('a keyboard user’s focus moves to the film', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/videos/')
  await page.locator('.card h2 a').first().click()
  await page.getByRole('button', { name: /^Play / }).focus()
  await page.keyboard.press('Enter')
  await expect(film(page)).toBeFocused()
  await expect.poll(() => place(page)).toBeGreaterThan(0.3)
  await page.keyboard.press('Space')
  await expect.poll(() => film(page).evaluate((element: HTMLVideoElement) => element.paused)).toBe(true)
})

/** Sends what Vimeo's player sends, at 40 times its speed. */
const vimeo = `<!doctype html><html lang="en"><title>Player</title><main><h1>Vimeo</h1></main><script>
  const say = (event, data) => parent.postMessage(JSON.stringify({ event, data }), '*')
  let seconds = 0
  const at = () => ({ seconds, duration: 100 })
  addEventListener('message', ({ data }) => {
    const { method, value } = JSON.parse(data)
    if (method === 'setCurrentTime') seconds = value
    if (method === 'addEventListener' && value === 'volumechange') {
      say('play', { seconds })
      setInterval(() => { if (seconds < 100) { seconds += 2; say('timeupdate', at()) } else if (seconds === 100) { say('ended', at()); seconds++ } }, 50)
    }
  })
  say('ready')
</script></html>`

test('a film on Vimeo loads on play, is told not to track, and its place is kept', async ({ page, product }) => {
  const name = 'Case Study: A Signal That Held'
  await product.db
    .updateTable('videos')
    .set({ video_url: 'https://player.vimeo.com/video/77?h=ab' })
    .where('name', '=', name)
    .execute()
  const asked: string[] = []
  await page.route('https://player.vimeo.com/**', (route) => {
    asked.push(route.request().url())
    return route.fulfill({ contentType: 'text/html', body: vimeo })
  })
  await haveSession(page, 'instructor')
  const reports = listen(page)
  await page.goto('/videos/?category=case_study')
  await page.getByRole('link', { name, exact: true }).click()
  const play = page.getByRole('button', { name: `Play ${name}` })
  await expect(play).toBeVisible()
  expect(asked).toEqual([])
  await play.click()
  await expect(page.getByText('Watched to the end')).toBeVisible()
  const [address] = asked.map((url) => new URL(url))
  expect([address?.pathname, address?.searchParams.get('h'), address?.searchParams.get('dnt')]).toEqual([
    '/video/77',
    'ab',
    '1',
  ])
  await expect.poll(() => reports.named('Video Playback Completed').length).toBe(1)
  expect(reports.named('Video Playback Started')[0]?.properties).toMatchObject({
    video_player: 'vimeo',
    video_asset_id: '77',
  })
  await expect(page.getByRole('list', { name: 'Transcript lines' }).locator('[aria-current]')).toContainText(
    'Three times',
  )
})

test('the next film has the volume that was chosen for the one before', async ({ page }) => {
  await haveSession(page, 'learner')
  await page.goto('/videos/')
  await page.locator('.card h2 a').first().click()
  const volume = () => film(page).evaluate((element: HTMLVideoElement) => element.volume)
  await expect.poll(volume).toBeCloseTo(0.2)
  await film(page).evaluate((element: HTMLVideoElement) => {
    element.volume = 0.7
  })
  await expect.poll(() => page.evaluate(() => localStorage.getItem('titrate.volume'))).toBe('0.7')
  await page.getByRole('link', { name: /^Next video/ }).click()
  await expect.poll(volume).toBeCloseTo(0.7)
})

test('A-242 L-247 a page view is reported once in a row, also for visitors', async ({ page }) => {
  const reports = listen(page)
  await page.goto('/login/')
  await expect.poll(() => reports.names()).toEqual(['View Page Log In'])
  await haveSession(page, 'learner')
  await page.goto('/videos/')
  await page.getByRole('link', { name: 'Experts' }).click()
  await expect(page.getByRole('link', { name: 'Experts' })).toHaveAttribute('aria-current', 'page')
  await page.getByRole('link', { name: 'All kinds' }).click()
  await expect(page).toHaveURL(/\/videos\/$/)
  await expect.poll(() => reports.named('View Page Video Library').length).toBe(1)
})

test.describe('when events cannot be sent', () => {
  test.use({ allowedErrors: [/event/] })

  test('A-244 the viewer sees no error', async ({ page }) => {
    await page.route('**/event/', (route) => route.abort())
    await haveSession(page, 'learner')
    await page.goto('/videos/')
    await page.locator('.card h2 a').first().click()
    await page.getByRole('button', { name: /^Play / }).click()
    await expect.poll(() => place(page)).toBeGreaterThan(0.5)
    await expect(page.getByRole('alert')).toHaveCount(0)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, site: 'ns', viewport: { width: 360, height: 900 } })

  test('films can be watched, read and marked as watched', async ({ page }) => {
    await haveSession(page, 'learner', 'ns')
    for (const [path, name] of [
      ['/lectures/', 'A Trial That Answers Its Question'],
      ['/videos/', 'Why Half-Lives Matter'],
    ] as const) {
      await page.goto(path)
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page.locator('video[controls] track')).toHaveCount(1)
      await expect(page.getByText('[No sound.]')).toBeVisible()
      await page.getByRole('button', { name: 'I have watched this' }).click()
      await expect(page.getByText(/is marked as watched\./)).toBeVisible()
      await expect(page.getByText('Watched to the end')).toBeVisible()
      await page.getByRole('link', { name: 'Exit' }).click()
      await expect(page.getByRole('link', { name: /^(Watch|Watch again) / }).first()).toBeVisible()
      await expectNoSidewaysScroll(page)
    }
  })
})
