import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isFoundIn, searchKey } from '~/lib/text.ts'
import { isFoundBy, searchKeyOf } from '~/services/search-conditions.server.ts'
import { db } from '../support/test.ts'

const texts = [
  'Jane Doe jane.doe@table.example',
  'Łukasz Ząb-Nowak',
  'Анна Каренина',
  'Sample 100 a_b',
  '100% (new) \\m.*',
  'ΟΔΥΣΣΕΑΣ και Σίσυφος',
  'D’Arcy Thompson',
  'درس ٣ جديد',
  'अध्याय १२ परिचय',
  'Room٣ x',
]

const found: [search: string, texts: number[]][] = [
  ['', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
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
  ['ΟΔΥΣ', [5]],
  ['ΟΔΥΣΣ', [5]],
  ['οδυσσεας', [5]],
  ['και ΟΔΥΣ', [5]],
  ["d'arcy", [6]],
  ["Thompson d'ARC", [6]],
  ['D‘Arcy Thom', [6]],
  ['جديد ٣ درس', [7]],
  ['परिचय १२ अध्याय', [8]],
  ['२ अध्याय', []],
  ['x room', [9]],
  ['x ٣', []],
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

test('SQL makes the key of a text as the browser does, in every script', async () => {
  const words = [
    'हिन्दी व्याख्यान',
    'שָׁלוֹם עולם',
    'مُحاضَرة جديدة',
    'தமிழ்',
    'ΟΔΥΣΣΕΑΣ',
    'İstanbul',
    'Straße',
    '한국어',
    'Ａ①ﬁ½',
  ]
  const unseen = [
    're\u00adport  monthly',
    'emoji 👩‍🔬 lab',
    'a\u200db join',
    '\u2800a\u2800\u3000b ',
    'D´Arcy',
    'ﹰa',
    '\u3164',
  ]
  // PostgreSQL and Node come with different versions of Unicode, which differ in rare capitals.
  const characters = Array.from({ length: 0xa6ff }, (_, at) => String.fromCodePoint(at + 1)).filter(
    (character) => character < '\u0530' || !/\p{Lu}/u.test(character),
  )
  const all = [...words, ...unseen, ...characters.map((character) => `A${character}Z`)]
  const { rows } = await sql<{ key: string }>`
    select ${searchKeyOf(sql`text`)} as key from unnest(${all}::text[]) with ordinality as listed (text, place)
    order by place`.execute(db)
  const others = all.flatMap((text, at) =>
    rows[at]?.key === searchKey(text) ? [] : [[text, rows[at]?.key, searchKey(text)]],
  )
  expect(others).toEqual([])
})
