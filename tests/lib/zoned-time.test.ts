import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayOf, instantsOf, isDay, isLocalTime, localTimeOf } from '~/lib/zoned-time.ts'

const berlin = 'Europe/Berlin'
const newYork = 'America/New_York'
const iso = (localTime: string, timeZone: string) => instantsOf(localTime, timeZone).map((date) => date.toISOString())

test('a local time is one instant in its zone', () => {
  expect(iso('2026-11-03T14:05', newYork)).toEqual(['2026-11-03T19:05:00.000Z'])
  expect(iso('2026-07-03T14:05', newYork)).toEqual(['2026-07-03T18:05:00.000Z'])
  expect(iso('2026-11-03T14:05:30', 'Asia/Kathmandu')).toEqual(['2026-11-03T08:20:30.000Z'])
  expect(iso('2024-02-29T00:00', 'UTC')).toEqual(['2024-02-29T00:00:00.000Z'])
})

test('a time that clocks skip has no instant, and a time that they show twice has two', () => {
  expect(iso('2026-03-29T02:30', berlin)).toEqual([])
  expect(iso('2026-03-29T03:00', berlin)).toEqual(['2026-03-29T01:00:00.000Z'])
  expect(iso('2026-10-25T02:30', berlin)).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
  expect(iso('2026-03-08T02:59', newYork)).toEqual([])
  expect(iso('2026-11-01T01:00', newYork)).toEqual(['2026-11-01T05:00:00.000Z', '2026-11-01T06:00:00.000Z'])
  // Half an hour, on Lord Howe Island.
  expect(iso('2026-10-04T02:15', 'Australia/Lord_Howe')).toEqual([])
  // A whole day, in Samoa.
  expect(iso('2011-12-30T12:00', 'Pacific/Apia')).toEqual([])
})

test('an invalid local time has no instant', () => {
  for (const text of ['', '2026-02-30T10:00', '2026-13-01T10:00', '2026-01-01T24:00', '2026-01-01', '26-01-01T10:00']) {
    expect(isLocalTime(text)).toBe(false)
    expect(instantsOf(text, berlin)).toEqual([])
  }
  expect(isDay('2026-02-28')).toBe(true)
  expect(isDay('2026-02-29')).toBe(false)
  expect(isDay('0000-01-01')).toBe(false)
})

test('every instant is found again from the local time', () => {
  const instants = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(instants, fc.constantFrom(berlin, newYork, 'Australia/Lord_Howe', 'Asia/Kolkata'), (date, timeZone) => {
      const whole = Math.floor(date.getTime() / 60_000) * 60_000
      const local = localTimeOf(new Date(whole), timeZone)
      expect(instantsOf(local, timeZone).map((found) => found.getTime())).toContain(whole)
      expect(dayOf(date, timeZone)).toBe(local.slice(0, 10))
    }),
  )
})
