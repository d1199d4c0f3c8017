import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type Database } from '~db/client.server.ts'
import { generateTypes } from '~db/generate-types.ts'
import { freshDatabase } from '../support/database.ts'

/** The rules that every migration keeps, asked of the catalogue of a migrated database. */
let url: string
let db: Database

beforeAll(async () => {
  url = await freshDatabase()
  db = createDatabase({ connectionString: url, poolSize: 2 }).db
})
afterAll(() => db.destroy())

type ForeignKey = { name: string; from: string; to: string; columns: string[]; deletion: string }

async function foreignKeys(): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select conname as name, conrelid::regclass::text as "from", confrelid::regclass::text as "to", confdeltype as deletion,
      array(select attname::text from unnest(conkey) with ordinality as key(number, place)
        join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
    order by 2, 1`.execute(db)
  return rows
}

test('db/schema.ts is what the migrations make', async () => {
  expect(await generateTypes(url), 'run npm run db:types').toBe(await readFile('db/schema.ts', 'utf8'))
})

test('every foreign key has an index that finds the rows of one parent', async () => {
  const { rows: indexes } = await sql<{ table: string; columns: string[] }>`
    select indrelid::regclass::text as "table",
      array(select attname::text from unnest(indkey) with ordinality as key(number, place)
        join pg_attribute on attrelid = indrelid and attnum = number where place <= indnkeyatts order by place) as columns
    from pg_index where indpred is null and indisvalid`.execute(db)
  const missing = (await foreignKeys())
    // There are two sites, and they are never deleted: an index of them alone selects nothing (decision 004).
    .filter(({ to }) => to !== 'sites')
    .filter(({ from, columns }) => {
      const own = columns.filter((column) => column !== 'site_id')
      const leads = (index: string[]) => own.includes((index[0] === 'site_id' ? index[1] : index[0]) ?? '')
      return !indexes.some((index) => index.table === from && leads(index.columns))
    })
  expect(missing.map(({ from, columns }) => `${from} (${columns})`)).toEqual([])
})

test('what belongs to a site is joined to things of the same site only', async () => {
  const { rows } = await sql<{ table: string }>`
    select attrelid::regclass::text as "table" from pg_attribute join pg_class on pg_class.oid = attrelid
    where attname = 'site_id' and relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`.execute(db)
  const sited = new Set(rows.map(({ table }) => table))
  const keys = await foreignKeys()
  const crossing = keys.filter(({ from, to, columns }) => sited.has(from) && sited.has(to) && !columns.includes('site_id'))
  const joining = keys.filter(({ from, to }) => !sited.has(from) && sited.has(to))
  const counts = new Map<string, string[]>()
  for (const k of joining) counts.set(k.from, [...(counts.get(k.from) ?? []), `${k.to}(${k.columns})`])
  console.log(crossing.map(({ from, to, columns, deletion }) => `${from} (${columns}) -> ${to} ${deletion}`).join('\n'))
  console.log([...counts].map(([k, v]) => `${k}: ${v.join(' ')}`).join('\n'))
})
