import { describe, expect, test } from 'vitest'
import {
  createEventGate,
  createHeartbeat,
  createProgressGate,
  fractionAt,
  isPlayed,
  percentOf,
  startOf,
} from '~/components/media/film-clock.ts'
import { viewedPath } from '~/components/media/viewed-path.ts'
import { cueIndexAt } from '~/lib/cue-at.ts'
import { formatDuration } from '~/lib/duration.ts'
import { readFilmAddress } from '~/lib/film-address.ts'
import { addPart, joinPlayed, maxParts, percentPlayed, readPlayed, writePlayed } from '~/lib/played.ts'
import { encodeUid } from '~/lib/uid.ts'
import { parseCues, writeCues } from '~/lib/webvtt.ts'

test('percent is rounded down and reaches 100 only at the end', () => {
  expect([0, 0.2, 19.9, 19.96, 20].map((at) => percentOf(fractionAt(at, 20)))).toEqual([0, 1, 99, 100, 100])
  expect([fractionAt(5, 0), fractionAt(5, Number.NaN), fractionAt(-1, 20)]).toEqual([0, 0, 0])
  expect(percentOf(0.29)).toBe(29)
})

test('A-162 a film continues at its stored place, or at its percent, and starts over if it was finished', () => {
  expect(startOf({ percent: 40, positionSeconds: 7.5 }, 20)).toBe(7.5)
  expect(startOf({ percent: 40, positionSeconds: 0 }, 20)).toBe(8)
  expect(startOf({ percent: 100, positionSeconds: 20 }, 20)).toBe(0)
  expect(startOf({ percent: 99, positionSeconds: 19.8 }, 20)).toBe(0)
  expect(startOf({ percent: 40, positionSeconds: 0 }, Number.NaN)).toBe(0)
})

test('A-160 A-276 a heartbeat comes after each ten seconds of playback, and jumps do not count', () => {
  const count = (positions: number[]) => {
    const beat = createHeartbeat()
    return positions.filter((position) => beat(position)).length
  }
  const steps = (from: number, to: number) => Array.from({ length: (to - from) * 4 + 1 }, (_, i) => from + i / 4)
  expect(count(steps(0, 25))).toBe(2)
  expect(count(steps(0, 9))).toBe(0)
  expect(count([...steps(0, 8), ...steps(100, 101)])).toBe(0)
  expect(count([...steps(0, 8), ...steps(100, 103)])).toBe(1)
  expect(count([...steps(0, 8), ...steps(0, 8)])).toBe(1)
})

describe('m9 what was played of a film', () => {
  test('counts each second of it once, whatever the order, and nothing that was jumped over', () => {
    let played = addPart([], 0, 4)
    played = addPart(played, 10, 12.34)
    expect(played).toEqual([
      [0, 40],
      [100, 123],
    ])
    expect(percentPlayed(played, 20)).toBe(31)
    played = addPart(addPart(played, 3, 5), 4, 10)
    expect(played).toEqual([[0, 123]])
    expect(addPart(played, 5, 5)).toEqual(played)
    expect(percentPlayed(addPart([], 19, 20), 20)).toBe(5)
    expect(joinPlayed([[5, 9]], [[0, 2]], [[2, 5]])).toEqual([[0, 9]])
  })

  test('is the whole film from 95 % on, and unknown without a length', () => {
    expect([18.9, 19, 20].map((to) => percentPlayed(addPart([], 0, to), 20))).toEqual([94, 100, 100])
    for (const length of [0, Number.NaN, Number.POSITIVE_INFINITY]) expect(percentPlayed([[0, 99]], length)).toBe(0)
  })

  test('is posted as text, which is read again; anything else is refused', () => {
    const parts = [
      [0, 40],
      [100, 123],
    ] as const
    expect(readPlayed(writePlayed(parts), 20)).toEqual(parts)
    expect(readPlayed('', 20)).toEqual([])
    expect(readPlayed('0-205', 20)).toEqual([[0, 205]])
    for (const text of [
      'x',
      '5',
      '-1-5',
      '5-5',
      '9-5',
      '0-9,5-20',
      '0-9,9-20',
      '20-30,0-5',
      '0-211',
      '0-1e9',
      '0-5,',
    ]) {
      expect(readPlayed(text, 20), text).toBeNull()
    }
    const many = Array.from({ length: maxParts + 1 }, (_, i) => [i * 2, i * 2 + 1] as const)
    expect(readPlayed(writePlayed(many), null)).toBeNull()
    expect(readPlayed(writePlayed(many.slice(1)), null)).toHaveLength(maxParts)
  })

  test('a step is playing at sixteen times the speed, and not a jump of five seconds or backwards', () => {
    expect([isPlayed(0, 0.25), isPlayed(0, 4), isPlayed(0, 5), isPlayed(3, 2), isPlayed(3, 3)]).toEqual([
      ...[true, true, false, false, false],
    ])
  })
})

describe('progress', () => {
  const play = (seconds: number, length: number) => {
    let time = 0
    const gate = createProgressGate(() => time)
    const reports: number[] = []
    for (; time <= seconds * 1000; time += 250) {
      const place = { percent: percentOf(fractionAt(time / 1000, length)), positionSeconds: time / 1000 }
      if (gate.at(place)) reports.push(time)
    }
    return { reports, gate }
  }

  const gaps = (reports: number[]) => reports.slice(1).map((at, i) => at - (reports[i] ?? 0))

  test('A-235 is reported at most every three seconds', () => {
    const { reports } = play(20, 40)
    expect(reports.length).toBeGreaterThan(5)
    expect(Math.min(...gaps(reports))).toBeGreaterThanOrEqual(3000)
  })

  test('A-235 of a long film is reported at least every thirty seconds', () => {
    const { reports } = play(120, 100_000)
    expect(Math.max(...gaps(reports))).toBeLessThanOrEqual(30_000)
    expect(reports.length).toBe(5)
  })

  test('A-235 that was not reported is reported once at the end', () => {
    const { gate } = play(2, 40)
    expect(gate.flush()).toEqual({ percent: 5, positionSeconds: 2 })
    expect(gate.flush()).toBeNull()
  })

  test('that did not arrive is reported again, unless there is a later place', () => {
    const { gate } = play(2, 40)
    const last = gate.flush()
    if (!last) throw new Error('nothing was reported')
    gate.restore(last)
    expect(gate.flush()).toEqual(last)
    gate.at({ percent: 50, positionSeconds: 20 })
    gate.restore(last)
    expect(gate.flush()).toEqual({ percent: 50, positionSeconds: 20 })
    gate.restore(last)
    expect(gate.flush()).toBeNull()
  })
})

test('A-275 an event is sent at most every three seconds, and other events are sent beside it', () => {
  let time = 0
  const may = createEventGate(() => time)
  expect([may('a'), may('a'), may('b')]).toEqual([true, false, true])
  time = 2999
  expect(may('a')).toBe(false)
  time = 3000
  expect(may('a')).toBe(true)
})

test('A-090 durations show hours only from 3600 seconds on', () => {
  expect([0, 247, 3599, 3600, 3661, 36_000.9].map(formatDuration)).toEqual([
    ...['00:00', '04:07', '59:59', '60:00', '01:01:01', '10:00:00'],
  ])
})

test.each([
  ['https://vimeo.com/123456', 'https://player.vimeo.com/video/123456', '123456'],
  ['https://vimeo.com/123456/abc123', 'https://player.vimeo.com/video/123456?h=abc123', '123456'],
  ['https://player.vimeo.com/video/123456?h=abc123&x=1', 'https://player.vimeo.com/video/123456?h=abc123', '123456'],
  [
    '<iframe width="1" src="https://player.vimeo.com/video/9?h=ab&amp;dnt=1"></iframe>',
    'https://player.vimeo.com/video/9?h=ab',
    '9',
  ],
  ['https://films.example/a.mp4', 'https://films.example/a.mp4', 'https://films.example/a.mp4'],
  ['/films/a-b.mp4', '/films/a-b.mp4', '/films/a-b.mp4'],
])('%s is the address of a film', (text, address, asset) => {
  expect(readFilmAddress(text)).toMatchObject({ address, asset })
})

test.each([
  'javascript:alert(1)',
  'data:video/mp4;base64,AAAA',
  '',
  'film.mp4',
  '//evil.example/a.mp4',
  '/films/../x.mp4',
  'https://user:secret@films.example/a.mp4',
  'https://vimeo.com/about',
  '<iframe src="javascript:alert(1)"></iframe>',
])('%s is not the address of a film', (text) => expect(readFilmAddress(text)).toBeNull())

test('captions are read with their markup, hours and faults, and a rewritten file reads the same', () => {
  const file =
    '\ufeffWEBVTT a title\r\n\r\nNOTE hidden\r\n\r\n1\r\n00:05.000 --> 00:07.500 align:start\r\n<v Ada>Two &lt; three</v>\r\nlines\r\n\r\n01:00:00.000 --> 01:00:01.000\r\nLate\r\n\r\n00:09.000 --> 00:08.000\r\nBackwards\r\n\r\n00:01.000 --> 00:02.000\r\nFirst\r\n'
  const cues = parseCues(file)
  expect(cues).toEqual([
    { from: 1, to: 2, text: 'First' },
    { from: 5, to: 7.5, text: 'Two < three lines' },
    { from: 3600, to: 3601, text: 'Late' },
  ])
  expect(parseCues(writeCues(cues ?? []))).toEqual(cues)
  expect(parseCues('WEBVTTX\n')).toBeNull()
  expect(parseCues('<html>')).toBeNull()
  expect([0, 1, 4, 5, 9999].map((at) => cueIndexAt(cues ?? [], at))).toEqual([-1, 0, 0, 1, 2])
})

test('a page view does not contain a token of an account', () => {
  const uid = '1381b66c-ea46-819a-8973-8ef38ef30bff'
  expect(
    [
      `/reset-password/${uid}/abcdef/`,
      '/confirm-invitation/MTIz/secret/',
      `/keep-address/${encodeUid(uid)}/${'Secret7Token-x'.repeat(3)}x/`,
      `/lectures/${uid}/`,
      '/glossary/ic-fifty/',
      '/x/Secret7Token/',
      '/',
    ].map(viewedPath),
  ).toEqual([
    '/reset-password/',
    '/confirm-invitation/',
    '/keep-address/:id/:id/',
    `/lectures/${uid}/`,
    '/glossary/ic-fifty/',
    '/x/:id/',
    '/',
  ])
})
