/** WebVTT and transcripts as texts: what is read, and what is said about what cannot be read. */
import { expect, test } from 'vitest'
import {
  cuesOf,
  faultsInWords,
  readTime,
  readTranscript,
  readTranscriptFile,
  writeTime,
  writeTranscript,
} from '~/lib/transcript.ts'
import { faultInWords, parseCues, readCues, writeCues } from '~/lib/webvtt.ts'

const cue = (text: string, times = '00:01.000 --> 00:02.000') => `${times}\n${text}\n`
const file = (...blocks: string[]) => `WEBVTT\n\n${blocks.join('\n')}`
const faultOf = (text: string) => {
  const read = readCues(text)
  return 'fault' in read ? faultInWords(read.fault) : null
}

test('captions are read with names, settings, notes, styles, marks and any kind of line end', () => {
  const text = `\ufeffWEBVTT - Title
Kind: captions

NOTE made by hand
over two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.500 align:start position:0%
<v Ines>Hello</v> <c.loud>&amp; <i>welcome</i></c>
to you

01:00:00.000 --> 01:00:01.000
Later`
  for (const end of ['\n', '\r\n', '\r']) {
    expect(readCues(text.replaceAll('\n', end))).toEqual({
      cues: [
        { from: 1, to: 2.5, text: 'Hello & welcome to you' },
        { from: 3600, to: 3601, text: 'Later' },
      ],
    })
  }
})

test.each([
  ['<html><script>alert(1)</script>', 'Line 1: A WebVTT file begins with the word WEBVTT.'],
  ['', 'Line 1: A WebVTT file begins with the word WEBVTT.'],
  ['WEBVTT', 'Line 1: There are no captions in this file.'],
  [file(cue('a'), cue('b', '00:03 --> 00:04.000')), 'Line 6: “00:03” is not a time such as 00:01.000.'],
  [file(cue('a', '00:99.000 --> 01:00.000')), 'Line 3: “00:99.000” is not a time such as 00:01.000.'],
  [file(cue('a', '00:02.000 --> 00:01.000')), 'Line 3: The end must be later than the beginning.'],
  [file(cue('a', '00:02.000 --> 100:00:01.000')), 'Line 3: A film has at most 24 hours.'],
  [file(cue('a'), 'Only text\n'), 'Line 6: This block has no times such as 00:01.000 --> 00:04.000.'],
  [file(`${cue('a')}00:03.000 --> 00:04.000\nb`), 'Line 5: There must be an empty line before the next times.'],
  [file(cue('x'.repeat(1001))), 'Line 3: This text has more than 1,000 characters.'],
  [
    file(cue('a', `${'9'.repeat(100)}\u202e --> 00:01.000`)),
    `Line 3: “${'9'.repeat(40)}…” is not a time such as 00:01.000.`,
  ],
])('a broken file gets a sentence with its line: %j', (text, sentence) => {
  expect(faultOf(text)).toBe(sentence)
})

test('what older builds accepted is still shown: blocks that cannot be read are left out', () => {
  expect(parseCues(file(cue('a'), 'Only text\n', cue('b')))?.map(({ text }) => text)).toEqual(['a', 'b'])
})

test('hostile captions take no time and end in plain words', () => {
  const started = performance.now()
  for (const text of ['<'.repeat(900_000), `${'<a '.repeat(300_000)}`, '-->'.repeat(300_000), ' '.repeat(900_000)]) {
    readCues(file(cue(text)))
    readTranscript(`00:01 ${text}`)
    readTranscript(text)
  }
  expect(performance.now() - started).toBeLessThan(3000)
  const read = readCues(file(cue('<img src=x onerror=alert(1)><script>a</script>&lt;b&gt;')))
  expect(read).toMatchObject({ cues: [{ text: 'a<b>' }] })
})

test('what is written can be read again', () => {
  const cues = [{ from: 0.5, to: 59.999, text: 'a & b <c> --> d' }]
  expect(readCues(writeCues(cues))).toEqual({ cues: [{ ...cues[0], text: 'a & b <c> → d' }] })
  const lines = [
    { from: 0, text: 'One' },
    { from: 62.4, text: '2 things' },
    { from: 3725, text: 'Three' },
  ]
  expect(writeTranscript(lines)).toBe('00:00 One\n01:02.4 2 things\n1:02:05 Three')
  expect(readTranscript(writeTranscript(lines))).toEqual({ lines, faults: [] })
})

test('times are read as people write them', () => {
  expect(['4:07', '04:07', '1:04:07', '90:00', '00:01,5', '0:00.25'].map(readTime)).toEqual([
    247, 247, 3847, 5400, 1.5, 0.25,
  ])
  for (const text of ['', '7', '4:60', '1:60:00', '-1:00', '4:7', '１:００', '1:2:3:4', '99:59:59', 'a']) {
    expect([text, readTime(text)]).toEqual([text, null])
  }
  expect([59.96, 3599.96, 0].map(writeTime)).toEqual(['01:00', '1:00:00', '00:00'])
})

test('lines are sorted, and each fault is named with its line', () => {
  const { lines, faults } = readTranscript('\n00:09 Last\r\n00:01   First   word \nNo time\n00:02\n1:99 x\n5 y\n')
  expect(lines).toEqual([
    { from: 1, text: 'First word' },
    { from: 9, text: 'Last' },
  ])
  expect(faultsInWords(faults)).toBe(
    'Line 4: Begin with a time such as 01:30. Line 5: Enter what is said at this time. Line 6: Begin with a time such as 01:30. 1 more line has faults.',
  )
})

test('a file is read as captions or as lines, whatever it is called', () => {
  const vtt = file(cue('<b>Hello</b>'))
  const lines = [{ from: 1, text: 'Hello' }]
  expect(readTranscriptFile('a.vtt', vtt)).toEqual({ lines, faults: [] })
  expect(readTranscriptFile('a.txt', vtt)).toEqual({ lines, faults: [] })
  expect(readTranscriptFile('a.txt', '\ufeff00:01 Hello')).toEqual({ lines, faults: [] })
  expect(readTranscriptFile('a.vtt', '00:01 Hello').faults).toHaveLength(1)
})

test('captions made from a transcript stay until the next line, and no longer than ten seconds', () => {
  const lines = [
    { from: 0, text: 'a' },
    { from: 3, text: 'b' },
    { from: 3, text: 'c' },
    { from: 30, text: 'd' },
  ]
  expect(cuesOf(lines)).toEqual([
    { from: 0, to: 3, text: 'a' },
    { from: 3, to: 13, text: 'b c' },
    { from: 30, to: 40, text: 'd' },
  ])
})
