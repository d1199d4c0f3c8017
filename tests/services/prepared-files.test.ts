/** Prepared files: long reports that a job makes, for whoever asked for them. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { missingFile, reportFileLimits, unreadyFile } from '~/forms/report-files.ts'
import { csvText } from '~/lib/csv.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { Conflict, Invalid, NotFound } from '~/services/errors.ts'
import { deleteExpiredReportFiles } from '~/services/reports/delete-expired-files.server.ts'
import { eraseReports } from '~/services/reports/erase-reports.server.ts'
import { makeReportFile } from '~/services/reports/make-report-file.server.ts'
import { sendReportFileMail } from '~/services/reports/report-file-mail.server.ts'
import {
  cancelReportFile,
  createReportFile,
  deleteReportFile,
  getReportFile,
  getReportFileToServe,
  keyOfReportFile,
  listReportFiles,
  reportFilesPrefix,
} from '~/services/reports/report-files.server.ts'
import { openReport } from '~/services/reports/reports.server.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { setStorage, storage } from '~/services/storage/storage.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

let ana: Viewer
let admin: Ctx
let colleague: Ctx
let nsAdmin: Ctx
/** Jobs of the site act for nobody. */
const job = () => ({ ...ctx, viewer: null })

const anAdmin = (more: object = {}) => aUser(db, { groups: ['admins'], plan: null, ...more })

beforeAll(async () => {
  await sql`
    insert into search_queries (site_id, at, query, type, results)
    select ${site.id}, now(), case n when 1 then '=1+1' else 'term ' || n end, 'all', 1 from generate_series(1, 2000) n`.execute(
    db,
  )
  await sql`analyze search_queries`.execute(db)
  nsAdmin = await aContext(db, { viewer: await anAdmin({ site: 'ns' }), site: 'ns' })
})

beforeEach(async () => {
  await sql`delete from report_files`.execute(db)
  await sql`delete from mails`.execute(db)
  await takeJobs(db, 'make-report-file')
  await takeJobs(db, 'send-report-file-mail')
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'files-'))
  setStorage(diskStorage(path.join(env().DATA_DIR, 'files')))
  ana = await anAdmin({ firstName: 'Ana' })
  admin = await aContext(db, { viewer: ana })
  colleague = await aContext(db, { viewer: await anAdmin() })
})

const terms = { path: 'search_terms', question: { period: 'this_year' } }
const ask = async (as = admin, asked: object = {}) => (await createReportFile(as, { ...terms, ...asked })).uid
const make = (fileUid: string, attempt = {}) => makeReportFile(job(), { fileUid }, attempt)
const later = (days: number, as: Ctx = admin): Ctx => ({ ...as, now: new Date(ctx.now.getTime() + days * 86_400_000) })

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of storage().list(reportFilesPrefix)) found.push(key)
  return found
}

async function textOf(key: string): Promise<string> {
  let text = ''
  for await (const part of (await storage().read(key)).setEncoding('utf8')) text += part
  return text
}

async function mails(): Promise<string[]> {
  const folder = path.join(env().DATA_DIR, 'outbox')
  const names = await readdir(folder).catch(() => [])
  const raw = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
  return raw.map((mail) => {
    const [, body = ''] = /text\/plain[\s\S]*?\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(mail) ?? []
    return `${mail.split(/\r?\n\r?\n/)[0]}\n${Buffer.from(body, 'base64').toString('utf8')}`
  })
}

async function sendMails(): Promise<number> {
  const jobs = await takeJobs(db, 'send-report-file-mail')
  const results = await Promise.all(jobs.map((input) => sendReportFileMail(job(), input)))
  return results.reduce((sum, { sent }) => sum + sent, 0)
}

const limits = { rows: env().REPORT_DOWNLOAD_ROWS, seconds: env().REPORT_DOWNLOAD_SECONDS }
const setLimits = ({ rows, seconds }: typeof limits) =>
  Object.assign(env(), { REPORT_DOWNLOAD_ROWS: rows, REPORT_DOWNLOAD_SECONDS: seconds })

test('C-239 the planner tells a long report from a short one, without reading it', async () => {
  const estimate = async () => (await openReport(admin, terms)).estimate()
  const { rows, isLong } = await estimate()
  expect([rows > 1000 && rows < 4000, isLong]).toEqual([true, false])
  setLimits({ ...limits, rows: 500 })
  expect((await estimate()).isLong).toBe(true)
  setLimits({ ...limits, seconds: 0 })
  expect((await estimate()).isLong).toBe(true)
  setLimits(limits)
})

test('C-239 a file has what the download has, and its requester gets a link by email', async () => {
  const uid = await ask()
  expect(await getReportFile(admin, { fileUid: uid })).toMatchObject({ state: 'waiting', rows: 0, bytes: null })
  const [queued] = await takeJobs(db, 'make-report-file')
  expect(queued).toEqual({ fileUid: uid, site: site.key })
  expect(await make(uid)).toEqual({ rows: 2000 })
  expect(await make(uid), 'run twice').toEqual({ ended: 'it has no work left' })

  const { fileName, parts } = await openReport(admin, terms)
  let expected = ''
  for await (const rows of parts) expected += csvText(rows, { isFirst: expected === '' })
  const file = await getReportFileToServe(admin, { fileUid: uid })
  expect(file).toMatchObject({ fileName, size: Buffer.byteLength(expected) })
  expect(await textOf(file.storageKey)).toBe(expected)
  expect(expected).toContain("\r\n'=1+1,")
  const { items, total } = await listReportFiles(admin)
  expect([total, items[0]]).toMatchObject([1, { uid, state: 'ready', rows: 2000, bytes: file.size, fileName }])

  expect(await sendMails()).toBe(1)
  const [mail = ''] = await mails()
  expect(mail).toContain('Subject: Your file is ready: Search terms, This Year')
  expect(mail).toContain(`It is called “${fileName}”.`)
  expect(mail).toContain(`${site.baseUrl}/dashboard/reports/files/#file-${uid}`)
  expect(mail).toContain('You have to be logged in as an admin. Nobody else can download it.')
  expect(mail).not.toMatch(/attachment|2,?000/i)
  // The job of the mail may run again.
  expect(await sendReportFileMail(job(), { fileUid: uid })).toEqual({ sent: 1 })
  expect(await mails()).toHaveLength(1)
})

test('C-201 a file is for who asked for it, while they are an admin of the site', async () => {
  const fileUid = await ask()
  await make(fileUid)
  for (const as of [colleague, nsAdmin]) {
    for (const call of [getReportFile, getReportFileToServe, cancelReportFile, deleteReportFile]) {
      await expect(call(as, { fileUid })).rejects.toThrow(NotFound)
    }
    expect((await listReportFiles(as)).items).toEqual([])
    await expect(createReportFile(as, { ...terms, uid: fileUid })).rejects.toThrow(NotFound)
  }
  const by = { by: ['admins' as const], elsewhere: null }
  await expectGuarded((as) => createReportFile(as, terms), {}, by)
  await expectGuarded((as) => listReportFiles(as), {}, by)
  for (const call of [getReportFile, getReportFileToServe, cancelReportFile, deleteReportFile]) {
    await expectGuarded<{ fileUid: string }>(call, { fileUid }, { by: ['admins'] })
  }
  const reading = { ...admin, scopes: ['read'] }
  for (const call of [cancelReportFile, deleteReportFile]) {
    await expect(call(reading, { fileUid })).rejects.toThrow('do not allow write access')
  }
  // The context of a request has the groups of that moment.
  const demoted = await aContext(db, { viewer: { ...ana, groups: ['authors'] } })
  await expect(getReportFileToServe(demoted, { fileUid })).rejects.toThrow('permission')
  expect((await getReportFileToServe(admin, { fileUid })).size).toBeGreaterThan(0)
})

test('whoever stops being an admin gets no file and no mail', async () => {
  const [first, second] = [await ask(), await ask(admin, { question: { period: 'all_time' } })]
  await make(first)
  await db.deleteFrom('user_groups').where('user_id', '=', ana.id).execute()
  expect(await make(second)).toEqual({ ended: 'You are no longer an admin.' })
  expect(await getReportFile(admin, { fileUid: second })).toMatchObject({ state: 'failed', bytes: null })
  expect(await sendMails()).toBe(0)
  expect(await keys()).toHaveLength(1)
})

test('the same question asked ten times at once is one file, and so is a repeated request', async () => {
  const uids = await Promise.all(Array.from({ length: 10 }, () => ask()))
  expect(new Set(uids).size).toBe(1)
  expect(await takeJobs(db, 'make-report-file')).toHaveLength(1)
  const [uid = ''] = uids
  expect(await createReportFile(admin, { ...terms, question: { ...terms.question, compare: 'previous' } })).toEqual({
    uid,
    isNew: false,
  })
  await make(uid)
  expect(await createReportFile(admin, { ...terms, uid }), 'the form is sent again').toEqual({ uid, isNew: false })
  expect((await createReportFile(later(0.01), terms)).isNew, 'asked anew').toBe(true)
})

test('a person has two unfinished files at most, and a site five that wait', async () => {
  const years = (n: number) => ({ question: { period: 'this_year', on: `2026-01-0${n}` } })
  const refused = await Promise.allSettled([1, 2, 3, 4].map((n) => ask(admin, years(n))))
  expect(refused.filter(({ status }) => status === 'rejected')).toHaveLength(4 - reportFileLimits.ofPerson)
  await expect(ask(admin, years(5))).rejects.toThrow('You already have 2 files in preparation.')
  const others = await Promise.all([1, 2, 3, 4].map(async () => aContext(db, { viewer: await anAdmin() })))
  for (const other of others.slice(0, 3)) await ask(other)
  await expect(ask(others[3])).rejects.toThrow(Conflict)
  await expect(ask(others[3])).rejects.toThrow('5 files of this site are waiting already.')
  await ask(nsAdmin)
  const { items } = await listReportFiles(admin)
  await cancelReportFile(admin, { fileUid: items[0]?.uid ?? '' })
  await ask(others[3])
})

test('what no report answers is refused when it is asked for, and fails when it is gone', async () => {
  await expect(ask(admin, { path: 'passwords' })).rejects.toThrow(NotFound)
  await expect(ask(admin, { question: { period: 'foo' } })).rejects.toThrow(Invalid)
  await expect(ask(admin, { uid: 'nothing' })).rejects.toThrow(Invalid)
  const fileUid = await ask()
  await sql`update report_files set report = 'horoscopes'`.execute(db)
  expect(await make(fileUid)).toEqual({ ended: 'What this report is about no longer exists.' })
  expect(await sendMails()).toBe(1)
  expect((await mails())[0]).toContain('It could not be prepared. What this report is about no longer exists.')
})

test('a run that was killed leaves nothing behind, and the next one makes the file', async () => {
  const fileUid = await ask()
  // Killed after the last byte, before the row said so.
  const lost = randomUUID()
  await sql`update report_files set state = 'making', storage_key = ${lost}, rows = 7`.execute(db)
  await storage().write(keyOfReportFile(lost), Readable.from([Buffer.from('half')]), { maxBytes: 100 })
  await expect(getReportFileToServe(admin, { fileUid })).rejects.toThrow(NotFound)
  expect(await make(fileUid)).toEqual({ rows: 2000 })
  const { storageKey } = await getReportFileToServe(admin, { fileUid })
  expect(await keys()).toEqual([storageKey])
  expect(await sendMails()).toBe(1)
})

test('of two runs at once, one makes the file', async () => {
  const fileUid = await ask()
  const ended = await Promise.all([make(fileUid), make(fileUid), make(fileUid)])
  expect(ended.filter((end) => 'rows' in end)).toEqual([{ rows: 2000 }])
  const { storageKey } = await getReportFileToServe(admin, { fileUid })
  expect(await keys()).toEqual([storageKey])
  expect(await takeJobs(db, 'send-report-file-mail')).toHaveLength(1)
})

test('a worker that stops leaves the file to the next run, and the last try fails it', async () => {
  const fileUid = await ask()
  await expect(make(fileUid, { signal: AbortSignal.abort(), isLast: true })).rejects.toThrow('aborted')
  expect([(await getReportFile(admin, { fileUid })).state, await keys()]).toEqual(['making', []])
  const broken = { ...storage(), write: () => Promise.reject(new Error('the disk is gone')) }
  const whole = storage()
  setStorage(broken)
  await expect(make(fileUid)).rejects.toThrow('the disk is gone')
  expect((await getReportFile(admin, { fileUid })).state).toBe('making')
  await expect(make(fileUid, { isLast: true })).rejects.toThrow('the disk is gone')
  setStorage(whole)
  expect(await getReportFile(admin, { fileUid })).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining('Something went wrong'),
  })
  expect(await sendMails()).toBe(1)
})

test('a canceled file is never made, also if it is canceled after its last row', async () => {
  const fileUid = await ask()
  expect(await cancelReportFile(admin, { fileUid })).toEqual({ state: 'canceled' })
  expect(await cancelReportFile(admin, { fileUid }), 'twice').toEqual({ state: 'canceled' })
  expect(await make(fileUid)).toEqual({ ended: 'it has no work left' })

  const second = await ask()
  const whole = storage()
  setStorage({
    ...whole,
    write: async (...args) => {
      const written = await whole.write(...args)
      await Promise.all(Array.from({ length: 10 }, () => cancelReportFile(admin, { fileUid: second })))
      return written
    },
  })
  expect(await make(second)).toEqual({ ended: 'it was canceled' })
  expect([(await getReportFile(admin, { fileUid: second })).state, await keys()]).toEqual(['canceled', []])
  setStorage(whole)

  const third = await ask()
  await make(third)
  expect(await cancelReportFile(admin, { fileUid: third }), 'too late').toEqual({ state: 'ready' })
  expect(await sendMails()).toBe(1)
})

test('a file that is deleted takes its bytes along, once', async () => {
  const fileUid = await ask()
  await make(fileUid)
  const ended = await Promise.allSettled(Array.from({ length: 10 }, () => deleteReportFile(admin, { fileUid })))
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await keys()).toEqual([])
  await expect(getReportFileToServe(admin, { fileUid })).rejects.toThrow('This file is no longer there.')
  expect(await sendMails(), 'nothing to tell').toBe(0)
})

test('after seven days a file expires with its bytes, and after thirty more it is no longer listed', async () => {
  const fileUid = await ask()
  await make(fileUid)
  expect(await deleteExpiredReportFiles(later(6.9))).toEqual({ expired: 0, stuck: 0, bytes: 0, abandoned: 0 })
  expect((await getReportFileToServe(later(6.9), { fileUid })).size).toBeGreaterThan(0)
  // Also before the job comes.
  expect((await getReportFile(later(7), { fileUid })).state).toBe('expired')
  await expect(getReportFileToServe(later(7), { fileUid })).rejects.toThrow(NotFound)
  expect(await deleteExpiredReportFiles(later(7))).toEqual({ expired: 1, stuck: 0, bytes: 1, abandoned: 0 })
  expect(await keys()).toEqual([])
  expect((await listReportFiles(admin)).items).toMatchObject([{ state: 'expired', rows: 2000 }])
  await deleteExpiredReportFiles(later(37.1))
  expect((await listReportFiles(admin)).total).toBe(0)
})

test('a file whose job was lost fails with a mail, and one whose job waits does not', async () => {
  const lost = await ask()
  await takeJobs(db, 'make-report-file')
  const waiting = await ask(colleague)
  expect(await deleteExpiredReportFiles(ctx)).toMatchObject({ stuck: 1 })
  expect((await getReportFile(admin, { fileUid: lost })).state).toBe('failed')
  expect((await getReportFile(colleague, { fileUid: waiting })).state).toBe('waiting')
  expect(await takeJobs(db, 'send-report-file-mail')).toEqual([{ fileUid: lost, site: 'institutional' }])
  expect(await deleteExpiredReportFiles(ctx)).toMatchObject({ stuck: 0 })
})

test('what a killed process was writing is deleted once nobody has written to it for an hour', async () => {
  await make(await ask())
  const folder = path.join(env().DATA_DIR, 'files', '.tmp')
  for (const [name, minutes] of [
    ['abandoned', 61],
    ['being-written', 59],
  ] as const) {
    await writeFile(path.join(folder, name), 'Ana')
    const at = new Date(Date.now() - minutes * 60_000)
    await utimes(path.join(folder, name), at, at)
  }
  expect(await deleteExpiredReportFiles(ctx)).toMatchObject({ abandoned: 1 })
  expect(await readdir(folder)).toEqual(['being-written'])
  await rm(folder, { recursive: true })
  const write = () => storage().write('a', Readable.from(['x']), { maxBytes: 10 })
  await write().catch(() => {})
  expect((await write()).size).toBe(1)
})

test('a question that was answered minutes ago leads to its file, and a form can ask again after Cancel', async () => {
  const uid = randomUUID()
  const first = await ask(admin, { uid })
  await cancelReportFile(admin, { fileUid: first })
  const again = await createReportFile(admin, { ...terms, uid })
  expect([again.isNew, again.uid === first]).toEqual([true, false])
  await make(again.uid)
  expect(await createReportFile(later(0.005), terms)).toEqual({ uid: again.uid, isNew: false })
  expect(await createReportFile(later(0.01), terms)).toMatchObject({ isNew: true })
})

test('a file whose bytes are gone is missing: it is not served, and asking again makes a new one', async () => {
  const fileUid = await ask()
  await expect(getReportFileToServe(admin, { fileUid }), 'before it is made').rejects.toThrow(unreadyFile)
  await make(fileUid)
  await storage().delete((await getReportFileToServe(admin, { fileUid })).storageKey)
  await expect(getReportFileToServe(admin, { fileUid })).rejects.toThrow(missingFile)
  expect((await listReportFiles(admin)).items).toMatchObject([{ uid: fileUid, state: 'missing' }])
  expect((await getReportFile(admin, { fileUid })).state).toBe('missing')
  const again = await createReportFile(later(0.001), terms)
  expect([again.isNew, again.uid === fileUid]).toEqual([true, false])
  await make(again.uid)
  expect((await listReportFiles(admin)).items.map(({ state }) => state)).toEqual(['ready', 'missing'])
  expect((await getReportFile(later(8), { fileUid })).state, 'after its time').toBe('expired')
  await deleteReportFile(admin, { fileUid })
})

test('a file whose bytes were cut off is missing', async () => {
  const fileUid = await ask()
  await make(fileUid)
  const { storageKey } = await getReportFileToServe(admin, { fileUid })
  await storage().delete(storageKey)
  await storage().write(storageKey, Readable.from(['half']), { maxBytes: 10 })
  await expect(getReportFileToServe(admin, { fileUid })).rejects.toThrow(missingFile)
  expect((await getReportFile(admin, { fileUid })).state).toBe('missing')
})

test('a person keeps twenty files at most, with those in preparation', async () => {
  await sql`
    insert into report_files (site_id, user_id, report, question, about, file_name, state, storage_key, rows, bytes, asked_at, ended_at, expires_at)
    select ${site.id}, ${ana.id}, 'search_terms', '{}', '{}', 'old.csv', 'ready', gen_random_uuid(), 1, 1, ${ctx.now}, ${ctx.now}, ${later(7).now}
    from generate_series(1, ${reportFileLimits.kept}::int)`.execute(db)
  await expect(ask()).rejects.toThrow('You have 20 files. Delete one that you no longer need, and ask again.')
  const [one] = (await listReportFiles(admin)).items
  await deleteReportFile(admin, { fileUid: one?.uid ?? '' })
  await ask()
  const another = { ...terms, question: { period: 'last_month' } }
  await expect(createReportFile(admin, another)).rejects.toThrow('You have 20 files.')
  await ask(colleague)
})

test('files about somebody who is erased go too, and the mail about them never had the name in its subject', async () => {
  const person = await aUser(db, { firstName: 'Ida', lastName: 'Gone' })
  const about = await ask(admin, { path: 'logins', question: { period: 'this_year', filters: { person: person.uid } } })
  await make(about)
  const kept = await ask(colleague)
  await make(kept)
  await sendReportFileMail(job(), { fileUid: about })
  const subjects = async () =>
    (await sql<{ subject: string }>`select subject from mails order by id`.execute(db)).rows.map(
      ({ subject }) => subject,
    )
  expect(await subjects()).toEqual(['Your file is ready: Logins, This Year'])
  await eraseReports(ctx, { userIds: [person.id] })
  expect((await listReportFiles(admin)).total).toBe(0)
  expect((await listReportFiles(colleague)).total).toBe(1)
  await deleteExpiredReportFiles(ctx)
  expect(await keys()).toEqual([(await getReportFileToServe(colleague, { fileUid: kept })).storageKey])
})

test('a file about a position goes with the last person of its site who has it, and its mail does not name it', async () => {
  const people = [await aUser(db), await aUser(db), await aUser(db), await aUser(db, { site: 'ns', plan: null })]
  const nsSite = (await aContext(db, { site: 'ns' })).site
  for (const [index, { id }] of people.entries()) {
    const position = index === 0 || index === 3 ? 'Keeper of the yeast' : 'Professor'
    await sql`
      insert into user_facets (user_id, site_id, position)
      values (${id}, ${index === 3 ? nsSite.id : site.id}, ${position})
      on conflict (user_id) do update set position = excluded.position`.execute(db)
  }
  const about = (position: string) =>
    ask(admin, { path: 'logins', question: { period: 'this_year', filters: { position } } })
  const [keeper, professors] = [await about('Keeper of the yeast'), await about('Professor')]
  await make(keeper)
  await sendReportFileMail(job(), { fileUid: keeper })
  const { rows: mails } = await sql<{ subject: string }>`select subject from mails`.execute(db)
  expect(mails.map(({ subject }) => subject)).toEqual(['Your file is ready: Logins, This Year'])
  await eraseReports(ctx, { userIds: people.slice(0, 2).map(({ id }) => id) })
  expect((await listReportFiles(admin)).items.map(({ uid }) => uid)).toEqual([professors])
})

test('the files of somebody who is erased go with the account', async () => {
  await make(await ask())
  const kept = await ask(colleague)
  await make(kept)
  await eraseReports(ctx, { userIds: [ana.id] })
  await deleteExpiredReportFiles(ctx)
  expect(await keys()).toEqual([(await getReportFileToServe(colleague, { fileUid: kept })).storageKey])
})
