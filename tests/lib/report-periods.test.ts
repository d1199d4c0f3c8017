/** The periods of reports, against what `Intl` says about every day. */
import { expect, test } from 'vitest'
import {
  intervalsOf,
  periodBefore,
  type ReportInterval,
  type ReportPeriodName,
  reportIntervals,
  reportPeriod,
  reportPeriods,
} from '~/lib/report-periods.ts'

const hour = 3_600_000
// Zones with and without summer time, at both ends of the day, with half hours, and with clocks that skip midnight.
const zones = [
  'UTC',
  'America/New_York',
  'America/Los_Angeles',
  'America/Santiago',
  'America/St_Johns',
  'Europe/Berlin',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
]
/** In each zone at another time, on days around the changes of the clocks and the ends of months and years. */
const moments = [
  '2026-03-29T12:30:00Z',
  '2026-11-01T06:30:00Z',
  '2026-03-08T10:30:00Z',
  '2026-09-06T04:30:00Z',
  '2027-01-01T00:30:00Z',
  '2026-10-25T00:30:00Z',
  '2026-04-24T00:30:00Z',
  '2026-12-31T23:30:00Z',
  '2026-03-28T23:30:00Z',
  '2026-04-04T16:30:00Z',
  '2028-02-29T13:30:00Z',
  '2026-06-30T09:59:59Z',
].map((text) => new Date(text))

/** The local dates of a zone with the instants at which they begin, by looking at every quarter of an hour near midnight. */
function calendarOf(timeZone: string, from: number, to: number): { day: string; weekday: string; start: number }[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  const weekday = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' })
  const days: { day: string; weekday: string; start: number }[] = []
  const dayAt = (instant: number) => format.format(instant)
  for (let instant = from, before = dayAt(from); instant < to; instant += hour) {
    const here = dayAt(instant + hour)
    if (here === before) continue
    // All zones change their clocks at a quarter of an hour.
    let start = instant
    while (dayAt(start) !== here) start += hour / 4
    days.push({ day: here, weekday: weekday.format(start), start })
    before = here
  }
  return days
}

const hourOf = (instant: Date) => Math.floor(instant.getTime() / hour) * hour

const calendars = zones.map((zone, index) => {
  const now = moments[index] as Date
  return { zone, now, days: calendarOf(zone, hourOf(now) - 460 * 24 * hour, hourOf(now) + 3 * 24 * hour) }
})

type Expected = { from: number | null; to: number; starts: number[] }

/** The same with nothing but the list of days. All time begins 400 days before. */
function expected(period: ReportPeriodName, interval: ReportInterval, { now, days }: (typeof calendars)[0]): Expected {
  const today = days.findLastIndex(({ start }) => start <= now.getTime())
  const { day = '' } = days[today] ?? {}
  const month = day.slice(0, 7)
  const lastMonth = days.findLast((one) => one.day < `${month}-01`)?.day.slice(0, 7) ?? ''
  const quarterOf = (text: string) => `${text.slice(0, 4)} ${Math.ceil(Number(text.slice(5, 7)) / 3)}`
  const isIn = (one: string, index: number) => {
    if (index > today) return false
    if (period === '7days') return index > today - 7
    if (period === 'this_month') return one.startsWith(month)
    if (period === 'last_month') return one.startsWith(lastMonth)
    if (period === 'this_quarter') return quarterOf(one) === quarterOf(day)
    if (period === 'this_year') return one.startsWith(day.slice(0, 4))
    return index > today - 400
  }
  const found = days.filter((one, index) => isIn(one.day, index))
  const after = days[days.indexOf(found.at(-1) as (typeof days)[0]) + 1]
  const isStart = (one: (typeof days)[0], index: number) =>
    index === 0 || interval === 'daily' || (interval === 'weekly' ? one.weekday === 'Mon' : one.day.endsWith('-01'))
  return {
    from: period === 'all_time' ? null : (found[0]?.start ?? 0),
    to: after?.start ?? 0,
    starts: found.filter(isStart).map(({ start }) => start),
  }
}

test('C-275 C-113 six periods and three intervals agree with Intl in twelve time zones', () => {
  let compared = 0
  for (const calendar of calendars) {
    const { zone: timeZone, now, days } = calendar
    for (const name of reportPeriods) {
      for (const interval of reportIntervals) {
        const wanted = expected(name, interval, calendar)
        const period = reportPeriod(name, { now, timeZone })
        const today = days.findLastIndex(({ start }) => start <= now.getTime())
        const firstDay = period.firstDay ?? days[today - 399]?.day ?? ''
        const intervals = intervalsOf({ firstDay, lastDay: period.lastDay }, interval, timeZone)
        const found: Expected = {
          from: period.from?.getTime() ?? null,
          to: period.to.getTime(),
          starts: intervals.map(({ from }) => from.getTime()),
        }
        expect(found, `${timeZone} ${name} ${interval}`).toEqual(wanted)
        // One follows the other without a gap, and the last one ends with the period.
        expect(intervals.map(({ to }) => to.getTime())).toEqual([...wanted.starts.slice(1), wanted.to])
        compared++
      }
    }
  }
  expect(compared).toBe(216)
})

test('days with 23 and 25 hours are whole days', () => {
  const hours = (now: string, timeZone: string) => {
    const { lastDay } = reportPeriod('7days', { now: new Date(now), timeZone })
    const [day] = intervalsOf({ firstDay: lastDay, lastDay }, 'daily', timeZone)
    return day ? (day.to.getTime() - day.from.getTime()) / hour : 0
  }
  expect(hours('2026-03-29T12:00:00Z', 'Europe/Berlin')).toBe(23)
  expect(hours('2026-10-25T12:00:00Z', 'Europe/Berlin')).toBe(25)
  // The clocks skip midnight here.
  expect(hours('2026-09-06T12:00:00Z', 'America/Santiago')).toBe(23)
  expect(hours('2026-10-04T12:00:00Z', 'Australia/Lord_Howe')).toBe(23.5)
})

test('a day that the clocks skip is no interval', () => {
  const days = intervalsOf({ firstDay: '2011-12-28', lastDay: '2012-01-01' }, 'daily', 'Pacific/Apia')
  expect(days.map(({ firstDay }) => firstDay)).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01'])
})

test('the period before ends where the period begins, or has as many days', () => {
  const before = (name: ReportPeriodName, day: string) => {
    const period = periodBefore(reportPeriod(name, { now: new Date(`${day}T12:00:00Z`), timeZone: 'UTC' }), 'UTC')
    return period && `${period.firstDay} ${period.lastDay}`
  }
  expect(before('7days', '2026-03-03')).toBe('2026-02-18 2026-02-24')
  expect(before('this_month', '2026-03-31')).toBe('2026-02-01 2026-02-28')
  expect(before('this_month', '2026-01-02')).toBe('2025-12-01 2025-12-02')
  expect(before('last_month', '2026-03-15')).toBe('2026-01-01 2026-01-31')
  expect(before('last_month', '2026-01-15')).toBe('2025-11-01 2025-11-30')
  expect(before('this_quarter', '2026-02-10')).toBe('2025-10-01 2025-11-10')
  expect(before('this_quarter', '2026-12-31')).toBe('2026-07-01 2026-09-30')
  expect(before('this_year', '2026-11-28')).toBe('2025-01-01 2025-11-28')
  expect(before('all_time', '2026-11-28')).toBe(null)
})
