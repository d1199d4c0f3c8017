/** Text from outside. Everything that people or programs send is cleaned here before it is stored. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const forbidden = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** PostgreSQL refuses U+0000, and a lone surrogate is not a character. */
export function isStorable(value: string): boolean {
  return !forbidden.test(value)
}

/** Returns the text in NFC, with line ends as \n. */
export function normalizeText(value: string): string {
  return value.normalize('NFC').replace(/\r\n?/g, '\n')
}

/** They would turn the direction of what follows, even of the page around the text. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g
const visible = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\s\u2800]/u

/**
 * Returns the text normalized and trimmed, without controls of direction, and empty if nothing of it can be seen.
 * Joiners inside words stay, because emoji and Persian need them.
 */
export function tidyText(value: string): string {
  const tidy = normalizeText(value).replace(directionControls, '').trim()
  return visible.test(tidy) ? tidy : ''
}

/** The beginning of a text, without half a character at its end. */
export function cutText(value: string, length: number): string {
  return value.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

/** A key for searching: without marks, lower case, blanks collapsed. */
export function searchKey(value: string): string {
  return value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()
}

/** A `like` pattern for texts that contain this key; escapes the pattern characters in it. */
export function containsPattern(key: string): string {
  return `%${key.replace(/[\\%_]/g, '\\$&')}%`
}

/** A key for uniqueness that ignores case: "Straße" and "STRASSE" stay different, "Ａ" and "a" become equal. */
export function caseKey(value: string): string {
  return value.normalize('NFKC').trim().toLowerCase()
}

/** The first letters of first and last name, or of the address if there is no name, or X. */
export function initials(person: { firstName: string; lastName: string; email: string }): string {
  // Upper case comes first, since some letters become two.
  const first = (value: string) => [...value.trim().toUpperCase()][0] ?? ''
  return first(person.firstName) + first(person.lastName) || first(person.email) || 'X'
}
