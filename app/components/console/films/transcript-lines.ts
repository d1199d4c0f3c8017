/** The lines of the transcript editor: as typed, until they can be read. */
import { readTime, type TranscriptLine, writeTime } from '~/lib/transcript.ts'

export type EditorLine = { id: number; time: string; text: string }

let lastId = 0

export function newLine(time: string, text = ''): EditorLine {
  lastId += 1
  return { id: lastId, time, text }
}

export function editorLines(lines: TranscriptLine[]): EditorLine[] {
  return lines.map(({ from, text }) => newLine(writeTime(from), text))
}

/** Reads the text of the field as lines, also those with faults. Empty lines count for nothing. */
export function splitLines(text: string): EditorLine[] {
  return text
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, time = '', words = ''] = /^\s*(\d[\d:.,]*)?\s*(.*)$/su.exec(line) ?? []
      return readTime(time) === null ? newLine('', line.trim()) : newLine(time, words.trim())
    })
}

/** Writes what the form sends: a line for each line of the editor, so that the server's faults name the same ones. */
export function joinLines(lines: EditorLine[]): string {
  return lines
    .map(({ time, text }) => `${time.trim()} ${text.replace(/\s+/g, ' ').trim()}`.trim())
    .join('\n')
    .trimEnd()
}

/** Sorts by time. Lines whose time cannot be read stay behind the line that they follow. */
export function sortLines(lines: EditorLine[]): EditorLine[] {
  let last = 0
  const keyed = lines.map((line, place) => {
    last = readTime(line.time) ?? last
    return { line, place, time: last }
  })
  return keyed.sort((one, other) => one.time - other.time || one.place - other.place).map(({ line }) => line)
}

/** The line that is said at a moment; -1 before the first. */
export function lineAt(lines: EditorLine[], seconds: number): number {
  return lines.findLastIndex(({ time }) => (readTime(time) ?? Number.POSITIVE_INFINITY) <= seconds + 0.05)
}
