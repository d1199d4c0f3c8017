import { expect, test } from 'vitest'
import { onceAMinute } from '~/edge/once-a-minute.ts'

const at = (seconds: number) => new Date(seconds * 1000)

test('each key is allowed once a minute', () => {
  const may = onceAMinute()
  expect([may('a', at(0)), may('a', at(59)), may('b', at(59)), may('a', at(60)), may('a', at(61))]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
})

test('it remembers a limited number of keys and forgets the one that was allowed longest ago', () => {
  const may = onceAMinute(2)
  for (const key of ['a', 'b', 'c']) expect(may(key, at(0))).toBe(true)
  expect([may('b', at(1)), may('c', at(1)), may('a', at(1))]).toEqual([false, false, true])
})
