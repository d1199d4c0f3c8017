import { describe, expect, test } from 'vitest'
import { mayBeChance } from '~/lib/proportions.ts'

const share = (count: number, total: number) => ({ count, total })

describe('C-072 whether two shares may differ by chance', () => {
  test.each([
    // Large groups: the z test.
    [share(80, 100), share(20, 100), false],
    [share(55, 100), share(45, 100), true],
    [share(550, 1000), share(450, 1000), false],
    [share(64, 100), share(50, 100), false],
    [share(63, 100), share(50, 100), true],
    // Small groups: Fisher's exact test. Three of three against none of three happens one time in ten.
    [share(3, 3), share(0, 3), true],
    [share(4, 4), share(0, 4), false],
    [share(8, 10), share(2, 10), false],
    [share(7, 10), share(2, 10), true],
    [share(8, 1000), share(0, 1000), false],
    [share(4, 100_000), share(0, 100_000), true],
  ])('%o and %o: %s', (one, other, expected) => {
    expect(mayBeChance(one, other)).toBe(expected)
    expect(mayBeChance(other, one)).toBe(expected)
  })

  test.each([
    [share(0, 0), share(1, 2)],
    [share(0, 10), share(0, 10)],
    [share(10, 10), share(20, 20)],
  ])('nothing to compare: %o and %o', (one, other) => {
    expect(mayBeChance(one, other)).toBe(true)
  })
})
