/** Work after the answer: it runs in order, each piece alone, and only for pages that somebody has seen. */
import { expect, test } from 'vitest'
import { doAfterwards, onceSeen } from '~/http/afterwards.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'

function anExchange(method = 'GET', headers: Record<string, string> = {}) {
  const warned: string[] = []
  const log = { info: () => {}, warn: (_: object, text: string) => warned.push(text), error: () => {} }
  const memo = new Map<string, unknown>()
  const exchange = { method, memo, log, header: (name: string) => headers[name] } as unknown as Exchange
  const end = () => (memo.get('afterwards') as (() => Promise<void>) | undefined)?.()
  return { exchange, end, warned }
}

test('pieces of work run in order, and a failed one does not stop the others', async () => {
  const { exchange, end, warned } = anExchange()
  const done: string[] = []
  doAfterwards(exchange, async () => void done.push('first'))
  doAfterwards(exchange, async () => {
    throw new Error('the database is away')
  })
  doAfterwards(exchange, () => {
    throw new Error('at once')
  })
  onceSeen(exchange, async () => void done.push('last'))
  expect(done).toEqual([])
  await end()
  expect(done).toEqual(['first', 'last'])
  expect(warned).toHaveLength(2)
})

test.each([
  ['GET', {}, 1],
  ['HEAD', {}, 0],
  ['GET', { 'sec-purpose': 'prefetch' }, 0],
  ['GET', { 'sec-purpose': 'prefetch;prerender' }, 0],
  ['GET', { purpose: 'prefetch' }, 0],
])('after a %s with %j the page counts as seen %i times', async (method, headers, times) => {
  const { exchange, end } = anExchange(method, headers)
  let seen = 0
  onceSeen(exchange, async () => void seen++)
  await end()
  expect(seen).toBe(times)
})
