/** What `/event/` stores, and how a film's events become plays. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { homes } from '~/config/home.ts'
import { videoEvents } from '~/forms/video-events.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, Unavailable } from '~/services/errors.ts'
import { dropOldEvents, recordEvent } from '~/services/events/events.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { db } from '../support/test.ts'

const view = (name: string, more: object = {}) => ({ event: name, properties: {}, ...more })
const send = (ctx: Ctx, event: unknown, perMinute = 1000) => recordEvent(ctx, { event, perMinute })
const as = async (options: Parameters<typeof aUser>[1] = {}) =>
  aContext(db, { viewer: await aUser(db, options), site: options.site ?? 'institutional' })
const later = (ctx: Ctx, seconds: number): Ctx => ({ ...ctx, now: new Date(ctx.now.getTime() + seconds * 1000) })

test('A-244 a page view is stored with person, name, place and time; a visitor has no person', async () => {
  const ctx = await as()
  const event = view('View Page Courses', {
    properties: { path: '/x/', n: 1.5, is: true, no: null },
    screen: { width: 360, height: 740 },
  })
  await send(ctx, event)
  await send(await aContext(db), event)
  await send({ ...(await aContext(db, { site: 'ns' })), viewer: ctx.viewer }, event)
  const rows = await db
    .selectFrom('events')
    .select(['user_id', 'properties', 'screen', 'at', 'site_id'])
    .orderBy('id')
    .execute()
  expect(rows).toMatchObject([
    {
      user_id: ctx.viewer?.id,
      properties: { path: '/x/', n: 1.5, is: true, no: null },
      screen: '360x740',
      at: ctx.now,
    },
    { user_id: null },
    { user_id: null },
  ])
})

test.each([
  ['nothing', undefined],
  ['no name', { properties: {} }],
  ['an empty name', view(' ')],
  ['a name that is not text', { event: 1 }],
  ['a long name', view('x'.repeat(101))],
  ['U+0000', view('a\u0000')],
  ['a lone surrogate', view('a', { properties: { a: '\ud800' } })],
  ['a key that cannot be stored', view('a', { properties: { 'a\u0000': 1 } })],
  ['an object as a property', view('a', { properties: { a: {} } })],
  ['a list as a property', view('a', { properties: { a: [1] } })],
  ['too many properties', view('a', { properties: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, i])) })],
  ['a long property', view('a', { properties: { a: 'x'.repeat(501) } })],
  ['a screen of negative size', view('a', { screen: { width: -1, height: 1 } })],
  ['an endless number', view('a', { properties: { a: Number.POSITIVE_INFINITY } })],
])('%s is refused', async (_name, event) => {
  await expect(send(await as(), event)).rejects.toThrow(Invalid)
})

test('one person is limited, and the next minute starts over', async () => {
  const ctx = await as()
  for (let i = 0; i < 5; i++) await send(ctx, view('View Page Home'), 5)
  await expect(send(ctx, view('View Page Home'), 5)).rejects.toThrow(Unavailable)
  await send(await as(), view('View Page Home'), 5)
  await send(later(ctx, 61), view('View Page Home'), 5)
})

const film = (uid: string, fraction: number, title = 'A title of the page') => ({
  video_uid: uid,
  video_asset_id: '/films/a.mp4',
  video_player: 'native',
  video_percent: fraction,
  video_position: fraction * 20,
  video_title: title,
  video_total_length: 20,
})
const plays = (ctx: Ctx) =>
  db
    .selectFrom('video_plays')
    .select(['subject', 'subject_uid', 'title', 'seconds', 'max_percent', 'completed_at'])
    .where('user_id', '=', ctx.viewer?.id ?? 0)
    .orderBy('id')
    .execute()

test('the events of one visit make one play with the time that was really watched', async () => {
  const ctx = await as()
  const lecture = await aLecture(db, { name: 'Its real name' })
  const sendEvent = (seconds: number, event: string, fraction: number) =>
    send(later(ctx, seconds), { event, properties: film(lecture.uid, fraction) })
  await sendEvent(0, videoEvents.started, 0)
  await sendEvent(10, videoEvents.playing, 0.5)
  await sendEvent(12, videoEvents.paused, 0.6)
  await sendEvent(600, videoEvents.resumed, 0.6)
  await sendEvent(608, videoEvents.completed, 1)
  await sendEvent(609, videoEvents.resumed, 0)
  const expected = { subject: 'lecture', subject_uid: lecture.uid, title: 'Its real name', max_percent: 100 }
  expect(await plays(ctx)).toEqual([{ ...expected, seconds: 20, completed_at: later(ctx, 608).now }])
  await sendEvent(609 + 31 * 60, videoEvents.started, 0)
  expect(await plays(ctx)).toHaveLength(2)
})

test('a film without access makes no play', async () => {
  const ctx = await as()
  const hidden = [
    await aVideo(db, { plans: ['Free Access'] }),
    await aVideo(db, { status: 'draft' }),
    await aVideo(db, { deleted: true }),
    await aVideo(db, { site: 'ns' }),
    await aLecture(db, { status: 'draft' }),
  ]
  for (const { uid } of hidden) await send(ctx, { event: videoEvents.completed, properties: film(uid, 1) })
  expect(await plays(ctx)).toEqual([])
})

test('ten events at once make one play; another film and another person get their own', async () => {
  const ctx = await as()
  const other = await as()
  const video = await aVideo(db, { name: 'Half-lives' })
  const event = { event: videoEvents.started, properties: film(video.uid, 0.25) }
  await Promise.all(Array.from({ length: 10 }, () => send(ctx, event)))
  expect(await plays(ctx)).toMatchObject([{ subject: 'video', title: 'Half-lives', max_percent: 25 }])
  await send(other, event)
  expect(await plays(other)).toHaveLength(1)
  await send(ctx, { event: videoEvents.started, properties: film('welcome', 0) })
  await send(ctx, { event: videoEvents.playing, properties: film('welcome', 0.5) })
  const { title } = homes.institutional.welcome
  expect((await plays(ctx))[1]).toMatchObject({ subject: 'home', subject_uid: null, title, max_percent: 50 })
})

test('a Coming Soon lecture makes no play for a learner; staff may play it as a preview', async () => {
  const learner = await as()
  const author = await as({ groups: ['authors'], plan: null })
  const soon = await aLecture(db, { name: 'Not yet', comingSoon: true })
  const draft = await aVideo(db, { name: 'In the making', status: 'draft' })
  for (const ctx of [learner, author]) {
    for (const { uid } of [soon, draft]) await send(ctx, { event: videoEvents.completed, properties: film(uid, 1) })
  }
  expect(await plays(learner)).toEqual([])
  expect((await plays(author)).map(({ title }) => title)).toEqual(['Not yet', 'In the making'])
})

test('films without a uid make plays only on the home page, under their own titles', async () => {
  const ctx = await as()
  for (const key of ['my-own', '', 'toString', 'a'.repeat(300)]) {
    await send(ctx, { event: videoEvents.completed, properties: film(key, 1, 'An invented title') })
  }
  const { video_uid: _, ...nameless } = film('', 1, 'An invented title')
  await send(ctx, { event: videoEvents.completed, properties: nameless })
  expect(await plays(ctx)).toEqual([])
  await send(ctx, { event: videoEvents.completed, properties: film('discover', 1, 'An invented title') })
  const stranger = await as({ site: 'ns' })
  await send(stranger, { event: videoEvents.completed, properties: film('discover', 1) })
  const titles = [...(await plays(ctx)), ...(await plays(stranger))].map(({ title }) => title)
  expect(titles).toEqual([homes.institutional.phases[0]?.film.title, homes.ns.phases[0]?.film.title])
})

test('a film of the other site, an unknown film and a signed-out viewer make no play', async () => {
  const ctx = await as()
  const foreign = await aVideo(db, { site: 'ns' })
  for (const uid of [foreign.uid, crypto.randomUUID()]) {
    await send(ctx, { event: videoEvents.started, properties: film(uid, 0) })
  }
  await send(ctx, { event: videoEvents.started, properties: {} })
  expect(await plays(ctx)).toEqual([])
  const before = await db.selectFrom('video_plays').select('id').execute()
  await send(await aContext(db), { event: videoEvents.started, properties: film((await aVideo(db)).uid, 0) })
  expect(await db.selectFrom('video_plays').select('id').execute()).toHaveLength(before.length)
})

test('months past their retention are dropped whole, and the others stay', async () => {
  await sql`select ensure_event_partitions('2024-01-01'::date, 2)`.execute(db)
  const monthsOf = async () => {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`.execute(
      db,
    )
    return rows.map(({ name }) => name)
  }
  const before = await monthsOf()
  expect(before.slice(0, 3)).toEqual(['events_2024_01', 'events_2024_02', 'events_2024_03'])
  const ctx = { ...(await aContext(db)), now: new Date('2026-03-15T00:00:00Z') }
  await dropOldEvents(ctx, { months: 24 })
  await dropOldEvents(ctx, { months: 24 })
  expect(await monthsOf()).toEqual(before.slice(2))
})
