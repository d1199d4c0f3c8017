import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { containsPattern, searchKey, wordsToFind } from '~/lib/text.ts'

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
  const whole = where((text) => sql`${text} like ${containsPattern(key)}`)
  const words = wordsToFind(key).map((word) => where((text) => sql`${text} ~ ${`\\m${word}`}`))
  return words.length === 0 ? whole : sql`(${whole} or (${sql.join(words, sql` and `)}))`
}
