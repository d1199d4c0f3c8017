import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createScrollLock } from '~/components/home/scroll-lock.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function aPage() {
  const page = { isStill: false, hold: () => {}, release: () => {} }
  page.hold = () => {
    page.isStill = true
  }
  page.release = () => {
    page.isStill = false
  }
  return page
}

test('L-185 after an early close, the page stays still until 1500 ms have passed', () => {
  const page = aPage()
  const release = createScrollLock(page)()
  expect(page.isStill).toBe(true)
  vi.advanceTimersByTime(400)
  release()
  vi.advanceTimersByTime(1099)
  expect(page.isStill).toBe(true)
  vi.advanceTimersByTime(1)
  expect(page.isStill).toBe(false)
})

test('after a late close, the page scrolls at once, and not before', () => {
  const page = aPage()
  const release = createScrollLock(page)()
  vi.advanceTimersByTime(60_000)
  expect(page.isStill).toBe(true)
  release()
  expect(page.isStill).toBe(false)
})

test('the last of two locks frees the page, and a lock is released only once', () => {
  const page = aPage()
  const lock = createScrollLock(page)
  const [first, second] = [lock(), lock()]
  vi.advanceTimersByTime(2000)
  first()
  first()
  expect(page.isStill).toBe(true)
  second()
  expect(page.isStill).toBe(false)
})
