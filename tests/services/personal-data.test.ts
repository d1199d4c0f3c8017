/** The Privacy Policy against the database: every table that holds something about a person stands in its list. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { personalData } from '~/config/personal-data.ts'
import { db } from '../support/test.ts'

const settings = { EVENT_MONTHS: 36, MAIL_DAYS: 400, SESSION_DAYS: 14, SESSION_MAX_DAYS: 90 }

/** Columns that name or point to a person without a foreign key to `users`. */
const personal =
  /^(user_id|actor|actor_id|actor_name|author_name|email|email_key|address|agent|agent_id|registration|registration_id|selected_user_uids)$/

/** Tables with such a column that hold nothing about a person. */
const others = ['xapi_statement_ids']

async function tablesAboutPeople(): Promise<string[]> {
  const { rows } = await sql<{ table: string; column: string; isPerson: boolean }>`
    select k.relname as table, a.attname as column, exists (
      select from pg_constraint c
      where c.conrelid = k.oid and c.confrelid = 'users'::regclass and a.attnum = any(c.conkey)) as "isPerson"
    from pg_class k join pg_attribute a on a.attrelid = k.oid and a.attnum > 0 and not a.attisdropped
    where k.relnamespace = 'public'::regnamespace and k.relkind in ('r', 'p') and not k.relispartition`.execute(db)
  const found = rows.filter(({ column, isPerson }) => isPerson || personal.test(column)).map(({ table }) => table)
  return [...new Set(['users', ...found])].filter((table) => !others.includes(table)).sort()
}

test('the privacy text is about every table that holds something about a person', async () => {
  const listed = personalData(settings).flatMap(({ tables }) => tables)
  expect(listed.length, 'each table once').toBe(new Set(listed).size)
  const found = await tablesAboutPeople()
  expect(
    found.filter((table) => !listed.includes(table)),
    'add these to app/config/personal-data.ts',
  ).toEqual([])
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`.execute(
    db,
  )
  const all = rows.map(({ name }) => name)
  expect(
    listed.filter((table) => !all.includes(table)),
    'these tables do not exist',
  ).toEqual([])
})

test('the privacy text names the periods that are set', () => {
  const text = (more: Partial<typeof settings>) => JSON.stringify(personalData({ ...settings, ...more }))
  expect(text({})).toContain('For 36 months.')
  expect(text({ MAIL_DAYS: 90 })).toContain('For 90 days. Of messages')
  expect(text({ EVENT_MONTHS: 1 })).toContain('For one month.')
  expect(text({ SESSION_DAYS: 30 })).toContain(
    'A session ends 30 days after your last visit, 90 days after you logged in',
  )
})
