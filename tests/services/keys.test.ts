import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { csrfToken, isCsrfTokenValid } from '~/http/csrf.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { findKnownBrowser, rememberBrowser } from '~/services/accounts/known-browsers.server.ts'
import { fetchToken, getLaunch, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import { voidingIdOf } from '~/services/cmi5/secrets.server.ts'
import { contentPath, verifyContentPath } from '~/services/packages/content-path.ts'
import { rotateKeys, signingKey, verifyingKeys } from '~/services/sites/keys.server.ts'
import { prepareUpload, receivePost } from '~/services/uploads/uploads.server.ts'
import { openCursor, sealCursor } from '~/services/xapi/cursor.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

const day = 86_400_000
const names = ['csrf_key', 'content_key', 'token_key'] as const
let now: Date
let tests = 0

// The keys are read and judged by the clock of the process. Only Date is replaced: the database needs its timers.
beforeEach(async () => {
  // An hour after the test before, so that nothing is known of it.
  now = new Date(Date.now() + ++tests * 3_600_000)
  vi.useFakeTimers({ toFake: ['Date'], now })
  await db.deleteFrom('installation').where('key', 'like', '%_before').execute()
})
afterEach(() => {
  vi.useRealTimers()
})

function later(ms: number): void {
  now = new Date(now.getTime() + ms)
  vi.setSystemTime(now)
}

const rotate = (options?: { isAtOnce: boolean }) => rotateKeys({ ...ctx, now }, options)

const exchange = { cookie: (name: string) => (name === 'session' ? 'a session' : null) } as unknown as Exchange

test('every key is replaced; the earlier one stays valid for two weeks, and the new one signs once all processes know it', async () => {
  for (const name of names) {
    const before = await signingKey(db, name)
    expect(await verifyingKeys(db, name)).toEqual([before])
  }
  const before = await Promise.all(names.map((name) => signingKey(db, name)))
  expect(await rotate()).toEqual({ validUntil: new Date(now.getTime() + 14 * day) })
  const keys = () => Promise.all(names.map((name) => verifyingKeys(db, name)))
  const all = await keys()
  expect(all.map(([, earlier]) => earlier)).toEqual(before)
  expect(new Set(all.flat()).size).toBe(6)
  const signing = () => Promise.all(names.map((name) => signingKey(db, name)))
  expect(await signing()).toEqual(before)
  later(119_000)
  expect(await signing()).toEqual(before)
  later(2000)
  expect(await signing()).toEqual(all.map(([present]) => present))
  later(14 * day - 180_000)
  expect(await keys()).toEqual(all)
  later(120_000)
  expect(await keys()).toEqual(all.map(([present]) => [present]))
})

test('a second time within two weeks is refused, because it would end what is still open; at once it ends on purpose', async () => {
  await rotate()
  later(13 * day)
  const kept = await verifyingKeys(db, 'token_key')
  await expect(rotate()).rejects.toThrow(/^The keys were replaced less than two weeks ago/)
  later(61_000)
  expect(await verifyingKeys(db, 'token_key')).toEqual(kept)
  expect(await rotate({ isAtOnce: true })).toEqual({ validUntil: null })
  const [only, ...more] = await verifyingKeys(db, 'token_key')
  expect(more).toEqual([])
  expect(kept).not.toContain(only)
  expect(await signingKey(db, 'token_key')).toBe(only)
})

test('ten rotations at once are one', async () => {
  const before = await signingKey(db, 'csrf_key')
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => rotate()))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await verifyingKeys(db, 'csrf_key'))[1]).toBe(before)
})

test('another process reads the new keys within a minute, long before anybody signs with them', async () => {
  const before = await verifyingKeys(db, 'csrf_key')
  const fresh = 'a key that another process wrote'
  await db.updateTable('installation').set({ value: fresh, created_at: now }).where('key', '=', 'csrf_key').execute()
  await db
    .insertInto('installation')
    .values({ key: 'csrf_key_before', value: before[0] ?? '', created_at: now })
    .execute()
  later(59_000)
  expect(await verifyingKeys(db, 'csrf_key')).toEqual(before)
  later(2000)
  expect(await verifyingKeys(db, 'csrf_key')).toEqual([fresh, ...before])
  expect(await signingKey(db, 'csrf_key')).toBe(before[0])
})

test('while the database is away, the keys that were read last are used', async () => {
  const keys = await verifyingKeys(db, 'content_key')
  later(120_000)
  const away = {
    selectFrom: () => ({
      select: () => ({
        where: () => ({ execute: () => Promise.reject(new Error('away')) }),
      }),
    }),
  }
  expect(await verifyingKeys(away as unknown as typeof db, 'content_key')).toEqual(keys)
})

test('an open form, module, upload, list and known browser go on after a rotation, and not after one at once', async () => {
  const module = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  const { auLaunchSessionUid } = await launchUnit({ ...learner, now }, { moduleVersionUid: module.versionUid })
  const launchUrl = async () => (await getLaunch({ ...learner, now }, { auLaunchSessionUid })).launchUrl ?? ''
  const fetchAddress = async () => new URL(await launchUrl()).searchParams.get('fetch') ?? ''
  const address = await fetchAddress()
  const form = await csrfToken(ctx, exchange)
  const input = { contentKey: crypto.randomUUID(), userUid: crypto.randomUUID(), now, moduleUid: null }
  const path = `${contentPath(await signingKey(db, 'content_key'), input)}index.html`
  const more = await sealCursor(db, { after: 7 })
  const upload = await prepareUpload({ ...author, now }, { fileName: 'a.vtt', fileType: 'captions' })
  let marks = ''
  const remember = (value: string) => {
    marks = value
  }
  const inBrowser = () => ({ ...ctx, session: { ...ctx.session, browser: { marks, remember } } })
  await rememberBrowser(inBrowser(), 'ada@titrate.example')
  const state = async () => ({
    form: await isCsrfTokenValid(ctx, exchange, form),
    content: (await verifyingKeys(db, 'content_key')).some(
      (key) => verifyContentPath(key, { path, moduleUid: null, now }) !== null,
    ),
    list: await openCursor(db, more).then(
      () => true,
      () => false,
    ),
    upload: await receivePost(
      { ...author, now },
      { uploadUid: upload.id, fields: upload.fields, source: Readable.from(['x']) },
    ).then(
      () => true,
      () => false,
    ),
    browser: (await findKnownBrowser(inBrowser(), 'ada@titrate.example')) !== null,
    fetch: (await fetchAddress()) === address,
  })
  const allOf = (is: boolean) => ({ form: is, content: is, list: is, upload: is, browser: is, fetch: is })
  expect(await state()).toEqual(allOf(true))
  await rotate()
  later(180_000)
  expect(await state()).toEqual(allOf(true))
  const earlier = marks
  await rememberBrowser(inBrowser(), 'ada@titrate.example')
  expect([marks.slice(0, 16), marks === earlier]).toEqual([earlier.slice(0, 16), false])
  const voided = await voidingIdOf(db, { siteUid: 'x', statementId: 'y' })
  await rotate({ isAtOnce: true })
  expect(await state()).toEqual(allOf(false))
  expect(await voidingIdOf(db, { siteUid: 'x', statementId: 'y' }), 'ids of records never change').toBe(voided)
  const secret = address.split('/').at(-1) ?? ''
  expect(await fetchToken(learner, { secret }), 'the hash is stored').toHaveProperty('token')
})
