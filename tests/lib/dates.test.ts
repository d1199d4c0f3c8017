import { expect, test } from 'vitest'
import { formatDate, formatDay, formatMoment } from '~/lib/dates.ts'

const late = new Date('2026-11-02T23:30:00Z')

test('days and moments are those of the site', () => {
  expect(formatDay(late, 'UTC')).toBe('2 Nov 2026')
  expect(formatDay(late, 'Asia/Tokyo')).toBe('3 Nov 2026')
  expect(formatMoment(late, 'UTC')).toBe('2 Nov 2026, 23:30')
})

test('dates of tables are month, day and year, on the site’s day', () => {
  expect(formatDate(late, 'UTC')).toBe('11/02/2026')
  expect(formatDate(late, 'Asia/Tokyo')).toBe('11/03/2026')
})
