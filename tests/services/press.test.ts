/** A press on Save after the session has ended: kept for the browser that pressed, for ten minutes, and only if it is ours. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { beginExchange, type Exchange } from '~/http/exchange.server.ts'
import { findKeptPress, keepPress } from '~/http/press.server.ts'
import { ctx } from '../support/test.ts'

const uid = '01234567-89ab-4def-8123-456789abcdef'
const page = '/modules/?page=1&word=ä'
const pressed = { name: 'add', studyUnitType: 'module', uid, from: page }

function visit(cookies: Record<string, string>): { exchange: Exchange; cookie: (name: string) => string } {
  const request = new IncomingMessage(new Socket())
  request.headers.cookie = Object.entries(cookies)
    .map(([name, value]) => `titrate_${name}=${value}`)
    .join('; ')
  const response = new ServerResponse(request)
  const exchange = beginExchange(request, response, { isSecure: false, address: null, host: 'localhost' })
  const cookie = (name: string) =>
    new RegExp(`titrate_${name}=([^;,]*)`).exec(String(response.getHeader('Set-Cookie')))?.[1] ?? ''
  return { exchange, cookie }
}

async function press(cookies: Record<string, string>, thing = `module:${uid}`) {
  const { exchange, cookie } = visit(cookies)
  const form = new FormData()
  form.set('add', thing)
  await keepPress(ctx, exchange, form, page)
  return { press: cookie('press'), form: cookie('form') }
}

test('a press is kept for the ended session, or else for a random cookie', async () => {
  const kept = await press({ session: 'one' })
  expect(kept.form).toBe('')
  expect(await findKeptPress(ctx, visit({ session: 'one', press: kept.press }).exchange)).toEqual(pressed)
  const visitor = await press({})
  expect(await findKeptPress(ctx, visit(visitor).exchange)).toEqual(pressed)
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
    expect(await findKeptPress(ctx, visit(cookies).exchange), JSON.stringify(cookies)).toBeNull()
  }
  const after = (seconds: number) => ({ ...ctx, now: new Date(ctx.now.getTime() + seconds * 1000) })
  const own = () => visit({ session: 'one', press: kept.press }).exchange
  expect(await findKeptPress(after(590), own())).toEqual(pressed)
  expect(await findKeptPress(after(602), own())).toBeNull()
})

test('a press that is not ours is none', async () => {
  const { press: kept } = await press({ session: 'one' })
  const [, signature] = kept.split('.')
  const plain = `9999999999.add.module:${uid}.${page}`
  const forged = Buffer.from(plain).toString('base64url')
  for (const value of [`${forged}.${signature}`, forged, '.', 'x.y', `${kept}x`, encodeURIComponent(plain)]) {
    expect(await findKeptPress(ctx, visit({ session: 'one', press: value }).exchange), value).toBeNull()
  }
})
