/** The parts of WebVTT that captions need: cues with their times, and the plain words. */
export type Cue = { from: number; to: number; text: string }

/** What keeps a file from being used, with the line of the file that it is in. */
export type CueFault = { line: number; reason: string }

const most = 10_000
/** Nobody can read a longer caption while it is shown. */
const longestText = 1000
const stampPattern = /^(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}$/
/** A day: longer than any film that is accepted. */
const mostSeconds = 86_400
const blockWithoutCue = /^(NOTE|STYLE|REGION)(?:[ \t]|$)/

type Line = { number: number; text: string }

/**
 * Reads a WebVTT file that somebody gives us. A file in which anything cannot be read has a fault and no cues: captions
 * that are missing in the middle of a film would be noticed by those who depend on them, and by nobody else.
 */
export function readCues(file: string): { cues: Cue[] } | { fault: CueFault } {
  const read = readBlocks(file)
  if (!read) return faultAt(1, 'A WebVTT file begins with the word WEBVTT.')
  const { cues, fault } = read
  if (fault) return { fault }
  return cues.length > 0 ? { cues } : faultAt(1, 'There are no captions in this file.')
}

/** Null if the file is not WebVTT. Skips invalid blocks, as browsers do. */
export function parseCues(file: string): Cue[] | null {
  return readBlocks(file)?.cues ?? null
}

/** All cues that can be read, and the first fault. */
function readBlocks(file: string): { cues: Cue[]; fault: CueFault | null } | null {
  const lines = file
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '')) return null
  const cues: Cue[] = []
  let fault: CueFault | null = null
  for (const block of blocksOf(lines)) {
    const [first] = block
    if (!first || blockWithoutCue.test(first.text)) continue
    const cue = cueOf(block)
    if ('fault' in cue) {
      fault ??= cue.fault
      continue
    }
    if (cues.length === most) {
      fault ??= { line: first.number, reason: `Captions can have at most ${most.toLocaleString('en')} cues.` }
      break
    }
    if (cue.text !== '') cues.push(cue)
  }
  return { cues: cues.sort((one, other) => one.from - other.from), fault }
}

/** "Line 4: …" */
export function faultInWords({ line, reason }: CueFault): string {
  return `Line ${line.toLocaleString('en')}: ${reason}`
}

/** The blocks after the header. Empty lines end a block, whatever is in it. */
function blocksOf(lines: string[]): Line[][] {
  const blocks: Line[][] = [[]]
  for (const [index, text] of lines.entries()) {
    if (text === '') blocks.push([])
    else blocks.at(-1)?.push({ number: index + 1, text })
  }
  return blocks.slice(1)
}

function cueOf(block: Line[]): Cue | { fault: CueFault } {
  // The first line may be a name of the cue.
  const at = block.findIndex(({ text }) => text.includes('-->'))
  const timing = block[at]
  if (!timing || at > 1)
    return faultAt(block[0]?.number ?? 1, 'This block has no times such as 00:01.000 --> 00:04.000.')
  const [begin = '', rest = ''] = timing.text.split('-->', 2)
  const [from, to] = [begin.trim(), rest.trim().split(/[ \t]+/, 1)[0] ?? '']
  for (const stamp of [from, to]) {
    if (!stampPattern.test(stamp)) return faultAt(timing.number, `“${shown(stamp)}” is not a time such as 00:01.000.`)
  }
  const cue = { from: secondsOf(from), to: secondsOf(to) }
  if (cue.to <= cue.from) return faultAt(timing.number, 'The end must be later than the beginning.')
  if (cue.to > mostSeconds) return faultAt(timing.number, 'A film has at most 24 hours.')
  const again = block.slice(at + 1).find(({ text }) => text.includes('-->'))
  if (again) return faultAt(again.number, 'There must be an empty line before the next times.')
  const text = plain(
    block
      .slice(at + 1)
      .map((line) => line.text)
      .join(' '),
  )
  if (text.length > longestText) {
    return faultAt(timing.number, `This text has more than ${longestText.toLocaleString('en')} characters.`)
  }
  return { ...cue, text }
}

function faultAt(line: number, reason: string): { fault: CueFault } {
  return { fault: { line, reason } }
}

/** A part of the file in a sentence. */
function shown(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}]/gu, '')
  return clean.length > 40 ? `${clean.slice(0, 40)}…` : clean
}

export function writeCues(cues: Cue[]): string {
  const blocks = cues.map(({ from, to, text }) => `${stamp(from)} --> ${stamp(to)}\n${escaped(text)}\n`)
  return `WEBVTT\n\n${blocks.join('\n')}`
}

/** The spoken words, for search and for reading. */
export function transcriptOf(cues: Pick<Cue, 'text'>[]): string {
  return cues.map(({ text }) => text).join('\n')
}

function secondsOf(stamp: string): number {
  return stamp.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}

function stamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const [hours, minutes] = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60]
  return `${two(hours)}:${two(minutes)}:${two((milliseconds / 1000) % 60)}.${String(milliseconds % 1000).padStart(3, '0')}`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/-->/g, '→')
    .replace(/\n{2,}/g, '\n')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' }

/** Removes the marks for voice, class and style. */
function plain(text: string): string {
  return text
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}
