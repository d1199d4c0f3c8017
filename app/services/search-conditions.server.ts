import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { blankInKeys, containsPattern, droppedInKeys, searchKey, wholeToFind, wordsToFind } from '~/lib/text.ts'

type Condition = RawBuilder<SqlBool>

/**
 * SQL condition for a search in a table, with the same rule as `isFoundIn`: the text holds what is searched for, or has
 * words that begin with its words. True for an empty search. `text` is a key as `searchKey` makes it.
 */
export function isFoundBy(text: RawBuilder<unknown>, search: string): Condition {
  return isFoundWhere(search, (holds) => holds(text))
}

/** The same for several texts: `where` combines what `holds` says of each of them. Words may be in different texts. */
export function isFoundWhere(
  search: string,
  where: (holds: (text: RawBuilder<unknown>) => Condition) => Condition,
): Condition {
  const key = searchKey(search)
  if (key === '') return sql`true`
  const pattern = wholeToFind(key)
  const whole = where((text) => (pattern ? sql`${text} ~ ${pattern}` : sql`${text} like ${containsPattern(key)}`))
  const words = wordsToFind(key).map((word) => where((text) => sql`${text} ~ ${beginning + word}`))
  return words.length === 0 ? whole : sql`(${whole} or (${sql.join(words, sql` and `)}))`
}

/**
 * SQL: the key of a text as `searchKey` makes it, for texts that have no column with it. It takes some microseconds for a
 * text that is not in ASCII, and more for a long one, so a search computes it once.
 */
export function searchKeyOf(text: RawBuilder<unknown>): RawBuilder<string> {
  const letters = sql`regexp_replace(normalize(${text}, NFKD), ${`[${dropped}]+`}, '', 'g')`
  const key = sql`trim(regexp_replace(${lower(letters)}, ${`[${blank}]+`}, ' ', 'g'))`
  return sql`case when ${text} ~ '^[!-~]+( [!-~]+)*$' then ${lower(text)} else ${key} end`
}

const lower = (text: RawBuilder<unknown>) => sql`lower(${text} collate "und-x-icu")`

/** The characters of a class in a regular expression, as PostgreSQL writes them: it has no properties of Unicode. */
function charactersOf(pattern: RegExp): string {
  const ranges: [first: number, last: number][] = []
  for (let code = 1; code <= lastCode; code++) {
    // In between are only ideographs and code points without characters.
    if (code === 0x20000) code = 0xe0000
    if (!pattern.test(String.fromCodePoint(code))) continue
    const range = ranges.at(-1)
    if (range?.[1] === code - 1) range[1] = code
    else ranges.push([code, code])
  }
  return ranges.map((range) => [...new Set(range)].map((code) => String.fromCodePoint(code)).join('-')).join('')
}

const lastCode = 0xe0fff
const dropped = charactersOf(droppedInKeys)
const blank = charactersOf(blankInKeys)

/** The beginning of a word. PostgreSQL's `\m` knows only the digits of ASCII in some collations. */
const beginning = `(?<![[:alnum:]_${charactersOf(/(?![0-9])\p{N}/u)}])`
