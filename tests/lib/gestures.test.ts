import { expect, test } from 'vitest'
import { nearestIndex, swipeTarget } from '~/components/home/gestures.ts'

test('L-188 the nearest step is found by horizontal distance, also beyond the ends', () => {
  const steps = [50, 150, 250, 350]
  expect([0, 99, 101, 250, 301, 5000].map((x) => nearestIndex(steps, x))).toEqual([0, 0, 1, 2, 3, 3])
  expect(nearestIndex(steps, 100)).toBe(0)
  expect(nearestIndex([], 7)).toBe(0)
})

test('L-192 a swipe longer than 50 px moves one card, but not past the ends', () => {
  expect(swipeTarget(-51, 0, 3)).toBe(1)
  expect(swipeTarget(-50, 0, 3)).toBe(0)
  expect(swipeTarget(51, 1, 3)).toBe(0)
  expect(swipeTarget(50, 1, 3)).toBe(1)
  expect(swipeTarget(-600, 1, 3)).toBe(2)
  expect(swipeTarget(-60, 2, 3)).toBe(2)
  expect(swipeTarget(60, 0, 3)).toBe(0)
})
