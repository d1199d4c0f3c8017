/** Work that waits for its turn. */
import { expect, test } from 'vitest'
import { turns } from '~/lib/turns.ts'

const refusal = () => new Error('busy')

test('so much runs at once, and the rest in its order', async () => {
  const { run } = turns({ running: 2, waiting: 10, refusal })
  const [begun, ends]: [number[], (() => void)[]] = [[], []]
  const work = (n: number) => () =>
    new Promise<number>((resolve) => {
      begun.push(n)
      ends[n] = () => resolve(n)
    })
  const all = Array.from({ length: 5 }, (_, n) => run(work(n)))
  await expect.poll(() => begun).toEqual([0, 1])
  ends[1]?.()
  expect(await all[1]).toBe(1)
  await expect.poll(() => begun).toEqual([0, 1, 2])
  for (const n of [0, 2, 3, 4]) {
    await expect.poll(() => begun).toContain(n)
    ends[n]?.()
  }
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4])
})

test('what fails gives its turn to the next, and what comes after so much that waits is refused', async () => {
  const { take, run } = turns({ running: 1, waiting: 1, refusal })
  const first = run(() => Promise.reject(new Error('failed')))
  const second = run(async () => 'done')
  await expect(run(async () => 'late')).rejects.toThrow('busy')
  await expect(first).rejects.toThrow('failed')
  expect(await second).toBe('done')
  expect(await run(async () => 'again')).toBe('again')
  const [end, gone] = [await take(), new AbortController()]
  const left = expect(take({ signal: gone.signal })).rejects.toThrow('left')
  gone.abort(new Error('left'))
  await left
  const after = run(async () => 'after')
  end()
  end()
  expect(await after).toBe('after')
  expect(await Promise.all([run(async () => 1), run(async () => 2)]), 'an end that is repeated frees nothing').toEqual([
    1, 2,
  ])
})

test('one person holds only so much of it, also of what waits, and who leaves the line makes room', async () => {
  const { take } = turns({ running: 1, waiting: 5, ofOne: 2, refusal })
  const gone = new AbortController()
  const end = await take({ who: 'a' })
  const left = expect(take({ who: 'a', signal: gone.signal })).rejects.toThrow('left')
  await expect(take({ who: 'a' })).rejects.toThrow('busy')
  const others = take({ who: 'b' })
  gone.abort(new Error('left'))
  await left
  const next = take({ who: 'a' })
  end()
  end()
  const endOfOthers = await others
  endOfOthers()
  const endOfNext = await next
  endOfNext()
  expect(await take({ who: 'a' })).toBeTypeOf('function')
})
