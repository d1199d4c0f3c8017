/** Excerpts: the part of a found text around the words that were searched for. */
import { sql } from 'kysely'
import { otherForms } from '~/lib/search-words.ts'
import type { Ctx } from '../context.ts'
import { type Match, readable } from './queries.server.ts'

/** Parts of a text. `isFound` marks the words that were searched for. */
export type ExcerptPart = { text: string; isFound: boolean }

/**
 * Markers around found words: control characters, which no text contains here. The component marks these words, never
 * as HTML.
 */
const begin = '\u0002'
const end = '\u0003'
const windowSize = 2000
/** Shorter texts are shown completely. */
const shortText = 260
/** How many characters are compared to find out whether an excerpt begins and ends where the text does. */
const edge = 12

type Surroundings = { text: string; head: string; tail: string }

/** Returns the excerpt of each match. Of a long text, only the part around the first word is examined. */
export async function excerptsOf(ctx: Ctx, matches: Match[], query: string): Promise<ExcerptPart[][]> {
  if (matches.length === 0) return []
  const text = readable(query)
  const forms = otherForms(text).filter(Boolean)
  const stems = (
    [text, ...forms]
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  ).map((word) => word.slice(0, Math.max(4, word.length - 3)))
  const last = /[\p{L}\p{N}]+$/u.exec(text)?.[0]
  const words = sql.join(
    [
      sql`websearch_to_tsquery('english', ${text})`,
      ...forms.map((form) => sql`phraseto_tsquery('english', ${form})`),
      ...(last === undefined ? [] : [sql`to_tsquery('simple', ${`${last}:*`})`]),
    ],
    sql` || `,
  )
  const marks = `StartSel=${begin}, StopSel=${end}`
  const parts = `${marks}, MaxFragments=2, MaxWords=28, MinWords=12, FragmentDelimiter=" … "`
  const { rows: excerpts } = await sql<{ kind: string; entityId: number } & Surroundings>`
    select document.kind, document.entity_id as "entityId",
      ts_headline('english', translate(around.text, ${begin + end}, ''), ${words},
        case when length(document.body) <= ${shortText} then ${`${marks}, HighlightAll=true`} else ${parts} end) as text,
      left(btrim(document.body), ${edge}) as head, right(btrim(document.body), ${edge}) as tail
    from search_documents document
    join jsonb_to_recordset(${JSON.stringify(matches)}::jsonb) as hit (kind text, "siteId" bigint, "entityId" bigint)
      on hit."siteId" = document.site_id and hit.kind = document.kind and hit."entityId" = document.entity_id
    cross join lateral (
      select min(nullif(strpos(lower(document.body), stem), 0)) as place from unnest(${stems}::text[]) stem) first
    cross join lateral (
      select substr(document.body, greatest(1, coalesce(first.place, 1) - 300), ${windowSize}) as text) around`.execute(
    ctx.db,
  )
  const byKey = new Map(excerpts.map((excerpt) => [`${excerpt.kind} ${excerpt.entityId}`, excerpt]))
  return matches.map(({ kind, entityId, title }) =>
    partsOf(excerptOf(byKey.get(`${kind} ${entityId}`) ?? { text: '', head: '', tail: '' }, title)),
  )
}

function excerptOf({ text, head, tail }: Surroundings, title: string): string {
  const plain = withoutMarks(text)
  const lines = joinLines(text, title)
  if (lines === '') return ''
  return `${plain.startsWith(head) ? '' : '… '}${lines}${plain.endsWith(tail) ? '' : ' …'}`
}

function withoutMarks(text: string): string {
  return text.replaceAll(begin, '').replaceAll(end, '').trim()
}

/** Joins lines, with a dash after a heading. Leaves out a line that repeats the title or the previous line. */
function joinLines(text: string, title: string): string {
  let joined = ''
  const heading = title.toLowerCase()
  let last = heading
  for (const line of text.split('\n')) {
    const plain = withoutMarks(line)
    if (plain === '' || plain.toLowerCase() === last || plain.toLowerCase() === heading) continue
    const isNewSentence = joined !== '' && /^[\p{Lu}\p{N}]/u.test(plain) && !/[.!?:;,…–—]$/u.test(withoutMarks(joined))
    joined += `${isNewSentence ? ' – ' : ' '}${line.trim()}`
    last = plain.toLowerCase()
  }
  return joined.trim()
}

function partsOf(excerpt: string): ExcerptPart[] {
  return excerpt
    .replace(/\s+/g, ' ')
    .split(begin)
    .flatMap((piece, index) => {
      if (index === 0) return [{ text: piece, isFound: false }]
      const [found = '', ...rest] = piece.split(end)
      return [
        { text: found, isFound: true },
        { text: rest.join(''), isFound: false },
      ]
    })
    .filter(({ text }) => text !== '')
}
