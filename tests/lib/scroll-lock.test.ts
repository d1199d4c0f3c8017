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

test('closed early, the page stays still until 1500 ms have passed', () => {
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

test('closed later, the page moves at once, and not before', () => {
  const page = aPage()
  const release = createScrollLock(page)()
  vi.advanceTimersByTime(60_000)
  expect(page.isStill).toBe(true)
  release()
  expect(page.isStill).toBe(false)
})

test('of two locks the last one lets go, and a lock is released once', () => {
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
