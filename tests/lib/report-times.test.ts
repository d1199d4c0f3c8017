import { expect, test } from 'vitest'
import { shortPeriodOn } from '~/forms/scheduled-reports.ts'
import { lastDay, latestTime, nextTime, type ReportTimes } from '~/lib/report-times.ts'

const zone = 'America/New_York'
const next = (times: ReportTimes, after: string, timeZone = zone) =>
  nextTime(times, new Date(after), timeZone).toISOString()

const daily = (time: string): ReportTimes => ({ every: 'daily', day: null, time })

test('a report is due at its time by the clocks of the site, strictly after an instant', () => {
  expect(next(daily('08:00'), '2026-11-18T12:59:59Z')).toBe('2026-11-18T13:00:00.000Z')
  expect(next(daily('08:00'), '2026-11-18T13:00:00Z')).toBe('2026-11-19T13:00:00.000Z')
  // Already the next day in UTC.
  expect(next(daily('23:30'), '2026-11-19T02:00:00Z')).toBe('2026-11-19T04:30:00.000Z')
  const weekly = (day: number): ReportTimes => ({ every: 'weekly', day, time: '08:00' })
  // November 18, 2026, is a Wednesday.
  expect(next(weekly(3), '2026-11-18T10:00:00Z')).toBe('2026-11-18T13:00:00.000Z')
  expect(next(weekly(1), '2026-11-18T10:00:00Z')).toBe('2026-11-23T13:00:00.000Z')
  expect(next(weekly(7), '2026-11-18T10:00:00Z')).toBe('2026-11-22T13:00:00.000Z')
  const monthly = (day: number): ReportTimes => ({ every: 'monthly', day, time: '08:00' })
  expect(next(monthly(1), '2026-11-18T10:00:00Z')).toBe('2026-12-01T13:00:00.000Z')
  expect(next(monthly(28), '2027-01-29T10:00:00Z')).toBe('2027-02-28T13:00:00.000Z')
  expect(next(monthly(lastDay), '2028-02-10T10:00:00Z')).toBe('2028-02-29T13:00:00.000Z')
  expect(next(monthly(lastDay), '2026-12-31T13:00:00Z')).toBe('2027-01-31T13:00:00.000Z')
})

test('a time that the clocks skip is the next one that exists, and one that exists twice is due once', () => {
  // Clocks went from 2:00 to 3:00 on March 8, and from 2:00 back to 1:00 on November 1.
  expect(next(daily('02:30'), '2026-03-08T05:00:00Z')).toBe('2026-03-08T07:00:00.000Z')
  expect(next(daily('02:30'), '2026-03-08T07:00:00Z')).toBe('2026-03-09T06:30:00.000Z')
  expect(next(daily('01:30'), '2026-11-01T04:00:00Z')).toBe('2026-11-01T05:30:00.000Z')
  expect(next(daily('01:30'), '2026-11-01T05:30:00Z')).toBe('2026-11-02T06:30:00.000Z')
  // Samoa had no December 30, 2011.
  const skipped = next(daily('08:00'), '2011-12-29T20:00:00Z', 'Pacific/Apia')
  expect(skipped).toBe('2011-12-30T10:00:00.000Z')
  expect(next(daily('08:00'), skipped, 'Pacific/Apia')).toBe('2011-12-30T18:00:00.000Z')
})

test('each day of a year has one due time, in zones with and without summer time', () => {
  for (const timeZone of ['America/New_York', 'Europe/Zurich', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']) {
    for (const time of ['00:00', '01:30', '02:30', '23:30']) {
      let at = new Date('2025-12-31T12:00:00Z')
      const days = new Set<string>()
      for (let count = 0; count < 366; count++) {
        at = nextTime(daily(time), at, timeZone)
        days.add(new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at))
      }
      expect(days.size, `${timeZone} ${time}`).toBe(366)
    }
  }
})

test('of all that was missed, the last due time counts', () => {
  const first = new Date('2026-11-10T13:00:00Z')
  const latest = (now: string) => latestTime(daily('08:00'), first, new Date(now), zone).toISOString()
  expect(latest('2026-11-10T13:00:00Z')).toBe('2026-11-10T13:00:00.000Z')
  expect(latest('2026-11-17T12:59:00Z')).toBe('2026-11-16T13:00:00.000Z')
})

test('a monthly report whose period has hardly begun on its day says so', () => {
  expect(shortPeriodOn('this_month', '1')).toBe(
    'On day 1, This Month covers only one day. Choose Last Month in the report for the whole month.',
  )
  expect(shortPeriodOn('this_month', '7')).toContain('This Month covers only 7 days.')
  expect(shortPeriodOn('this_quarter', '2')).toContain('On day 2 of January, April, July and October')
  expect(shortPeriodOn('this_year', '1')).toBe('On day 1 of January, This Year covers only one day.')
  for (const day of ['8', '28', 'last', '']) expect(shortPeriodOn('this_month', day), day).toBe(null)
  for (const period of ['7days', 'last_month', 'all_time', null] as const) expect(shortPeriodOn(period, '1')).toBe(null)
})
