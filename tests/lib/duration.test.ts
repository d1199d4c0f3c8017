/** How long things take, in words. */
import { expect, test } from 'vitest'
import { durationInWords } from '~/lib/duration.ts'

test('a duration says its units, with seconds only below an hour', () => {
  for (const [seconds, words] of [
    [0, '0 s'],
    [0.4, '0 s'],
    [59.6, '1 min'],
    [60, '1 min'],
    [965, '16 min 5 s'],
    [3599, '59 min 59 s'],
    [3600, '1 h'],
    [205_862, '57 h 11 min'],
    [36_000_060, '10,000 h 1 min'],
  ] as const) {
    expect(durationInWords(seconds), String(seconds)).toBe(words)
  }
})
