import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isFoundIn, searchKey } from '~/lib/text.ts'
import { isFoundBy } from '~/services/search-conditions.server.ts'
import { db } from '../support/test.ts'

const texts = [
  'Jane Doe jane.doe@table.example',
  'Łukasz Ząb-Nowak',
  'Анна Каренина',
  'Sample 100 a_b',
  '100% (new) \\m.*',
]

const found: [search: string, texts: number[]][] = [
  ['', [0, 1, 2, 3, 4]],
  ['jane doe', [0]],
  ['Doe, Jane', [0]],
  ['DOE   j', [0]],
  ['table jane', [0]],
  ['ane table', []],
  ['jane nobody', []],
  ['nowak łuk', [1]],
  ['карен ан', [2]],
  ['нина анна', []],
  ['sample 00', []],
  ['100 sam', [3]],
  ['100 b', []],
  ['new 100', [4]],
  ['.* new', [4]],
  ['%', [4]],
  ['\\m.*', [4]],
  ['(new) \\', [4]],
  ['new) (100%', [4]],
  ['jane.doe@table jan', [0]],
  ['jane-doe', []],
  ['nowak ząb', [1]],
  ['Doe,', [0]],
  ['(Doe) "Jane"', [0]],
  ['doe doe', [0]],
  ['ne, doe', []],
  ['a|b 100', []],
]

test('a table finds a text as a whole or by the beginnings of its words, in SQL as in the browser', async () => {
  for (const [search, expected] of found) {
    const { rows } = await sql<{ at: number }>`
      select place::int - 1 as at from unnest(${texts.map(searchKey)}::text[]) with ordinality as listed (text, place)
      where ${isFoundBy(sql`text`, search)} order by place`.execute(db)
    expect(
      rows.map(({ at }) => at),
      search,
    ).toEqual(expected)
    const inBrowser = texts.flatMap((text, at) => (isFoundIn(searchKey(text), searchKey(search)) ? [at] : []))
    expect(inBrowser, search).toEqual(expected)
  }
})
