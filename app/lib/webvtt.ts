/** The parts of WebVTT that captions need: cues with their times, and the plain words. */
export type Cue = { from: number; to: number; text: string }

const most = 10_000
const timing = /^((?:\d{2,}:)?\d{2}:\d{2}\.\d{3})[ \t]+-->[ \t]+((?:\d{2,}:)?\d{2}:\d{2}\.\d{3})/

/** Null if the file is not WebVTT. Skips invalid blocks, as browsers do. */
export function parseCues(file: string): Cue[] | null {
  const text = file.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  if (!/^WEBVTT(?:[ \t\n]|$)/.test(text)) return null
  const cues: Cue[] = []
  for (const block of text.split(/\n{2,}/)) {
    const lines = block.split('\n')
    const at = lines.findIndex((line) => timing.test(line))
    const [, from, to] = timing.exec(lines[at] ?? '') ?? []
    if (from === undefined || to === undefined) continue
    const cue = { from: secondsOf(from), to: secondsOf(to), text: plain(lines.slice(at + 1).join(' ')) }
    if (cue.text !== '' && cue.to > cue.from) cues.push(cue)
    if (cues.length === most) break
  }
  return cues.sort((one, other) => one.from - other.from)
}

export function writeCues(cues: Cue[]): string {
  const blocks = cues.map(({ from, to, text }) => `${stamp(from)} --> ${stamp(to)}\n${escaped(text)}\n`)
  return `WEBVTT\n\n${blocks.join('\n')}`
}

/** The spoken words, for search and for reading. */
export function transcriptOf(cues: Cue[]): string {
  return cues.map(({ text }) => text).join('\n')
}

/** The cue at a moment: the last one that has started; -1 before the first. */
export function cueIndexAt(cues: Pick<Cue, 'from'>[], seconds: number): number {
  return cues.findLastIndex(({ from }) => from <= seconds + 0.05)
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
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}
