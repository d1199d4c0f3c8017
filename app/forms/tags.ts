import { z } from 'zod'
import { caseKey, isStorable, tidyLine } from '~/lib/text.ts'

/** Longer tags are cut, not refused. */
export const longestTag = 50

/** Returns a tag as it is stored: trimmed, with single blanks, cut; empty if nothing is left. */
export function tidyTag(text: string): string {
  return tidyLine([...tidyLine(text)].slice(0, longestTag).join(''))
}

/** Tidies tags and removes duplicates, ignoring case. The first spelling stays. */
export function uniqueTags(texts: string[]): string[] {
  const known = new Map<string, string>()
  for (const text of texts) {
    const tag = tidyTag(text)
    if (tag && !known.has(caseKey(tag))) known.set(caseKey(tag), tag)
  }
  return [...known.values()]
}

/**
 * Writes tags in one line, separated by commas. A tag that contains a comma or a quotation mark is put in quotation
 * marks.
 */
export function writeTags(tags: string[]): string {
  return tags.map((tag) => (/[",]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ')
}

export function readTags(line: string): string[] {
  const parts = line.match(/\s*"(?:[^"]|"")*"\s*(?=,|$)|[^,]+/g) ?? []
  return uniqueTags(
    parts.map((part) => {
      const quoted = /^\s*"(.*)"\s*$/s.exec(part)?.[1]
      return quoted === undefined ? part : quoted.replaceAll('""', '"')
    }),
  )
}

/** The field of a TagPicker: one line from the page or a list from programs. */
export function tagsField() {
  return z
    .union([z.string(), z.array(z.string())])
    .optional()
    .refine((value) => [value ?? []].flat().every(isStorable), 'This text holds characters that cannot be stored')
    .transform((value) => (typeof value === 'string' ? readTags(value) : uniqueTags(value ?? [])))
}
