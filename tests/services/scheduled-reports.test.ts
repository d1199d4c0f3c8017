/** Scheduled reports: when they go out, to whom, what the mail says, and when they end. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { scheduledReportLimits } from '~/forms/scheduled-reports.ts'
import { getScheduledReports } from '~/pages/scheduled-reports.server.ts'
import { recordSignIn } from '~/services/accounts/sign-ins.server.ts'
import { countAudiencesOfInstitution } from '~/services/audiences/audiences-of-institution.server.ts'
import { createAudience, deleteAudience } from '~/services/audiences/save-audience.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { getReportRun, markReportOpened } from '~/services/reports/open-run.server.ts'
import { replaceReportInstitution } from '~/services/reports/report-institution.server.ts'
import { listColleagues } from '~/services/reports/report-recipients.server.ts'
import { getReportChoice } from '~/services/reports/reports.server.ts'
import { countReportsOfInstitution } from '~/services/reports/reports-of-institution.server.ts'
import { runScheduledReports, sendReportMail } from '~/services/reports/run-scheduled-reports.server.ts'
import { createSavedView } from '~/services/reports/saved-views.server.ts'
import {
  createScheduledReport,
  deleteScheduledReport,
  getScheduledReport,
  listRemovedReports,
  listScheduledReports,
  pauseScheduledReport,
  restoreScheduledReport,
  resumeScheduledReport,
  updateScheduledReport,
} from '~/services/reports/scheduled-reports.server.ts'
import { sendReportNow } from '~/services/reports/send-report-now.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { endMails } from '~/services/users/mail-choices.server.ts'
import { deleteUniversity, restoreUniversity } from '~/services/users/replace-university.server.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

const timeZone = 'America/New_York'
let admin: Ctx
let ana: Viewer
let otto: Viewer
let recipients: string[]
let institutionUid: string

const at = (time: string, as: Ctx = admin): Ctx => ({ ...as, now: new Date(time), site: { ...as.site, timeZone } })
const system = (time: string): Ctx => at(time, { ...ctx, viewer: null })

beforeAll(async () => {
  await db.updateTable('sites').set({ time_zone: timeZone }).where('id', '=', site.id).execute()
  institutionUid = (await ensureUniversity(ctx, { name: 'Helvik University' })).uid
})

const aUniversity = async (name: string) => (await ensureUniversity(ctx, { name })).uid

beforeEach(async () => {
  await sql`delete from scheduled_reports`.execute(db)
  await sql`delete from mails`.execute(db)
  await sql`delete from logins`.execute(db)
  await sql`delete from user_groups where name = 'admins'`.execute(db)
  await takeJobs(db, 'send-report-mail')
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'reports-'))
  const anAdmin = (firstName: string) => aUser(db, { groups: ['admins'], plan: null, firstName, lastName: 'Moreau' })
  ;[ana, otto] = [await anAdmin('Ana'), await anAdmin('Otto')]
  admin = await aContext(db, { viewer: ana })
  recipients = [ana.uid, otto.uid].sort()
})

const logins = { path: 'logins/total', question: { period: '7days', aggregateBy: 'Institution' } }
const daily = () => ({ ...logins, often: 'daily' as const, time: '08:00', recipients })

/** Eight in the morning of the site. */
const morning = (day: string) => `2026-11-${day}T13:00:00Z`

async function sendAll(time = morning('18')): Promise<number> {
  const jobs = await takeJobs(db, 'send-report-mail')
  const results = await Promise.all(jobs.map((job) => sendReportMail(system(time), job)))
  return results.reduce((sum, { sent }) => sum + sent, 0)
}

async function mails(): Promise<string[]> {
  const folder = path.join(env().DATA_DIR, 'outbox')
  const names = (await readdir(folder).catch(() => [])).sort()
  const raw = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
  return raw.map((mail) => {
    const [, body = ''] = /text\/plain[\s\S]*?\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(mail) ?? []
    return `${mail.split(/\r?\n\r?\n/)[0]}\n${Buffer.from(body, 'base64').toString('utf8')}`
  })
}

const run = (day: string) => runScheduledReports(system(morning(day)))
const only = async () => {
  const { items } = await listScheduledReports(admin)
  expect(items).toHaveLength(1)
  return items[0] as NonNullable<(typeof items)[0]>
}
async function lastRunUid(): Promise<string> {
  const { rows } = await sql<{ uid: string }>`select uid from report_runs order by due_at desc limit 1`.execute(db)
  return rows[0]?.uid ?? ''
}
const groupsOf = (viewer: Viewer) => db.deleteFrom('user_groups').where('user_id', '=', viewer.id)
const setUser = (viewer: Viewer, change: object) =>
  db.updateTable('users').set(change).where('id', '=', viewer.id).execute()

test('a report whose institution was deleted names it, and goes out again with another one', async () => {
  const [gone, other] = [await aUniversity('Gone University'), await aUniversity('Other University')]
  const question = { ...logins.question, filters: { institution: gone } }
  const { uid } = await createScheduledReport(at(morning('17')), { ...daily(), question })
  const input = { reportUid: uid, institution: other }
  await expect(replaceReportInstitution(admin, input), 'its own is there').rejects.toThrow(/does not need another/)
  await deleteUniversity(admin, { institution: gone, replacement: other })
  expect((await only()).described).toMatchObject({
    words: ['Gone University (deleted)'],
    problem: 'The institution of this report no longer exists.',
    isInstitutionGone: true,
  })
  const refused = 'The institution of this report no longer exists. Choose another institution.'
  for (const change of [pauseScheduledReport, resumeScheduledReport, sendReportNow]) {
    await expect(change(admin, { reportUid: uid }), 'before it stops').rejects.toThrow(refused)
  }
  expect((await only()).state).toBe('active')
  expect(await run('18')).toEqual({ sent: 0, paused: 0, stopped: 1 })
  for (const change of [pauseScheduledReport, resumeScheduledReport, sendReportNow]) {
    await expect(change(admin, { reportUid: uid }), 'after it has stopped').rejects.toThrow(refused)
  }
  await expectGuarded(replaceReportInstitution, input, { by: ['admins'] })
  await expect(replaceReportInstitution(admin, { ...input, institution: gone })).rejects.toMatchObject({
    fieldErrors: { institution: 'This institution no longer exists. Choose another one.' },
  })
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => replaceReportInstitution(at(morning('18')), input)),
  )
  expect(results.map((result) => result.status === 'fulfilled' && result.value.nextAt)).toEqual(
    Array.from({ length: 5 }, () => new Date(morning('19'))),
  )
  const audit = sql<{ action: string }>`
    select action from audit_entries where entity_uid = ${uid} and action = 'scheduled_report.updated'`
  expect((await audit.execute(db)).rows, 'it was done once').toHaveLength(1)
  const { state, problem, nextAt, described } = await only()
  expect([state, problem, nextAt]).toEqual(['active', null, new Date(morning('19'))])
  expect(described).toMatchObject({ words: ['Other University'], problem: null })
  expect((await run('19')).sent).toBe(1)
})

test('a report that stopped because its institution was merged can go out again after the undo, and says so', async () => {
  const [gone, replacement] = [await aUniversity('Merged University'), await aUniversity('Fourth University')]
  const question = { ...logins.question, filters: { institution: gone } }
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), { ...daily(), question })
  const runUid = randomUUID()
  const sent = await sendReportNow(at(morning('17')), { reportUid, runUid })
  const { removalUid } = await deleteUniversity(admin, { institution: gone, replacement })
  expect(await sendReportNow(at(morning('17')), { reportUid, runUid }), 'the lost answer').toEqual(sent)
  expect((await run('18')).stopped).toBe(1)
  const shown = async () => (await getScheduledReports(admin, { page: 1 })).rows[0]
  expect(await shown()).toMatchObject({
    state: 'Stopped',
    problem: 'The institution of this report no longer exists.',
    verb: null,
  })
  await restoreUniversity(admin, { removalUid })
  const { problem, ...row } = (await shown()) ?? {}
  expect(problem).toMatch(/^When it was last due: The institution of this report no longer exists\. Press Resume/)
  expect(row).toMatchObject({
    state: 'Stopped',
    isInstitutionGone: false,
    verb: 'Resume',
  })
  await resumeScheduledReport(at(morning('18')), { reportUid })
  expect(await shown()).toMatchObject({ state: 'Active', problem: null })
})

test('the report of one film goes out with its name, and stops when the film is gone', async () => {
  const video = await aVideo(db, { name: 'Dosing' })
  const question = { period: 'this_month', uid: video.uid }
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), { ...daily(), path: 'videos', question })
  expect((await run('18')).sent).toBe(1)
  await sendAll()
  expect((await mails()).at(-1)).toContain('Dosing')
  await sql`delete from videos where uid = ${video.uid}`.execute(db)
  expect((await run('19')).stopped).toBe(1)
  const [row] = (await getScheduledReports(admin, { page: 1 })).rows
  expect(row).toMatchObject({ state: 'Stopped', problem: 'The film of this report no longer exists.', verb: null })
  await expect(resumeScheduledReport(admin, { reportUid })).rejects.toThrow('Schedule another report.')
})

test('a paused report gets another institution and stays paused', async () => {
  const [gone, institution] = [await aUniversity('Left University'), await aUniversity('Third University')]
  const question = { ...logins.question, filters: { institution: gone } }
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), { ...daily(), question })
  await pauseScheduledReport(admin, { reportUid })
  await deleteUniversity(admin, { institution: gone, replacement: institution })
  await pauseScheduledReport(admin, { reportUid })
  expect(await replaceReportInstitution(admin, { reportUid, institution })).toEqual({ nextAt: null })
  expect(await only()).toMatchObject({ state: 'paused', nextAt: null, described: { problem: null } })
})

test('whoever deletes an institution learns which views, reports and audiences about it stop', async () => {
  const question = { ...logins.question, filters: { institution: institutionUid.toUpperCase() } }
  await createSavedView(admin, { name: 'Helvik', path: logins.path, question })
  await createSavedView(admin, { name: 'Everybody', ...logins })
  const { uid } = await createScheduledReport(admin, { ...daily(), question })
  await createScheduledReport(admin, { ...daily(), question })
  await createScheduledReport(admin, daily())
  await deleteScheduledReport(admin, { reportUid: uid })
  expect(await countReportsOfInstitution(admin, { institutionUid })).toEqual({ views: 1, schedules: 1 })
  const nsAdmin = await aContext(db, {
    site: 'ns',
    viewer: await aUser(db, { site: 'ns', groups: ['admins'], plan: null }),
  })
  expect(await countReportsOfInstitution(nsAdmin, { institutionUid })).toEqual({ views: 0, schedules: 0 })
  await expectGuarded(countReportsOfInstitution, { institutionUid }, { by: ['admins'], elsewhere: null })
  const conditions = [{ about: 'institution', how: 'is', values: [institutionUid] }]
  await createAudience(admin, { name: 'Helvik', conditions })
  await createAudience(admin, { name: 'Others', conditions: [{ ...conditions[0], values: ['none'] }] })
  expect(await countAudiencesOfInstitution(admin, { institutionUid: institutionUid.toUpperCase() })).toBe(1)
  expect(await countAudiencesOfInstitution(nsAdmin, { institutionUid })).toBe(0)
  await expectGuarded(countAudiencesOfInstitution, { institutionUid }, { by: ['admins'], elsewhere: null })
})

test('a report goes out at its time, with a link, its days and no figures', async () => {
  const university = sql`(select id from universities where uid = ${institutionUid})`
  await sql`update users set university_id = ${university} where id = ${otto.id}`.execute(db)
  await recordSignIn(at('2026-11-17T10:00:00Z'), { userUid: otto.uid })
  const { uid, nextAt } = await createScheduledReport(at(morning('17')), { ...daily(), name: 'Logins here' })
  expect(nextAt.toISOString()).toBe('2026-11-18T13:00:00.000Z')
  expect(await runScheduledReports(system('2026-11-18T12:59:00Z'))).toEqual({ sent: 0, paused: 0, stopped: 0 })
  expect(await run('18')).toEqual({ sent: 1, paused: 0, stopped: 0 })
  expect(await run('18'), 'run twice').toEqual({ sent: 0, paused: 0, stopped: 0 })
  expect(await sendAll()).toBe(2)
  const [mail = ''] = await mails()
  expect(mail).toContain('Subject: Logins here: from Nov 12, 2026 to Nov 18, 2026')
  expect(mail).toContain('This is the report “Login totals, by institution” of Titrate.')
  expect(mail).toContain('Period: Last 7 days, from Nov 12, 2026 to Nov 18, 2026.')
  expect(mail, 'with filters, figures may be those of one person').not.toMatch(/^(People|Logins): /m)
  expect(mail).toContain(`/dashboard/reports/sent/${await lastRunUid()}/`)
  expect(mail).toContain('You have to be logged in')
  expect(mail).toContain('Stop reports by email')
  expect(mail).not.toMatch(/attachment/i)
  expect(await only()).toMatchObject({
    uid,
    state: 'active',
    nextAt: new Date('2026-11-19T13:00:00Z'),
    last: { dueAt: new Date('2026-11-18T13:00:00Z'), isEmpty: false, sent: 2, openedBy: [] },
  })
})

test('a mail says that a report is empty', async () => {
  await createScheduledReport(at(morning('17')), daily())
  await run('18')
  await sendAll()
  expect((await mails())[0]).toContain('There is nothing in this period.')
})

test('each due time has one report, whatever runs at once, and each recipient one mail', async () => {
  await createScheduledReport(at(morning('17')), daily())
  await Promise.all(Array.from({ length: 10 }, () => run('18')))
  const jobs = await takeJobs(db, 'send-report-mail')
  expect(jobs).toHaveLength(2)
  // Jobs run again after a crash.
  const again = [...jobs, ...jobs, ...jobs, ...jobs, ...jobs]
  await Promise.all(again.map((job) => sendReportMail(system(morning('18')), job)))
  expect(await mails()).toHaveLength(2)
  const { rows } = await sql<{ state: string; kind: string }>`select state, kind from mails`.execute(db)
  expect(rows).toEqual([
    { state: 'accepted', kind: 'report' },
    { state: 'accepted', kind: 'report' },
  ])
})

test('a mail that was in hand when its worker was killed is not sent again', async () => {
  await createScheduledReport(at(morning('17')), { ...daily(), recipients: [otto.uid] })
  await run('18')
  const [job] = await takeJobs(db, 'send-report-mail')
  if (!job) throw new Error('no job')
  await sendReportMail(system(morning('18')), job)
  await sql`update mails set state = 'sending', ended_at = null`.execute(db)
  await sendReportMail(system(morning('18')), job)
  expect(await mails()).toHaveLength(1)
  await sql`update mails set state = 'queued', claim = null`.execute(db)
  await sendReportMail(system(morning('18')), job)
  expect(await mails(), 'the server had not taken it').toHaveLength(2)
})

test('a worker that was off for a week sends one report, for the last due time', async () => {
  await createScheduledReport(at(morning('10')), daily())
  expect(await runScheduledReports(system('2026-11-18T20:00:00Z'))).toEqual({ sent: 1, paused: 0, stopped: 0 })
  expect(await only()).toMatchObject({
    nextAt: new Date('2026-11-19T13:00:00Z'),
    last: { dueAt: new Date('2026-11-18T13:00:00Z') },
  })
})

test('the link shows the days that the mail speaks of, and says who opened it', async () => {
  await createScheduledReport(at(morning('17')), daily())
  await run('18')
  const runUid = await lastRunUid()
  const opened = await getReportRun(admin, { runUid })
  expect(opened).toMatchObject({ path: 'logins/total', choice: { period: '7days', on: '2026-11-18' } })
  expect((await only()).last?.openedBy, 'reading it is not opening it').toEqual([])
  const colleague = await aUser(db, { groups: ['admins'], plan: null, firstName: 'Lin', lastName: 'Moreau' })
  await Promise.all(Array.from({ length: 10 }, () => markReportOpened({ ...admin, viewer: otto }, { runUid })))
  await markReportOpened({ ...admin, viewer: colleague }, { runUid })
  expect((await only()).last?.openedBy.sort()).toEqual(['Lin Moreau', 'Otto Moreau'])
  expect((await only()).last?.sent).toBe(2)
})

test('it pauses after three reports in a row that nobody opened, says so in the third, and can be resumed', async () => {
  const { uid } = await createScheduledReport(at(morning('10')), { ...daily(), recipients: [otto.uid] })
  for (const day of ['11', '12']) await run(day)
  await sendAll()
  expect((await mails()).join()).not.toContain('Nobody has opened')
  await run('13')
  await sendAll()
  expect((await mails()).at(-1)).toContain('Nobody has opened the last two')
  expect(await run('14')).toEqual({ sent: 0, paused: 1, stopped: 0 })
  expect(await sendAll()).toBe(0)
  expect(await only()).toMatchObject({ state: 'unopened', nextAt: null })
  await resumeScheduledReport(at(morning('14')), { reportUid: uid })
  for (const day of ['15', '16', '17']) expect((await run(day)).sent).toBe(1)
  // Somebody opened the last one, so counting begins again.
  await markReportOpened({ ...admin, viewer: otto }, { runUid: await lastRunUid() })
  for (const day of ['18', '19', '20']) expect((await run(day)).sent).toBe(1)
  expect(await run('21')).toEqual({ sent: 0, paused: 1, stopped: 0 })
})

test('it stops when its owner may no longer see it, and whoever resumes it becomes its owner', async () => {
  const problems: [() => Promise<unknown>, string, RegExp][] = [
    [() => groupsOf(ana).execute(), 'no_admin', /no longer an admin/],
    [() => setUser(ana, { is_active: false }), 'disabled', /disabled/],
    [() => setUser(ana, { is_active: false, erased_at: new Date() }), 'deleted', /deleted/],
  ]
  const { uid } = await createScheduledReport(at(morning('10')), { ...daily(), recipients: [otto.uid] })
  const asOtto = { ...admin, viewer: otto }
  for (const [lose, reason, words] of problems) {
    await setUser(ana, { is_active: true, erased_at: null })
    await sql`insert into user_groups (user_id, name) values (${ana.id}, 'admins') on conflict do nothing`.execute(db)
    await sql`update scheduled_reports set owner_id = ${ana.id}, state = 'active', next_at = ${morning('11')}`.execute(
      db,
    )
    await lose()
    const { items } = await listScheduledReports(asOtto)
    expect(items[0]?.ownerProblem).toBe(reason)
    expect(await run('18')).toEqual({ sent: 0, paused: 0, stopped: 1 })
    expect(await sendAll()).toBe(0)
    const stopped = await getScheduledReport(asOtto, { reportUid: uid })
    await expect(pauseScheduledReport(asOtto, { reportUid: uid })).rejects.toThrow('This report has stopped already.')
    expect([stopped.state, stopped.nextAt]).toEqual(['stopped', null])
    expect(stopped.problem).toMatch(words)
  }
  await resumeScheduledReport(at(morning('18'), asOtto), { reportUid: uid })
  expect(await getScheduledReport(asOtto, { reportUid: uid })).toMatchObject({
    state: 'active',
    problem: null,
    owner: 'Otto Moreau',
    ownerProblem: null,
  })
  expect((await run('19')).sent).toBe(1)
})

test('recipients who lost the right or opted out are left out, also after the report was made', async () => {
  const [gone, quiet, late] = await Promise.all(
    ['Gone', 'Quiet', 'Late'].map((firstName) => aUser(db, { groups: ['admins'], plan: null, firstName })),
  )
  if (!gone || !quiet || !late) throw new Error('nobody')
  await createScheduledReport(at(morning('17')), {
    ...daily(),
    recipients: [otto.uid, gone.uid, quiet.uid, late.uid],
  })
  await groupsOf(gone).execute()
  await setUser(quiet, { opted_out_of_reports: true })
  await run('18')
  expect((await only()).last?.sent).toBe(2)
  const problems = Object.fromEntries((await only()).recipients.map(({ uid, problem }) => [uid, problem]))
  expect([problems[gone.uid], problems[quiet.uid], problems[otto.uid]]).toEqual(['no_admin', 'opted_out', null])
  await setUser(late, { is_active: false })
  expect(await sendAll()).toBe(1)
})

test('the link in the mail ends reports by email', async () => {
  await createScheduledReport(at(morning('17')), { ...daily(), recipients: [otto.uid] })
  await run('18')
  await sendAll()
  const { rows } = await sql<{ token: string }>`select token from mails`.execute(db)
  expect(await endMails(ctx, { token: rows[0]?.token ?? '' })).toEqual({ choice: 'reports', isTest: false })
  await run('19')
  expect(await sendAll()).toBe(0)
})

test('it stops if what it is about no longer exists', async () => {
  const conditions = [{ about: 'group', how: 'is', values: ['learners'] }]
  const audience = await createAudience(admin, { name: 'Learners here', conditions })
  const question = { ...logins.question, filters: { audience: audience.uid } }
  const { uid } = await createScheduledReport(at(morning('17')), { ...daily(), question })
  await createScheduledReport(at(morning('17')), daily())
  await deleteAudience(admin, { audienceUid: audience.uid })
  expect(await run('18')).toEqual({ sent: 1, paused: 0, stopped: 1 })
  const why = 'The audience of this report no longer exists.'
  const { problem, described } = await getScheduledReport(admin, { reportUid: uid })
  expect([problem, described.problem]).toEqual([why, why])
  // The page that the link of an earlier mail leads to.
  await expect(getReportChoice(admin, { ...daily(), question })).rejects.toThrow(why)
  await expect(resumeScheduledReport(admin, { reportUid: uid })).rejects.toThrow(why)
  await expect(sendReportNow(admin, { reportUid: uid })).rejects.toThrow(why)
})

test('"Send now" sends once for a request, beside the due times', async () => {
  const { uid } = await createScheduledReport(at(morning('17')), daily())
  const runUid = randomUUID()
  const now = at('2026-11-17T20:00:00Z')
  await Promise.all(Array.from({ length: 10 }, () => sendReportNow(now, { reportUid: uid, runUid })))
  expect(await sendAll()).toBe(2)
  expect((await run('18')).sent).toBe(1)
  expect(await sendAll()).toBe(2)
  const { uid: other } = await createScheduledReport(at(morning('17')), { ...daily(), recipients: [otto.uid] })
  await expect(sendReportNow(now, { reportUid: other, runUid }), 'the run of another report').rejects.toThrow(
    'The report has not been sent.',
  )
})

test('"Send now" sends a report five times an hour', async () => {
  const { uid } = await createScheduledReport(at(morning('17')), { ...daily(), recipients: [otto.uid] })
  const now = at('2026-11-17T20:00:00Z')
  const sent = await Promise.allSettled(Array.from({ length: 10 }, () => sendReportNow(now, { reportUid: uid })))
  expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  expect(await sendAll()).toBe(5)
  await expect(sendReportNow(now, { reportUid: uid })).rejects.toThrow(
    'This report has been sent 5 times within an hour.',
  )
  expect(await sendReportNow(at('2026-11-17T21:01:00Z'), { reportUid: uid })).toEqual({ recipients: 1 })
})

test('scheduled reports are for admins of the site', async () => {
  const by = { by: ['admins' as const] }
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), daily())
  await run('18')
  const runUid = await lastRunUid()
  await expectGuarded(listScheduledReports, {}, { ...by, elsewhere: null })
  await expectGuarded(listRemovedReports, undefined, { ...by, elsewhere: null })
  await expectGuarded(listColleagues, {}, { ...by, elsewhere: null })
  await expectGuarded(createScheduledReport, daily(), { ...by, elsewhere: Invalid })
  for (const fn of [
    getScheduledReport,
    pauseScheduledReport,
    resumeScheduledReport,
    sendReportNow,
    deleteScheduledReport,
    restoreScheduledReport,
  ]) {
    await expectGuarded<{ reportUid: string }>(fn, { reportUid }, by)
  }
  await expectGuarded(updateScheduledReport, { ...daily(), reportUid }, by)
  await expectGuarded(getReportRun, { runUid }, by)
  await expectGuarded(markReportOpened, { runUid }, { ...by, elsewhere: null })
  const { rows } = await sql`select from report_run_people where opened_at is not null`.execute(db)
  expect(rows, 'nobody of the other site opened it').toEqual([])
})

test('what cannot be scheduled is refused with a sentence', async () => {
  const refused = (more: object) => expect(createScheduledReport(admin, { ...daily(), ...more })).rejects
  await refused({ often: 'hourly' }).toThrow('Choose how often')
  await refused({ time: '25:00' }).toThrow('Choose a time')
  await refused({ often: 'monthly', monthDay: '31' }).toThrow('Choose a day')
  await refused({ recipients: [] }).toThrow('Choose one or more colleagues')
  await refused({ recipients: ['ada@titrate.example'] }).toThrow('Please choose again')
  const learner = await aUser(db)
  const theirs = await aUser(db, { site: 'ns', groups: ['admins'], plan: null })
  for (const { uid } of [learner, theirs]) await refused({ recipients: [uid] }).toThrow('not an admin of this site')
  await refused({ question: { period: 'foo' } }).toThrow(Invalid)
  await refused({ path: 'passwords' }).toThrow(NotFound)
  const ofPosition = { path: 'logins', question: { period: '7days', filters: { position: 'Student' } } }
  await refused(ofPosition).toThrow('A position may be what one person typed.')
  expect((await listScheduledReports(admin)).total).toBe(0)
})

test('a request that is repeated schedules one report, and what was typed since is a change', async () => {
  const uid = randomUUID()
  const save = (name: string, as = admin) => createScheduledReport(as, { ...daily(), uid, name })
  await Promise.all(Array.from({ length: 10 }, () => save('Once')))
  await save('Typed since')
  expect((await only()).name).toBe('Typed since')
  await expect(save('Theirs', { ...admin, viewer: otto })).rejects.toThrow(NotFound)
})

test('two admins who edit a report are merged, and told what they both changed', async () => {
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), { ...daily(), name: 'Logins' })
  const asOtto = { ...admin, viewer: otto }
  const save = (as: Ctx, change: object) =>
    updateScheduledReport(at(morning('17'), as), { ...daily(), name: 'Logins', reportUid, revision: 0, ...change })
  await save(asOtto, { often: 'weekly', weekday: '1' })
  expect((await only()).nextAt).toEqual(new Date(morning('23')))
  expect((await save(admin, { name: 'Renamed' })).keptOfOthers).toEqual(['often'])
  await expect(save(admin, { often: 'monthly' })).rejects.toThrow(ChangedMeanwhile)
  expect(await only()).toMatchObject({ name: 'Renamed', often: { every: 'weekly', day: 1 } })
})

test('pausing, resuming, deleting and restoring can be done twice, and are in the audit log', async () => {
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), daily())
  const ten = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 10 }, work))
  await ten(() => pauseScheduledReport(at(morning('17')), { reportUid }))
  expect(await run('18')).toEqual({ sent: 0, paused: 0, stopped: 0 })
  await ten(() => resumeScheduledReport(at('2026-11-18T20:00:00Z'), { reportUid }))
  expect((await only()).nextAt).toEqual(new Date(morning('19')))
  await deleteScheduledReport(at('2026-11-18T20:00:00Z'), { reportUid })
  await expect(deleteScheduledReport(admin, { reportUid })).rejects.toThrow(NotFound)
  expect((await run('19')).sent).toBe(0)
  expect(await listRemovedReports(at('2026-11-20T20:00:00Z'))).toHaveLength(1)
  await ten(() => restoreScheduledReport(at('2026-11-20T20:00:00Z'), { reportUid }))
  expect((await only()).nextAt).toEqual(new Date(morning('21')))
  const entries = await listAuditEntries(admin, { entity: 'scheduled_report', entityUid: reportUid })
  expect(entries.map(({ action }) => action.split('.')[1])).toEqual([
    'created',
    'paused',
    'resumed',
    'deleted',
    'restored',
  ])
  const later = (time: string) => restoreScheduledReport(at(time), { reportUid })
  await deleteScheduledReport(at('2026-11-21T20:00:00Z'), { reportUid })
  await expect(later('2027-01-01T20:00:00Z')).rejects.toThrow('too long ago')
})

test('nobody has more than fifty, also when deleted ones come back', async () => {
  const { uid: reportUid } = await createScheduledReport(at(morning('17')), daily())
  await deleteScheduledReport(at(morning('17')), { reportUid })
  for (let count = 0; count < scheduledReportLimits.reports; count++) {
    await createScheduledReport(at(morning('17')), daily())
  }
  await expect(createScheduledReport(at(morning('17')), daily())).rejects.toThrow('at most 50 reports')
  await expect(restoreScheduledReport(at(morning('17')), { reportUid })).rejects.toThrow('at most 50 reports')
})

test('the list is paged', async () => {
  for (let count = 0; count < 3; count++) await createScheduledReport(at(morning('17')), daily())
  const { items, total } = await listScheduledReports(admin, { size: 2 })
  expect([items.length, total]).toEqual([2, 3])
})

test('what is sent about one person is kept without the name, and the schedule stops once the person is erased', async () => {
  const person = await aUser(db, { firstName: 'Ida', lastName: 'Gone' })
  const question = { period: '7days', filters: { person: person.uid } }
  await createScheduledReport(at(morning('17')), { ...daily(), path: 'logins', question })
  await run('18')
  expect(await sendAll()).toBe(2)
  const { rows } = await sql<{ text: string }>`
    select subject as text from mails union all select content::text from report_runs`.execute(db)
  expect(rows).toHaveLength(3)
  expect(rows.filter(({ text }) => text.includes('Gone'))).toEqual([])
  await erase(db, person)
  expect(await run('19')).toEqual({ sent: 0, paused: 0, stopped: 1 })
  expect((await only()).problem).toBe('The person of this report no longer exists.')
})
