/**
 * Upgrades a database of an earlier version, in which people learn, and checks that it works. `npm run upgrade:dump`
 * writes the dumps. Each has a test file of its own, because a process caches values of its database.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, inject } from 'vitest'
import { listOwnAnnouncements } from '~/services/announcements/announcements.server.ts'
import { listMessageRecipients } from '~/services/announcements/details.server.ts'
import { launchUnit, rebuildProgress } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { getFavorites } from '~/services/favorites/favorites.server.ts'
import { listModules } from '~/services/modules/modules.server.ts'
import { listOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { createSession, findVisitor } from '~/services/sessions/sessions.server.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { isMigrated, migrateToLatest } from '~db/migrate.ts'
import { aContext } from './context.ts'
import { dropDatabase, emptyDatabase } from './test-postgres.ts'

const folder = 'tests/fixtures/upgrade'
const opened: { url: string; db: Database }[] = []

afterAll(async () => {
  for (const { url, db } of opened.splice(0)) {
    await db.destroy()
    await dropDatabase(url)
  }
})

/** Makes a database from the dump. The dump runs on its own connection, because it changes settings of the session. */
async function restore(file: string): Promise<{ url: string; db: Database }> {
  const url = await emptyDatabase(inject('templateUrl'))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(gunzipSync(readFileSync(`${folder}/${file}`)).toString('utf8'))
  await client.end()
  const { db } = createDatabase({ connectionString: url, poolSize: 4 })
  opened.push({ url, db })
  return { url, db }
}

/** Lists everything in the schema by name. Values of sequences and the order of columns may differ. */
async function schemaOf(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable || ' ' || coalesce(column_default, '') as line
    from information_schema.columns where table_schema = 'public' and not table_name ~ '_[0-9]{4}_[0-9]{2}$'
    union all
    select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace and conrelid <> 0 and not conrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$' and contype <> 'n'
    union all
    select 'index ' || indexdef from pg_indexes where schemaname = 'public' and not tablename ~ '_[0-9]{4}_[0-9]{2}$'
    union all
    select 'function ' || pg_get_functiondef(p.oid) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    union all
    select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger
    where not tgisinternal and tgrelid::regclass::text !~ '^graphile_worker' and not tgrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$'
    order by 1`.execute(db)
  return rows.map(({ line }) => line)
}

async function contextOf(db: Database, email: string): Promise<Ctx> {
  const nobody = await aContext(db)
  const { uid: userUid } = await db
    .selectFrom('users')
    .select('uid')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const { id } = await createSession(nobody, { userUid, agent: null })
  const { viewer } = await findVisitor(db, 'institutional', id, new Date())
  return { ...nobody, viewer }
}

/**
 * Expects that the database of this version gets the schema of a new one, and that its learner can continue. `begun` is
 * how many modules the learner has begun; `notesParts` tells whether the version knew which parts of a film were played,
 * and `emails` how many people an email was sent to.
 */
export async function expectUpgrade(
  commit: string,
  { begun, notesParts, emails = 0 }: { begun: number; notesParts: boolean; emails?: number },
): Promise<void> {
  const { url, db } = await restore(`${commit}.sql.gz`)
  const count = async () =>
    (await sql<{ statements: number }>`select count(*)::int as statements from xapi_statements`.execute(db)).rows[0]
      ?.statements
  const before = await count()
  expect(before).toBeGreaterThan(8)
  if (!notesParts) expect(await isMigrated(db)).toBe(false)
  await migrateToLatest(url)
  expect(await isMigrated(db)).toBe(true)

  const { db: fresh } = createDatabase({ connectionString: inject('templateUrl'), poolSize: 1 })
  const expected = await schemaOf(fresh)
  await fresh.destroy()
  expect(await schemaOf(db)).toEqual(expected)

  // Before parts were noted, progress was the farthest position: all of it counts as played.
  const { rows: films } = await sql<{ percent: number; share: number }>`
    select p.percent, round(100 * (upper(p.played) - lower(p.played)) / (film.duration * 10.0))::int as share
    from lecture_progress p join lectures film on film.id = p.lecture_id where film.duration > 0 and p.percent > 0
    union all
    select p.percent, round(100 * (upper(p.played) - lower(p.played)) / (film.duration * 10.0))::int
    from video_progress p join videos film on film.id = p.video_id where film.duration > 0 and p.percent > 0`.execute(
    db,
  )
  expect(films.length).toBeGreaterThan(0)
  if (!notesParts) for (const { percent, share } of films) expect(share).toBe(percent)

  const learner = await contextOf(db, 'learner@titrate.example')
  const percents = async () =>
    (await listOwnModulesProgress(learner)).map(({ percent }) => percent).sort((a, b) => b - a)
  const own = await percents()
  expect(own[0]).toBe(100)
  expect(own).toHaveLength(begun)
  expect((await getFavorites(learner)).moduleUids).toHaveLength(1)
  expect((await listOwnAnnouncements(learner)).total).toBeGreaterThan(0)
  await rebuildProgress(learner)
  expect(await percents()).toEqual(own)
  expect(await count()).toBe(before)

  const author = await contextOf(db, 'author@titrate.example')
  const { items } = await listModules(author, { first: 50 })
  expect(items.length).toBeGreaterThanOrEqual(18)
  const unfinished = (await listOwnModulesProgress(learner)).find(({ percent }) => percent < 100)
  const { auLaunchSessionUid } = await launchUnit(learner, { moduleVersionUid: unfinished?.versionUid ?? '' })
  expect(auLaunchSessionUid).toMatch(/^[0-9a-f-]{36}$/)

  const sent = await db.selectFrom('announcements').select('uid').where('name', '=', 'Before the upgrade').execute()
  expect(sent).toHaveLength(emails > 0 ? 1 : 0)
  if (!sent[0]) return
  const admin = await contextOf(db, 'admin@titrate.example')
  const recipients = await listMessageRecipients(admin, { announcementUid: sent[0].uid })
  expect(recipients.items.map(({ state, email }) => [state, email !== ''])).toEqual(
    Array(emails).fill(['accepted', true]),
  )
}
