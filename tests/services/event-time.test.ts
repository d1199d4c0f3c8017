/** The time of an event, from what a statement says and what we know. */
import { expect, test } from 'vitest'
import { eventTime } from '~/services/cmi5/event-time.ts'

const launchedAt = new Date('2026-03-01T10:00:00Z')
const storedAt = new Date('2026-03-01T11:00:00.123Z')

test.each([
  [
    'between the launch and the arrival, the time is the unit’s timestamp',
    '2026-03-01T10:20:00.5Z',
    '2026-03-01T10:20:00.500Z',
  ],
  ['with a slow clock, the time is the launch', '2020-01-01T00:00:00Z', launchedAt.toISOString()],
  ['with a fast clock, the time is the arrival', '2031-01-01T00:00:00Z', storedAt.toISOString()],
  ['without a timestamp, the time is the arrival', undefined, storedAt.toISOString()],
])('%s', (_, timestamp, expected) => {
  expect(eventTime({ ...(timestamp && { timestamp }) }, { storedAt, launchedAt }).toISOString()).toBe(expected)
})

test('a statement of ours without a launch has its own timestamp as the time', () => {
  const at = eventTime({ timestamp: '2020-01-01T00:00:00Z' }, { storedAt, launchedAt: null })
  expect(at.toISOString()).toBe('2020-01-01T00:00:00.000Z')
})

test('a launch that our clock puts after the arrival of the statement changes nothing', () => {
  const late = new Date(storedAt.getTime() + 5)
  expect(eventTime({ timestamp: '2026-03-01T10:00:00Z' }, { storedAt, launchedAt: late })).toEqual(storedAt)
})
