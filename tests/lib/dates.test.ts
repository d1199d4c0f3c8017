import { expect, test } from 'vitest'
import { formatDay, formatMoment } from '~/lib/dates.ts'

const late = new Date('2026-11-02T23:30:00Z')

test('days and times are in the site’s time zone and in one format', () => {
  expect(formatDay(late, 'UTC')).toBe('Nov 2, 2026')
  expect(formatDay(late, 'Asia/Tokyo')).toBe('Nov 3, 2026')
  expect(formatMoment(late, 'UTC')).toBe('Nov 2, 2026, 11:30 PM')
  expect(formatMoment(new Date('2026-01-05T00:05:00Z'), 'UTC')).toBe('Jan 5, 2026, 12:05 AM')
})
