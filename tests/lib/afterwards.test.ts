/** What is left for after the answer: in its order, each on its own, and only of what somebody has seen. */
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

test('works are done in their order, and one that fails takes nothing from the others', async () => {
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
])('of a %s with %j it is seen %i times', async (method, headers, times) => {
  const { exchange, end } = anExchange(method, headers)
  let seen = 0
  onceSeen(exchange, async () => void seen++)
  await end()
  expect(seen).toBe(times)
})
