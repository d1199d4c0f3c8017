import { expect, test } from 'vitest'
import { daysOfPeriod } from '~/lib/report-period.ts'

test.each([
  ['7days', '2026-03-03', '2026-02-25', null],
  ['this_month', '2026-03-31', '2026-03-01', null],
  ['last_month', '2026-03-31', '2026-02-01', '2026-03-01'],
  ['last_month', '2026-01-15', '2025-12-01', '2026-01-01'],
  ['this_quarter', '2026-01-31', '2026-01-01', null],
  ['this_quarter', '2026-11-28', '2026-10-01', null],
  ['this_year', '2026-11-28', '2026-01-01', null],
  ['all_time', '2026-11-28', null, null],
] as const)('C-275 %s on %s begins on %s', (period, today, from, until) => {
  expect(daysOfPeriod(period, today)).toEqual({ from, until })
})
