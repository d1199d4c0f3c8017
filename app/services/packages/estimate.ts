import { maxMinutes } from '~/forms/durations.ts'
import { roundMinutes } from '~/lib/duration.ts'

/**
 * Estimates how long a package takes: 200 words of its pages a minute, the length of its films, and a minute for each
 * question. What scripts write into a page is not seen, so a package without words, films and questions of its own has
 * no estimate.
 */

const wordsPerMinute = 200
const minutesPerQuestion = 1
/** Fewer words are not a text but a page that waits for its scripts. */
const fewestWords = 100

export type Content = { words: number; questions: number; filmSeconds: number }

/** Returns rounded minutes, at most `maxMinutes`; 0 if there is nothing to go by. */
export function estimateMinutes({ words, questions, filmSeconds }: Content): number {
  if (words < fewestWords && questions === 0 && filmSeconds === 0) return 0
  const minutes = words / wordsPerMinute + questions * minutesPerQuestion + filmSeconds / 60
  return Math.min(roundMinutes(minutes), maxMinutes)
}

/** Counts the words of a text in which single spaces separate words. */
export function countWords(text: string): number {
  let words = text === '' ? 0 : 1
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) words++
  return words
}

/**
 * Counts the questions of a page: each group of radio buttons or tick boxes with the same name, and each other field
 * that takes an answer. Reads the page once, whatever it contains.
 */
export function countQuestions(html: string): number {
  const groups = new Set<string>()
  let fields = 0
  for (const [, tag = '', attributes = ''] of html.matchAll(/<(input|select|textarea)\b([^<>]{0,1000})/gi)) {
    if (tag.toLowerCase() !== 'input') {
      fields++
      continue
    }
    const type = attributeOf(attributes, 'type')?.toLowerCase() ?? 'text'
    if (type === 'radio' || type === 'checkbox') groups.add(attributeOf(attributes, 'name') ?? '')
    else if (type === 'text' || type === 'number') fields++
  }
  return groups.size + fields
}

function attributeOf(attributes: string, name: 'type' | 'name'): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}
