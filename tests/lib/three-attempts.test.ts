import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { threeAttempts } from '~/browser/three-attempts.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns these answers one after the other, and notes the time of each call. */
function aServer(...statuses: (number | Error)[]) {
  const begin = Date.now()
  const times: number[] = []
  const call = async () => {
    times.push((Date.now() - begin) / 1000)
    const next = statuses.shift()
    if (next instanceof Error) throw next
    return new Response('x', { status: next })
  }
  return { call, times }
}

test('A-245 L-225 L-226 a 5xx is tried three times in all, after two and after four seconds, and each failure is reported', async () => {
  const { call, times } = aServer(503, 500, 502, 200)
  const failed: [number, number][] = []
  const answer = threeAttempts(call, { onFailed: ({ status }, attempt) => failed.push([status, attempt]) })
  await vi.runAllTimersAsync()
  expect((await answer).status).toBe(502)
  expect(times).toEqual([0, 2, 6])
  expect(failed).toEqual([
    [503, 1],
    [500, 2],
    [502, 3],
  ])
})

test('the first answer that is not a 5xx is returned, even if it is a refusal', async () => {
  const { call, times } = aServer(503, 422)
  const failed = vi.fn()
  const answer = threeAttempts(call, { onFailed: failed })
  await vi.runAllTimersAsync()
  expect((await answer).status).toBe(422)
  expect(times).toEqual([0, 2])
  expect(failed).toHaveBeenCalledTimes(1)
})

test('a request without any answer is not repeated', async () => {
  const { call, times } = aServer(new TypeError('Failed to fetch'), 200)
  const failed = vi.fn()
  await expect(threeAttempts(call, { onFailed: failed })).rejects.toThrow('Failed to fetch')
  expect(times).toEqual([0])
  expect(failed).not.toHaveBeenCalled()
})

test('a caller that retries by itself is called once, and its failure is reported', async () => {
  const { call, times } = aServer(500, 200)
  const failed = vi.fn()
  expect((await threeAttempts(call, { attempts: 1, onFailed: failed })).status).toBe(500)
  expect(times).toEqual([0])
  expect(failed).toHaveBeenCalledTimes(1)
})

test('nothing is repeated after the person has left the page', async () => {
  const { call, times } = aServer(500, 200)
  const going = new AbortController()
  const answer = threeAttempts(call, { signal: going.signal, onFailed: () => {} })
  const refused = expect(answer).rejects.toThrow('elsewhere')
  await vi.advanceTimersByTimeAsync(1_000)
  going.abort(new Error('elsewhere'))
  await refused
  await vi.runAllTimersAsync()
  expect(times).toEqual([0])
})
