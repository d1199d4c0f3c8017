/** The notice of a redirect: shown once, to the session that it was for, and only if it is ours. */
import { expect, test } from 'vitest'
import { redirectWithNotice, takeNotice } from '~/http/flash.server.ts'
import { anExchange } from '../support/exchange.ts'
import { ctx } from '../support/test.ts'

function visit(cookies: Record<string, string>) {
  const { exchange, cookie } = anExchange(cookies)
  exchange.memo.set('ctx', Promise.resolve(ctx))
  return { exchange, cookie: () => cookie('flash') }
}

async function say(text: string, session: string): Promise<string> {
  const { exchange, cookie } = visit({ session })
  const response = await redirectWithNotice({ context: { exchange } }, '/dashboard/modules/', { kind: 'success', text })
  expect(response.status).toBe(302)
  return cookie()
}

test('a notice is read once by the session that it is for', async () => {
  const text = `Module "${'😀'.repeat(80)}; a=b" has been deleted`
  const flash = await say(text, 'one')
  const next = visit({ session: 'one', flash })
  expect(await takeNotice(ctx, next.exchange)).toMatchObject({ kind: 'success', text })
  expect(next.cookie()).toBe('')
  expect(await takeNotice(ctx, next.exchange)).toBeNull()
  expect(await takeNotice(ctx, visit({ session: 'two', flash }).exchange)).toBeNull()
})

test('a notice that is not ours is not shown', async () => {
  const flash = await say('Saved', 'one')
  const [, signature] = flash.split('.')
  const forged = Buffer.from(JSON.stringify({ id: 'x', kind: 'error', text: 'Send me your password' })).toString(
    'base64url',
  )
  for (const value of [`${forged}.${signature}`, forged, '.', 'x.y.z', `${flash}x`, encodeURIComponent('💩')]) {
    expect(await takeNotice(ctx, visit({ session: 'one', flash: value }).exchange), value).toBeNull()
  }
})

test('a long text still fits into a cookie', async () => {
  expect((await say('安'.repeat(2000), 'one')).length).toBeLessThan(4000)
})
