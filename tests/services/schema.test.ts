import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type Database } from '~db/client.server.ts'
import { generateTypes } from '~db/generate-types.ts'
import { isMigrated, migrateToLatest } from '~db/migrate.ts'
import { freshDatabase } from '../support/database.ts'

/** Rules that every migration keeps, checked in the catalog of a migrated database. */
let url: string
let db: Database

beforeAll(async () => {
  url = await freshDatabase()
  db = createDatabase({ connectionString: url, poolSize: 2 }).db
})
afterAll(() => db.destroy())

type ForeignKey = { from: string; to: string; columns: string[] }

async function foreignKeys(): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select conrelid::regclass::text as "from", confrelid::regclass::text as "to",
      array(select attname::text from unnest(conkey) with ordinality as key(number, place)
        join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
    order by conrelid::regclass::text, conname`.execute(db)
  return rows
}

test('db/schema.ts matches the migrations', async () => {
  expect(await generateTypes(url), 'run npm run db:types').toBe(await readFile('db/schema.ts', 'utf8'))
})

test('every foreign key has an index that finds the rows of one parent', async () => {
  const { rows: indexes } = await sql<{ table: string; columns: string[] }>`
    select indrelid::regclass::text as "table",
      array(select attname::text from unnest(indkey) with ordinality as key(number, place)
        join pg_attribute on attrelid = indrelid and attnum = number where place <= indnkeyatts order by place) as columns
    from pg_index
    where indisvalid and (indpred is null
      -- Whoever looks for a parent does not look for null.
      or pg_get_expr(indpred, indrelid) = format('(%s IS NOT NULL)', pg_get_indexdef(indexrelid, 1, false)))`.execute(
    db,
  )
  const missing = (await foreignKeys())
    // There are two sites, which are never deleted, so an index on the site alone selects nothing (decision 004).
    .filter(({ to }) => to !== 'sites')
    .filter(({ from, columns }) => {
      const own = columns.filter((column) => column !== 'site_id')
      const leads = (index: string[]) => own.includes((index[0] === 'site_id' ? index[1] : index[0]) ?? '')
      return !indexes.some((index) => index.table === from && leads(index.columns))
    })
  expect(missing.map(({ from, columns }) => `${from} (${columns})`)).toEqual([])
})

/**
 * Columns for the person who did something. People act on their own site only, and a deleted person stays as a
 * tombstone (decision 004).
 */
const doers = [
  'author_id',
  'created_by',
  'updated_by',
  'deleted_by',
  'assigned_by',
  'invited_by',
  'launched_by',
  'actor_id',
]

/** Rows whose site and this key come from the same row, in one statement. */
const copied = ['question_answers (registration_id)', 'xapi_documents (activity_id)']

test('foreign keys between things of a site include the site', async () => {
  const { rows } = await sql<{ table: string }>`
    select attrelid::regclass::text as "table" from pg_attribute join pg_class on pg_class.oid = attrelid
    where attname = 'site_id' and relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`.execute(db)
  const sited = new Set(rows.map(({ table }) => table))
  const loose = (await foreignKeys())
    .filter(({ to, columns }) => sited.has(to) && !columns.includes('site_id'))
    // With the row's own id in the key, the referenced row is a part of it.
    .filter(({ columns }) => !columns.some((column) => column === 'id' || doers.includes(column)))
  const ofSited = loose
    .filter(({ from }) => sited.has(from))
    .map(({ from, columns }) => `${from} (${columns})`)
    .filter((key) => !copied.includes(key))
  const ofOthers = loose.map(({ from }) => from).filter((from) => !sited.has(from))
  const joining = ofOthers.filter((from, index) => ofOthers.indexOf(from) !== index)
  expect({ ofSited, joining }).toEqual({ ofSited: [], joining: [] })
})

test('a build runs on the schema of a newer one, and applies a migration that came later with an earlier name', async () => {
  const url = await freshDatabase()
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 1 })
  try {
    await sql`
      insert into kysely_migration (name, timestamp)
      values ('2020-01-01T0000-of-a-branch', now()::text), ('2999-01-01T0000-of-a-newer-build', now()::text)`.execute(
      db,
    )
    expect(await migrateToLatest(url)).toEqual([])
    expect(await isMigrated(db)).toBe(true)
    await sql`delete from kysely_migration where name = (select min(name) from kysely_migration where name like '%-search')`.execute(
      db,
    )
    expect(await isMigrated(db)).toBe(false)
  } finally {
    await pool.end()
  }
})
