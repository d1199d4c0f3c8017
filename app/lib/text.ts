/** Text from outside. Everything that people or programs send is cleaned here before it is stored. */

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** PostgreSQL refuses U+0000, and a lone surrogate is not a character. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.search(loneSurrogates) < 0
}

/** Returns the text without the characters that PostgreSQL refuses. */
export function storableText(value: string): string {
  return isStorable(value) ? value : [...value].filter(isStorable).join('')
}

/** Returns the text with U+FFFD for each lone surrogate, as encoding it in UTF-8 would. */
export function withoutLoneSurrogates(value: string): string {
  return value.replace(loneSurrogates, '\ufffd')
}

/** Returns the text in NFC, with line ends as \n. */
export function normalizeText(value: string): string {
  return value.normalize('NFC').replace(/\r\n?/g, '\n')
}

/** They would turn the direction of what follows, even of the page around the text. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g
const otherLineEnds = /[\v\f\u0085\u2028\u2029]/g
const otherControls = /[^\P{Cc}\n\t]+/gu
const blanks = /[\p{Z}\p{Cc}\u2800]+/gu

/** Characters that nobody sees: joiners, marks of direction, fillers, and signs and hieroglyphs that are blank. */
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffc\u{1d159}\u{13441}\u{13442}]/gu
/** The same with what is blank. */
const unseen = /^[\p{Z}\p{Cc}\u2800\p{Default_Ignorable_Code_Point}\ufff9-\ufffc\u{1d159}\u{13441}\u{13442}]$/u
/** A letter, digit, sign, emoji or punctuation that shows. A mark alone or a character of a private font does not. */
const visible = /(?![\u2800\p{Default_Ignorable_Code_Point}\ufffc\u{1d159}\u{13441}\u{13442}])[\p{L}\p{N}\p{S}\p{P}]/u
/**
 * A last character with the invisible ones that change how it looks: the variant of an emoji, the tags of a flag, or a
 * joiner after a letter of Arabic or a vowel sign of an Indic script.
 */
const lastCharacter =
  /^(?:\P{ASCII}\p{Variation_Selector}|\u{1f3f4}[\u{e0020}-\u{e007e}]{1,10}\u{e007f}|(?:\p{Script=Arabic}|(?!\p{Script=Inherited})\p{M})[\u200c\u200d])/u

/**
 * Returns a text of any number of lines, in NFC, trimmed, without controls, and empty if nothing of it can be seen.
 * Joiners inside words stay, because emoji and Persian need them.
 */
export function tidyText(value: string): string {
  const plain = value.replace(directionControls, '').replace(/\r\n?/g, '\n').replace(otherLineEnds, '\n')
  const tidy = trimUnseen(plain.replace(otherControls, ' '))
  // NFC comes last, because removing a character brings others together.
  return visible.test(tidy) ? tidy.normalize('NFC') : ''
}

/** Returns a name, a title or another text of one line: tidy, with one blank for all blanks, line ends and controls. */
export function tidyLine(value: string): string {
  return tidyText(value.replace(directionControls, '').replace(/[\p{Z}\p{Cc}]+/gu, ' '))
}

/** Looks at each character once. A regular expression takes too long where many invisible ones are in the middle. */
function trimUnseen(value: string): string {
  const characters = [...value]
  const isSeen = (character: string) => !unseen.test(character)
  const start = characters.findIndex(isSeen)
  if (start < 0) return ''
  const last = characters.findLastIndex(isSeen)
  const end = lastCharacter.exec(characters.slice(last, last + 12).join(''))?.[0] ?? characters[last]
  return characters.slice(start, last).join('') + end
}

/** The beginning of a text, without half a character at its end. */
export function cutText(value: string, length: number): string {
  return value.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

/** The characters that `searchKey` drops, and those that it takes for blanks. */
export const droppedInKeys = new RegExp(`${invisible.source}|\\p{M}`, 'u')
export const blankInKeys = new RegExp(blanks.source, 'u')

/** A key for searching: without marks and invisible characters, lower case, blanks collapsed. */
export function searchKey(value: string): string {
  const letters = value.replace(invisible, '').normalize('NFKD').replace(/\p{M}/gu, '')
  return letters.toLowerCase().replace(blanks, ' ').trim()
}

/**
 * True if a search in a table finds a text: the text holds what is searched for, or has words that begin with its words,
 * as "Doe, Jane" finds Jane Doe. Both are keys as `searchKey` makes them. The services' `isFoundBy` does the same in SQL.
 */
export function isFoundIn(text: string, key: string): boolean {
  const pattern = wholeToFind(key)
  if (pattern ? new RegExp(pattern, 'u').test(text) : text.includes(key)) return true
  const words = wordsToFind(key)
  return words.length > 0 && words.every((word) => new RegExp(`(?<![\\p{L}\\p{N}_])${word}`, 'u').test(text))
}

/** More words are ignored: PostgreSQL keeps 32 regular expressions at hand, and compiles others for each row. */
const mostWords = 16

/**
 * The words of a search by which a text is found too, as regular expressions; none if the search is a single word anyway.
 * They are between blanks, commas, quotation marks and brackets, so that an address stays in one piece, and begin with a
 * letter or digit.
 */
export function wordsToFind(key: string): string[] {
  const parts = key.split(/[ ,;"“”„«»()]+/).filter((part) => part !== key)
  const words = new Set(parts.map((part) => part.replace(/^[^\p{L}\p{N}]+/u, '')).filter((word) => word !== ''))
  return [...words].slice(0, mostWords).map(inAnyForm)
}

/** A search as a regular expression, if it can be written in other ways; otherwise null. */
export function wholeToFind(key: string): string | null {
  return /[σς'‘’ʼ]/.test(key) ? inAnyForm(key) : null
}

/** `searchKey` writes a sigma that ends a word in its other form, also where only a beginning was typed. Apostrophes vary. */
function inAnyForm(words: string): string {
  const escaped = words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return escaped.replace(/[σς]/g, '[σς]').replace(/['‘’ʼ]/g, "['‘’ʼ]")
}

/** A `like` pattern for texts that contain this key; escapes the pattern characters in it. */
export function containsPattern(key: string): string {
  return `%${key.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * A key for unique names that ignores case, invisible characters and the number of blanks: "Straße" and "STRASSE" stay
 * different, "Ａ" and "a" become equal.
 */
export function caseKey(value: string): string {
  return value.replace(invisible, '').normalize('NFKC').replace(blanks, ' ').trim().toLowerCase()
}

/**
 * The keys under which a row may be stored, the older one first: rows keep their keys, and earlier ones have invisible
 * characters in them.
 */
export function storedKeys(value: string): string[] {
  return [...new Set([value.normalize('NFKC').trim().toLowerCase(), caseKey(value)])]
}

/**
 * The key of an address: in NFKC, trimmed, lower case. Invisible characters stay, because an address with one belongs to
 * somebody else.
 */
export function emailKey(address: string): string {
  return address.normalize('NFKC').trim().toLowerCase()
}

/** The first letters of first and last name, or of the address if there is no name, or X. */
export function initials(person: { firstName: string; lastName: string; email: string }): string {
  // Upper case comes first, since some letters become two.
  const first = (value: string) => [...value.trim().toUpperCase()][0] ?? ''
  return first(person.firstName) + first(person.lastName) || first(person.email) || 'X'
}
