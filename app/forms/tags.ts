import { z } from 'zod'
import { caseKey, isStorable, normalise } from '~/lib/text.ts'

/** Tags are cut rather than refused. */
export const longestTag = 50

/** As a tag is kept: trimmed, blanks folded, cut; empty for nothing. */
export function tidyTag(text: string): string {
  const tidy = normalise(text).replace(/\s+/g, ' ').trim()
  return [...tidy].slice(0, longestTag).join('').trim()
}

/** Tidy, and each once without regard to case: the first spelling stays. */
export function uniqueTags(texts: string[]): string[] {
  const known = new Map<string, string>()
  for (const text of texts) {
    const tag = tidyTag(text)
    if (tag && !known.has(caseKey(tag))) known.set(caseKey(tag), tag)
  }
  return [...known.values()]
}

/** One line of tags with commas between; a tag with a comma or a quotation mark of its own stands in quotation marks. */
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

/** The field of a TagPicker: one line from the page, or a list from programs; the tags. */
export function tagsField() {
  return z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => (typeof value === 'string' ? readTags(value) : uniqueTags(value ?? [])))
    .refine((tags) => tags.every(isStorable), 'This text holds characters that cannot be stored')
}
