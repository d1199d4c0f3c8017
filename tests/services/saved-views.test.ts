/** Saved views of reports: named questions of admins, their own or shared. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { ReportChoice } from '~/forms/reports.ts'
import { getReportView } from '~/pages/report-view.server.ts'
import { addressOf } from '~/pages/saved-views.server.ts'
import { createAudience, deleteAudience } from '~/services/audiences/save-audience.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { purgeDeletedReports } from '~/services/reports/purge-reports.server.ts'
import {
  createSavedView,
  deleteSavedView,
  findSavedView,
  getOwnSavedView,
  listRemovedViews,
  listSavedViews,
  restoreSavedView,
  updateSavedQuestion,
  updateSavedView,
} from '~/services/reports/saved-views.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { ctx, db, expectGuarded } from '../support/test.ts'

let admin: Ctx
let colleague: Ctx

const anAdmin = async (firstName: string) =>
  aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null, firstName, lastName: 'Moreau' }) })

beforeAll(async () => {
  ;[admin, colleague] = [await anAdmin('Ana'), await anAdmin('Otto')]
})
beforeEach(() => sql`delete from saved_views`.execute(db))

const logins = { path: 'logins/total', question: { period: '7days', aggregateBy: 'Institution' } }

const names = async (as: Ctx) => (await listSavedViews(as)).items.map(({ name }) => name)

test('a view keeps the question that was checked, and its order', async () => {
  const institution = await ensureUniversity(ctx, { name: 'Helvik University' })
  const question = { ...logins.question, filters: { institution: institution.uid }, compare: 'previous' }
  await createSavedView(admin, { name: '  Logins   here ', path: 'logins/total', question, sort: '-2' })
  const { items, total } = await listSavedViews(admin)
  expect(total).toBe(1)
  expect(items[0]).toMatchObject({
    name: 'Logins here',
    isOwn: true,
    isShared: false,
    sort: '-2',
    words: ['Helvik University'],
    problem: null,
    choice: { period: '7days', aggregate: 'institution', isCompared: true, filters: { institution: institution.uid } },
  })
})

test('another question is saved into a view by its owner, about the same report', async () => {
  const { uid } = await createSavedView(admin, { name: 'Answers', ...logins, isShared: true })
  const module = await aModule(ctx, { name: 'Dose response' })
  const path = 'modules/quiz-answers'
  const wrong = { period: 'this_year', filters: { module: module.uid, correct: 'no' } }
  const { uid: quiz } = await createSavedView(admin, { name: 'Quiz', path, question: { period: '7days' } })
  const update = (as: Ctx, more: object = {}) =>
    updateSavedQuestion(as, { viewUid: quiz, path, question: wrong, sort: '2', ...more })
  await expect(update(admin, { viewUid: uid })).rejects.toThrow('This view is about another report.')
  await expect(update(colleague, { viewUid: uid })).rejects.toThrow(Forbidden)
  await expect(update(colleague)).rejects.toThrow(NotFound)
  await expect(update(admin, { viewUid: 'nothing' })).rejects.toThrow(NotFound)
  await expect(update(admin, { question: { ...wrong, on: '2026-01-01' } })).rejects.toThrow('one day')
  await Promise.all(Array.from({ length: 10 }, () => update(admin)))
  const { rows: changes } = await sql`
    select before, after from audit_entries where action = 'saved_view.updated' and entity_uid = ${quiz}`.execute(db)
  expect(changes, 'ten times at once').toHaveLength(1)
  expect(changes[0]).toMatchObject({ before: { sort: null }, after: { question: wrong, sort: '2' } })
  expect(await findSavedView(admin, { viewUid: quiz })).toMatchObject({ name: 'Quiz', sort: '2', question: wrong })
  expect((await listSavedViews(admin)).items.find((view) => view.uid === quiz)).toMatchObject({
    words: ['Dose response', 'Wrong answers'],
    problem: null,
  })
  expect(await findSavedView(colleague, { viewUid: quiz }), 'not shared').toBe(null)
  expect((await findSavedView(colleague, { viewUid: uid }))?.isOwn).toBe(false)
  expect(await findSavedView(admin, { viewUid: 'nothing' })).toBe(null)
  await sql`delete from modules where uid = ${module.uid}`.execute(db)
  expect((await listSavedViews(admin)).items.find((view) => view.uid === quiz)?.problem).toBe(
    'The module of this report no longer exists.',
  )
})

test('the report of one film is saved with its name, and says when the film is gone', async () => {
  const video = await aVideo(db, { name: 'Dosing' })
  const ofFilm = (uid: string) => ({ path: 'videos', question: { period: 'this_month', uid } })
  await createSavedView(admin, { name: 'Film', ...ofFilm(video.uid) })
  await createSavedView(admin, { name: 'Plays', ...ofFilm(video.uid), path: 'videos/plays' })
  const [view] = (await listSavedViews(admin)).items
  expect(view).toMatchObject({ path: 'videos', choice: { uid: video.uid }, words: ['Dosing'], problem: null })
  expect(view && addressOf(view.path, view.choice as ReportChoice)).toMatch(`?uid=${video.uid}&period=this_month`)
  const film = await aVideo(db, { site: 'ns' })
  const elsewhere = createSavedView(admin, { name: 'Other site', ...ofFilm(film.uid) })
  await expect(elsewhere).rejects.toThrow(NotFound)
  const message = { path: 'announcements', question: { uid: randomUUID() } }
  await expect(createSavedView(admin, { name: 'Message', ...message })).rejects.toThrow(NotFound)
  await sql`delete from videos where uid = ${video.uid}`.execute(db)
  const gone = 'The film of this report no longer exists.'
  expect((await listSavedViews(admin)).items.map(({ words, problem }) => [words, problem])).toEqual([
    [[], gone],
    [[], gone],
  ])
})

test('what no report answers is not saved', async () => {
  const refused = (more: object) => expect(createSavedView(admin, { name: 'A view', ...logins, ...more })).rejects
  await refused({ name: ' ' }).toThrow('Name is required')
  await refused({ path: 'passwords' }).toThrow(NotFound)
  await refused({ question: { period: 'foo' } }).toThrow(Invalid)
  await refused({ question: { ...logins.question, filters: { audience: randomUUID() } } }).toThrow(
    'The audience of this report no longer exists.',
  )
  await refused({ question: { ...logins.question, on: '2026-01-01' } }).toThrow('one day')
  await refused({ path: 'users', question: { fields: 'password_hash' } }).toThrow('There is no field')
  expect(await names(admin)).toEqual([])
  // An order that makes no sense is left out.
  await createSavedView(admin, { name: 'A view', ...logins, sort: 'name; drop' })
  expect((await listSavedViews(admin)).items[0]?.sort).toBeNull()
})

test('only its owner changes a view, and colleagues see what is shared', async () => {
  const { uid } = await createSavedView(admin, { name: 'Mine', ...logins })
  expect(await names(colleague)).toEqual([])
  await expect(getOwnSavedView(colleague, { viewUid: uid })).rejects.toThrow(NotFound)
  await expect(deleteSavedView(colleague, { viewUid: uid })).rejects.toThrow(NotFound)
  await updateSavedView(admin, { viewUid: uid, name: 'Ours', isShared: true })
  const [shared] = (await listSavedViews(colleague)).items
  expect(shared).toMatchObject({ name: 'Ours', isOwn: false, owner: 'Ana Moreau' })
  const disable = (isActive: boolean) =>
    db
      .updateTable('users')
      .set({ is_active: isActive })
      .where('id', '=', admin.viewer?.id ?? 0)
      .execute()
  await disable(false)
  expect(await names(colleague), 'nobody could change it').toEqual([])
  await disable(true)
  for (const change of [
    () => updateSavedView(colleague, { viewUid: uid, name: 'Theirs' }),
    () => deleteSavedView(colleague, { viewUid: uid }),
    () => getOwnSavedView(colleague, { viewUid: uid }),
  ]) {
    await expect(change()).rejects.toThrow(Forbidden)
  }
  await deleteSavedView(admin, { viewUid: uid })
  await expect(restoreSavedView(colleague, { viewUid: uid })).rejects.toThrow(NotFound)
  expect(await names(admin)).toEqual([])
})

test('views are for admins of the site', async () => {
  const by = { by: ['admins' as const] }
  const { uid: viewUid } = await createSavedView(admin, { name: 'Mine', isShared: true, ...logins })
  await expectGuarded(listSavedViews, {}, { ...by, elsewhere: null })
  await expectGuarded(listRemovedViews, undefined, { ...by, elsewhere: null })
  await expectGuarded(createSavedView, { name: 'Theirs', ...logins }, { ...by, elsewhere: null })
  await expectGuarded(getOwnSavedView, { viewUid }, by)
  await expectGuarded(updateSavedView, { viewUid, name: 'Theirs' }, by)
  await expectGuarded(updateSavedQuestion, { viewUid, ...logins }, by)
  await expectGuarded(deleteSavedView, { viewUid }, by)
  await expectGuarded(restoreSavedView, { viewUid }, by)
})

test('a name is there once for each owner, whatever its case', async () => {
  await createSavedView(admin, { name: 'Logins', ...logins })
  await expect(createSavedView(admin, { name: 'LOGINS', ...logins })).rejects.toThrow(
    'You already have a view “LOGINS”.',
  )
  await createSavedView(colleague, { name: 'Logins', ...logins })
  const { uid } = await createSavedView(admin, { name: 'Other', ...logins })
  await expect(updateSavedView(admin, { viewUid: uid, name: 'logins' })).rejects.toThrow('You already have')
  const many = Array.from({ length: 10 }, () => createSavedView(admin, { name: 'At once', ...logins }))
  expect((await Promise.allSettled(many)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a request that is repeated saves one view, and what was typed since is a change', async () => {
  const uid = randomUUID()
  const save = (name: string, as = admin) => createSavedView(as, { uid, name, ...logins })
  await Promise.all(Array.from({ length: 10 }, () => save('Once')))
  await save('Typed since')
  expect(await names(admin)).toEqual(['Typed since'])
  const actions = (await listAuditEntries(admin, { entity: 'saved_view', entityUid: uid })).map(({ action }) => action)
  expect(actions).toEqual(['saved_view.created', 'saved_view.updated'])
  await expect(save('Theirs', colleague)).rejects.toThrow(NotFound)
})

test('one person has at most 100 views, also when many are saved at once', async () => {
  await sql`
    insert into saved_views (site_id, user_id, name, name_key, report, question)
    select site_id, id, 'View ' || n, 'view ' || n, 'videos', '{"period": "7days"}' from users, generate_series(1, 98) n
    where users.id = ${admin.viewer?.id}`.execute(db)
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => createSavedView(admin, { name: `New ${index}`, ...logins })),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  await expect(createSavedView(admin, { name: 'One more', ...logins })).rejects.toThrow('at most 100 views')
  const [first, second] = [await listSavedViews(admin), await listSavedViews(admin, { page: 2, size: 50 })]
  expect([first.total, first.items.length, second.items.length]).toEqual([100, 50, 50])
  await deleteSavedView(admin, { viewUid: first.items[0]?.uid ?? '' })
  await createSavedView(admin, { name: 'One more', ...logins })
  await expect(restoreSavedView(admin, { viewUid: first.items[0]?.uid ?? '' })).rejects.toThrow('at most 100 views')
})

test('what was deleted can be brought back for thirty days, unless its name is taken', async () => {
  const { uid } = await createSavedView(admin, { name: 'Logins', ...logins })
  await deleteSavedView(admin, { viewUid: uid })
  await expect(deleteSavedView(admin, { viewUid: uid })).rejects.toThrow(NotFound)
  expect((await listRemovedViews(admin)).map(({ name }) => name)).toEqual(['Logins'])
  expect(await listRemovedViews(colleague)).toEqual([])
  const other = await createSavedView(admin, { name: 'logins', ...logins })
  await expect(restoreSavedView(admin, { viewUid: uid })).rejects.toThrow('You already have')
  await deleteSavedView(admin, { viewUid: other.uid })
  await Promise.all(Array.from({ length: 10 }, () => restoreSavedView(admin, { viewUid: uid })))
  expect(await names(admin)).toEqual(['Logins'])
  const later = { ...admin, now: new Date(admin.now.getTime() + 31 * 86_400_000) }
  await expect(restoreSavedView(later, { viewUid: other.uid })).rejects.toThrow('too long ago')
  await purgeDeletedReports(later)
  await expect(restoreSavedView(admin, { viewUid: other.uid })).rejects.toThrow(NotFound)
})

test('a view says what of it no longer exists', async () => {
  const audience = await createAudience(admin, {
    name: 'Learners here',
    conditions: [{ about: 'group', how: 'is', values: ['learners'] }],
  })
  const question = { ...logins.question, filters: { audience: audience.uid, group: 'learners' } }
  await createSavedView(admin, { name: 'A', path: 'logins/total', question })
  await createSavedView(admin, { name: 'B', path: 'users', question: { fields: 'email,joined' } })
  await createSavedView(admin, { name: 'C', ...logins })
  const problems = async () => (await listSavedViews(admin)).items.map(({ problem }) => problem)
  expect(await problems()).toEqual([null, null, null])
  expect((await listSavedViews(admin)).items[0]?.words.sort()).toEqual(['Learners', 'Learners here'])
  await deleteAudience(admin, { audienceUid: audience.uid })
  await sql`
    update saved_views set question = '{"fields": "email,shoe_size"}' where name = 'B'`.execute(db)
  await sql`update saved_views set report = 'horoscopes' where name = 'C'`.execute(db)
  expect(await problems()).toEqual([
    'The audience of this report no longer exists.',
    'A field of this report no longer exists.',
    'This report no longer exists.',
  ])
})

test('an opened view whose question can no longer be asked says so', async () => {
  const { uid } = await createSavedView(admin, { name: 'Old', ...logins })
  const params = new URLSearchParams({ period: '7days', aggregate_by: 'Institution', view: uid })
  const opened = async () => {
    const answer = await getReportView(admin, { id: 'logins-total', params })
    return 'view' in answer ? answer.view.view : answer
  }
  expect(await opened()).toMatchObject({ name: 'Old', isBroken: false })
  await sql`update saved_views set question = '{"period": "eternity"}' where uid = ${uid}`.execute(db)
  expect(await opened()).toMatchObject({ name: 'Old', saved: null, isBroken: true })
})
