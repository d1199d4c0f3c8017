/**
 * Transcripts as people write them: a line for each thing that is said, with the time at which it begins.
 *
 *     00:04 The bar is what the disease costs people.
 */
import { type Cue, readCues } from './webvtt.ts'

export type TranscriptLine = { from: number; text: string }
export type LineFault = { line: number; reason: string }

export const transcriptLimits = { lines: 5000, text: 1000, characters: 200_000 }

/** The longest time that a line stays as a caption, in seconds. */
const longestCaption = 10
const mostSeconds = 24 * 60 * 60
const linePattern = /^\s*(\d[\d:.,]*)(?:\s+(.*))?$/su
const timePattern = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)(?:[.,](\d{1,3}))?$/

/** Null if this is not a time such as 4:07, 01:30.5 or 1:02:30. */
export function readTime(text: string): number | null {
  const [, hours, minutes, seconds, part] = timePattern.exec(text.trim()) ?? []
  if (minutes === undefined || (hours !== undefined && Number(minutes) > 59)) return null
  const time = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${part ?? 0}`)
  return time <= mostSeconds ? time : null
}

/** 01:30, and with tenths where they are needed: 01:30.5. Hours appear from the first hour on. */
export function writeTime(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(tenths / 36_000), (tenths / 600) % 60, (tenths / 10) % 60]
  const part = tenths % 10 === 0 ? '' : `.${tenths % 10}`
  return `${hours > 0 ? `${hours}:` : ''}${two(minutes)}:${two(rest)}${part}`
}

/** Reads the lines of a text, sorted by time. Empty lines count for nothing. Every fault is named, with its line. */
export function readTranscript(text: string): { lines: TranscriptLine[]; faults: LineFault[] } {
  const lines: TranscriptLine[] = []
  const faults: LineFault[] = []
  const written = text.replace(/\r\n?/g, '\n').split('\n')
  for (const [index, line] of written.entries()) {
    if (line.trim() === '') continue
    const [, stamp = '', words = ''] = linePattern.exec(line) ?? []
    const from = readTime(stamp)
    const reason = faultOf(from, words.trim())
    if (reason) faults.push({ line: index + 1, reason })
    else if (from !== null) lines.push({ from, text: words.replace(/\s+/g, ' ').trim() })
    if (lines.length > transcriptLimits.lines) {
      faults.push({
        line: index + 1,
        reason: `A transcript can have at most ${inWords(transcriptLimits.lines)} lines.`,
      })
      break
    }
  }
  return { lines: sorted(lines), faults }
}

/** What is wrong with a line of this time and text; null if it can be used. */
export function faultOf(from: number | null, text: string): string | null {
  if (from === null) return 'Begin with a time such as 01:30.'
  if (text === '') return 'Enter what is said at this time.'
  if (text.length > transcriptLimits.text) return `Enter at most ${inWords(transcriptLimits.text)} characters.`
  return null
}

export function writeTranscript(lines: TranscriptLine[]): string {
  return lines.map(({ from, text }) => `${writeTime(from)} ${text}`).join('\n')
}

/** Reads a file of captions or of lines with times. */
export function readTranscriptFile(fileName: string, text: string): { lines: TranscriptLine[]; faults: LineFault[] } {
  const content = text.replace(/^\ufeff/, '')
  if (!/\.vtt$/i.test(fileName) && !content.startsWith('WEBVTT')) return readTranscript(content)
  const read = readCues(content)
  if ('fault' in read) return { lines: [], faults: [read.fault] }
  return { lines: linesOf(read.cues), faults: [] }
}

/** Captions as lines of a transcript. */
export function linesOf(cues: Cue[]): TranscriptLine[] {
  return cues.map(({ from, text }) => ({ from, text }))
}

/** Makes captions of a transcript: each line stays until the next one begins, but not for long. */
export function cuesOf(lines: TranscriptLine[]): Cue[] {
  // Of several lines with one time, all are one caption.
  const merged: TranscriptLine[] = []
  for (const line of sorted(lines)) {
    const last = merged.at(-1)
    if (last?.from === line.from) last.text = `${last.text} ${line.text}`
    else merged.push({ ...line })
  }
  return merged.map(({ from, text }, index) => ({
    from,
    to: Math.min(from + longestCaption, merged[index + 1]?.from ?? Number.POSITIVE_INFINITY),
    text,
  }))
}

/** At most three faults, each with its line, and how many more there are. */
export function faultsInWords(faults: LineFault[]): string {
  const named = faults.slice(0, 3).map(({ line, reason }) => `Line ${inWords(line)}: ${reason}`)
  const more = faults.length - named.length
  if (more > 0) named.push(`${inWords(more)} more ${more === 1 ? 'line has' : 'lines have'} faults.`)
  return named.join(' ')
}

function sorted(lines: TranscriptLine[]): TranscriptLine[] {
  return [...lines].sort((one, other) => one.from - other.from)
}

function inWords(count: number): string {
  return count.toLocaleString('en')
}
