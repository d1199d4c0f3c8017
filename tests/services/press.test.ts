/** A press on Save after the session has ended: kept for the browser that pressed, for ten minutes, and only if it is ours. */
import { expect, test } from 'vitest'
import { findKeptPress, keepPress } from '~/http/press.server.ts'
import { anExchange } from '../support/exchange.ts'
import { ctx } from '../support/test.ts'

const uid = '01234567-89ab-4def-8123-456789abcdef'
const page = '/modules/?page=1&word=ä'
const pressed = { name: 'add', studyUnitType: 'module', uid, from: page }

async function press(cookies: Record<string, string>, thing = `module:${uid}`) {
  const { exchange, cookie } = anExchange(cookies)
  const form = new FormData()
  form.set('add', thing)
  await keepPress(ctx, exchange, form, page)
  return { press: cookie('press'), form: cookie('form') }
}

test('a press is kept for the ended session, or else for a random cookie', async () => {
  const kept = await press({ session: 'one' })
  expect(kept.form).toBe('')
  expect(await findKeptPress(ctx, anExchange({ session: 'one', press: kept.press }).exchange)).toEqual(pressed)
  const visitor = await press({})
  expect(await findKeptPress(ctx, anExchange(visitor).exchange)).toEqual(pressed)
  expect(await press({}, 'user:x')).toEqual({ press: '', form: '' })
})

test('a press of another browser, of a session that is over, or after ten minutes is none', async () => {
  const kept = await press({ session: 'one' })
  const visitor = await press({})
  for (const cookies of [
    { press: kept.press },
    { session: 'two', press: kept.press },
    { form: 'one', press: kept.press },
    { press: visitor.press },
    { form: 'another', press: visitor.press },
    // Signing in makes a new session, so what was done is not done again.
    { session: 'new', form: visitor.form, press: visitor.press },
  ] as Record<string, string>[]) {
    expect(await findKeptPress(ctx, anExchange(cookies).exchange), JSON.stringify(cookies)).toBeNull()
  }
  const after = (seconds: number) => ({ ...ctx, now: new Date(ctx.now.getTime() + seconds * 1000) })
  const own = () => anExchange({ session: 'one', press: kept.press }).exchange
  expect(await findKeptPress(after(590), own())).toEqual(pressed)
  expect(await findKeptPress(after(602), own())).toBeNull()
})

test('a press that is not ours is none', async () => {
  const { press: kept } = await press({ session: 'one' })
  const [, signature] = kept.split('.')
  const plain = `9999999999.add.module:${uid}.${page}`
  const forged = Buffer.from(plain).toString('base64url')
  for (const value of [`${forged}.${signature}`, forged, '.', 'x.y', `${kept}x`, encodeURIComponent(plain)]) {
    expect(await findKeptPress(ctx, anExchange({ session: 'one', press: value }).exchange), value).toBeNull()
  }
})
