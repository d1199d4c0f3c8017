/** An admin sees the learner area as a learner: recorded, for half an hour, and without changing anything. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { videoEvents } from '~/forms/video-events.ts'
import { createAccessToken, listAccessTokens } from '~/services/accounts/access-tokens.server.ts'
import { login } from '~/services/accounts/accounts.server.ts'
import { changePassword, requestPasswordReset } from '~/services/accounts/password-changes.server.ts'
import { updateUser } from '~/services/accounts/profile.server.ts'
import { markOpened, pinAnnouncement } from '~/services/announcements/announcements.server.ts'
import { getLaunch, launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, GroupName, Viewer } from '~/services/context.ts'
import { Conflict, Forbidden, NotFound } from '~/services/errors.ts'
import { recordEvent, recordSearch } from '~/services/events/events.server.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'
import { saveUserAnswers } from '~/services/questionnaire/questionnaire.server.ts'
import { queue } from '~/services/queue/queue.server.ts'
import { readOwnData } from '~/services/read/own-data.server.ts'
import { viewingContext } from '~/services/runtime.server.ts'
import { searchContent } from '~/services/search/search.server.ts'
import { createSession, endOtherSessions, findVisitor, listOwnSessions } from '~/services/sessions/sessions.server.ts'
import { endSessionView, startViewing, stopViewing } from '~/services/sessions/view-as.server.ts'
import { prepareUpload } from '~/services/uploads/uploads.server.ts'
import { deactivateUser } from '~/services/users/deactivate-user.server.ts'
import { setOwnMailChoices } from '~/services/users/mail-choices.server.ts'
import { closeDatabase, database } from '~db/instance.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, databaseUrl, db, expectGuarded } from '../support/test.ts'

beforeAll(() => {
  env().DATABASE_URL = databaseUrl
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
})
afterAll(() => closeDatabase())

const minutes = (ctx: Ctx, count: number): Ctx => ({ ...ctx, now: new Date(ctx.now.getTime() + count * 60_000) })

/** An admin with a session of their own. */
async function anAdmin() {
  const viewer = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Root' })
  const ctx = await aContext(db, { viewer })
  const { id } = await createSession(ctx, { userUid: viewer.uid, agent: null })
  const { sessionUid } = await findVisitor(db, 'institutional', id, ctx.now)
  const seen = (at = ctx.now) => findVisitor(db, 'institutional', id, at)
  return { ctx: { ...ctx, session: { ...ctx.session, uid: sessionUid } }, viewer, id, seen }
}

const auditOf = async ({ uid }: Viewer) =>
  (
    await db
      .selectFrom('audit_entries')
      .select(['action', 'actor_name as actor', 'at'])
      .where('entity_uid', '=', uid)
      .orderBy('id')
      .execute()
  ).map(({ action, actor }) => `${action} by ${actor}`)

test('a view belongs to one session, is recorded for both people, and ends with Stop', async () => {
  const admin = await anAdmin()
  const elsewhere = await createSession(admin.ctx, { userUid: admin.viewer.uid, agent: null })
  const learner = await aUser(db)
  await startViewing(admin.ctx, { userUid: learner.uid.toUpperCase() })
  const { viewer, viewed } = await admin.seen()
  expect([viewer?.uid, viewed?.viewer.uid]).toEqual([admin.viewer.uid, learner.uid])
  expect(viewed?.viewer).toMatchObject({ planId: learner.planId, groups: ['learners'] })
  expect(viewed?.expiresAt).toEqual(minutes(admin.ctx, 30).now)
  expect((await findVisitor(db, 'institutional', elsewhere.id, ctx.now)).viewed).toBeNull()
  expect(await stopViewing(admin.ctx)).toEqual({ userUid: learner.uid })
  expect(await stopViewing(admin.ctx), 'again').toEqual({ userUid: null })
  expect((await admin.seen()).viewed).toBeNull()
  expect(await auditOf(learner)).toEqual(['user.view_started by Root Okafor', 'user.view_ended by Root Okafor'])
  expect(await auditOf(admin.viewer)).toEqual([
    'user.viewing_started by Root Okafor',
    'user.viewing_ended by Root Okafor',
  ])
})

test('after thirty minutes it is over, and a job records the end, once', async () => {
  const admin = await anAdmin()
  const learner = await aUser(db)
  await takeJobs(db, 'end-session-view')
  await startViewing(admin.ctx, { userUid: learner.uid })
  const [job] = await takeJobs(db, 'end-session-view')
  const sessionUid = job?.sessionUid ?? ''
  expect((await admin.seen(minutes(admin.ctx, 29.9).now)).viewed).not.toBeNull()
  expect((await admin.seen(minutes(admin.ctx, 30).now)).viewed).toBeNull()
  await endSessionView(minutes(ctx, 29), { sessionUid })
  expect(await auditOf(learner), 'too early').toHaveLength(1)
  const late = minutes(ctx, 45)
  await Promise.all([1, 2, 3].map(() => endSessionView(late, { sessionUid })))
  expect(await auditOf(learner)).toEqual(['user.view_started by Root Okafor', 'user.view_ended by Root Okafor'])
  const end = db.selectFrom('audit_entries').select('at').where('action', '=', 'user.view_ended').orderBy('id', 'desc')
  expect((await end.executeTakeFirst())?.at).toEqual(minutes(admin.ctx, 30).now)
  // A job that is late does not end the next view.
  await startViewing(minutes(admin.ctx, 50), { userUid: learner.uid })
  await endSessionView(minutes(ctx, 51), { sessionUid })
  expect((await admin.seen(minutes(admin.ctx, 55).now)).viewed).not.toBeNull()
})

test('only admins view, and only learners who can log in; ten presses begin one view', async () => {
  const admin = await anAdmin()
  const learner = await aUser(db)
  const input = { userUid: learner.uid }
  await expectGuarded(
    (ctx, input: { userUid: string }) =>
      startViewing({ ...ctx, session: { ...ctx.session, uid: crypto.randomUUID() } }, input),
    input,
    { by: ['admins'] },
  )
  const program = { ...admin.ctx, session: { ...admin.ctx.session, uid: null } }
  await expect(startViewing(program, input)).rejects.toThrow(Forbidden)
  const others: GroupName[][] = [
    ['admins'],
    ['learners', 'admins'],
    ['learners', 'authors'],
    ['learners', 'pending_users'],
    ['instructors'],
  ]
  for (const groups of others) {
    const person = await aUser(db, { groups })
    await expect(startViewing(admin.ctx, { userUid: person.uid }), groups.join()).rejects.toThrow(Conflict)
  }
  const disabled = await aUser(db)
  await deactivateUser(admin.ctx, { userUid: disabled.uid })
  await expect(startViewing(admin.ctx, { userUid: disabled.uid })).rejects.toThrow(Conflict)
  for (const userUid of ['', 'x', '\u0000', crypto.randomUUID(), (await aUser(db, { site: 'ns' })).uid]) {
    await expect(startViewing(admin.ctx, { userUid })).rejects.toThrow(NotFound)
  }
  await Promise.all(Array.from({ length: 10 }, () => startViewing(admin.ctx, input)))
  expect(await auditOf(learner)).toHaveLength(1)
  await expect(startViewing(admin.ctx, { userUid: (await aUser(db)).uid })).rejects.toMatchObject({
    code: 'view.other',
  })
})

test('the view ends with the rights of the admin, and when the person is no longer a learner who can log in', async () => {
  const changes: ((admin: Viewer, learner: Viewer) => Promise<unknown>)[] = [
    (admin) => db.updateTable('user_groups').set({ name: 'authors' }).where('user_id', '=', admin.id).execute(),
    (_, { id }) => db.insertInto('user_groups').values({ user_id: id, name: 'authors' }).execute(),
    (_, { id }) => db.updateTable('users').set({ is_active: false }).where('id', '=', id).execute(),
    (_, { id }) => db.updateTable('users').set({ erased_at: new Date() }).where('id', '=', id).execute(),
  ]
  for (const change of changes) {
    const admin = await anAdmin()
    const learner = await aUser(db)
    await startViewing(admin.ctx, { userUid: learner.uid })
    await change(admin.viewer, learner)
    const { viewer, viewed } = await admin.seen()
    expect([viewer?.uid, viewed]).toEqual([admin.viewer.uid, null])
  }
})

/** The context of a request in which an admin views as this learner. */
async function viewingAs(learner: Viewer): Promise<Ctx> {
  const admin = await anAdmin()
  const expiresAt = minutes(admin.ctx, 30).now
  return viewingContext(admin.ctx, { admin: admin.viewer, viewer: learner, expiresAt })
}

const refused = { code: 'viewing' }

test('nothing can be changed: by guards, by functions without one, by SQL, and by jobs', async () => {
  const learner = await aUser(db, { firstName: 'Ada', lastName: 'Lovelace' })
  const viewing = await viewingAs(learner)
  const module = await aModule(ctx, { name: 'Assays' })
  const video = await aVideo(db, { name: 'Pipetting' })
  const passwords = { currentPassword: testPassword, password: 'Patient7Burette', password2: 'Patient7Burette' }
  const uid = crypto.randomUUID()
  const writes: Record<string, () => Promise<unknown>> = {
    favorite: () => setFavorite(viewing, { action: 'ADD', studyUnitType: 'video', uid: video.uid }),
    profile: () => updateUser(viewing, { userUid: learner.uid, firstName: 'Eve' }),
    answers: () => saveUserAnswers(viewing, { answers: [] }),
    launch: () => launchUnit(viewing, { moduleVersionUid: module.versionUid }),
    film: () =>
      recordFilmProgress(viewing, { kind: 'video', uid: video.uid, position: 1, percent: 5, played: [] } as never),
    opened: () => markOpened(viewing, { uid }),
    pinned: () => pinAnnouncement(viewing, { uid, isPinned: true }),
    token: () =>
      createAccessToken(viewing, { uid, name: 'x', scope: 'read', days: '30', currentPassword: testPassword }),
    sessions: () => endOtherSessions(viewing),
    optOut: () => setOwnMailChoices(viewing, { messages: true, reminders: false, reports: false, tracking: false }),
    upload: () => prepareUpload(viewing, { kind: 'csv', fileName: 'x.csv', size: 1 } as never),
    view: () => startViewing(viewing, { userUid: learner.uid }),
    password: () => changePassword(viewing, passwords),
    reset: () => requestPasswordReset(viewing, { email: learner.email }),
    login: () => login(viewing, { username: learner.email, password: testPassword }),
    session: () => viewing.session.begin(viewing, learner.uid),
    insert: () => viewing.db.insertInto('logins').values({ site_id: ctx.site.id, user_id: learner.id }).execute(),
    raw: () => sql`update users set first_name = 'Eve' where id = ${learner.id}`.execute(viewing.db),
    locked: () => sql`select from users where id = ${learner.id} for update`.execute(viewing.db),
    transaction: () =>
      inTransaction(viewing, (ctx) => ctx.db.deleteFrom('users').where('id', '=', learner.id).execute()),
    job: () => queue(viewing, 'send-account-mail', { mailUid: uid }),
  }
  for (const [name, write] of Object.entries(writes)) await expect(write(), name).rejects.toMatchObject(refused)
  await expect(writes.favorite?.()).rejects.toThrow('You are viewing as Ada Lovelace. Nothing can be changed.')
  const row = db.selectFrom('users').select(['first_name', 'last_login_at']).where('id', '=', learner.id)
  expect(await row.executeTakeFirst()).toEqual({ first_name: 'Ada', last_login_at: null })
})

test('what reads would write is left out: events, searches and their limits', async () => {
  const learner = await aUser(db)
  const viewing = await viewingAs(learner)
  const properties = { video_uid: crypto.randomUUID(), video_percent: 0.5, video_title: 'x' }
  await recordEvent(viewing, { event: { event: videoEvents.started, properties }, perMinute: 1 })
  await recordSearch(viewing, { query: 'assay', type: 'all', results: 1 })
  await searchContent(viewing, { query: 'assay', type: 'all', page: 1 })
  for (const table of ['events', 'search_queries', 'visits', 'logins'] as const) {
    const { rows } = await sql`select from ${sql.table(table)} where user_id = ${learner.id}`.execute(db)
    expect([table, rows.length]).toEqual([table, 0])
  }
})

test('what belongs to the person alone is refused, and the rest is shown', async () => {
  const learner = await aUser(db)
  const own = await aContext(db, { viewer: learner })
  const module = await aModule(ctx, { name: 'Screening' })
  const { auLaunchSessionUid } = await launchUnit(own, { moduleVersionUid: module.versionUid })
  const viewing = await viewingAs(learner)
  await expect(getLaunch(viewing, { auLaunchSessionUid })).rejects.toMatchObject(refused)
  await expect(listAccessTokens(viewing)).rejects.toMatchObject(refused)
  await expect(readOwnData(viewing).next()).rejects.toMatchObject(refused)
  expect(await listOwnSessions(viewing)).toEqual([])
})

test('connections that were read-only write again for everybody else', async () => {
  const viewing = await viewingAs(await aUser(db))
  const { db: pooled } = database()
  const modes = async () =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        const { rows } = await sql<{ mode: string }>`select current_setting('transaction_read_only') as mode`.execute(
          pooled,
        )
        return rows[0]?.mode
      }),
    )
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 ? sql`select 1`.execute(viewing.db) : sql`delete from logins`.execute(viewing.db).catch(() => {}),
    ),
  )
  expect(new Set(await modes())).toEqual(new Set(['off']))
})
