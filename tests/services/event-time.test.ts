/** When something happened, of what a statement says and of what we know. */
import { expect, test } from 'vitest'
import { eventTime } from '~/services/cmi5/event-time.ts'

const launchedAt = new Date('2026-03-01T10:00:00Z')
const storedAt = new Date('2026-03-01T11:00:00.123Z')

test.each([
  ['between the launch and its arrival it is as the unit says', '2026-03-01T10:20:00.5Z', '2026-03-01T10:20:00.500Z'],
  ['with a clock that is slow it is the launch', '2020-01-01T00:00:00Z', launchedAt.toISOString()],
  ['with a clock that is fast it is the arrival', '2031-01-01T00:00:00Z', storedAt.toISOString()],
  ['without a time it is the arrival', undefined, storedAt.toISOString()],
])('%s', (_, timestamp, expected) => {
  expect(eventTime({ ...(timestamp && { timestamp }) }, { storedAt, launchedAt }).toISOString()).toBe(expected)
})

test('a statement of ours, without a launch, is as old as it says', () => {
  const at = eventTime({ timestamp: '2020-01-01T00:00:00Z' }, { storedAt, launchedAt: null })
  expect(at.toISOString()).toBe('2020-01-01T00:00:00.000Z')
})

test('a launch that our own clock puts after the arrival changes nothing about that', () => {
  const late = new Date(storedAt.getTime() + 5)
  expect(eventTime({ timestamp: '2026-03-01T10:00:00Z' }, { storedAt, launchedAt: late })).toEqual(storedAt)
})
