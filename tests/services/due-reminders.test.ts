/** Reminders of what is due: whom, when, once, and what the mail says. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { daysFrom } from '~/lib/due.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { dueLetter } from '~/services/assignments/due-letter.ts'
import { remindOfDueWork, sendDueReminder } from '~/services/assignments/remind-of-due-work.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, db } from '../support/test.ts'

const system: Ctx = { ...ctx, site: { ...ctx.site, timeZone: 'America/New_York' } }

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const assay = await aModule(admin, { name: 'Assay' })
const other = await aModule(admin, { name: 'Biomarkers' })
const course = await aCourse(db, { name: 'Chemistry' })
const day = '2030-06-14'
/** A time of that day in the time zone of the site. */
const at = (hour: string, on = day): Ctx => ({ ...system, now: new Date(`${on}T${hour}:00-04:00`) })
const noon = at('12:00')

beforeEach(async () => {
  await sql`delete from assignment_reminders`.execute(db)
  await sql`delete from module_assignments`.execute(db)
  await sql`delete from course_assignments`.execute(db)
  await takeJobs(db, 'send-due-reminder')
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'reminders-'))
})

async function due(person: Viewer, itemUid: string, days: number, kind: 'module' | 'course' = 'module') {
  await changeAssignments(admin, { kind, action: 'ASSIGN', userUids: [person.uid], itemUids: [itemUid] })
  await sql`
    update ${sql.table(`${kind}_assignments`)} set due_on = ${daysFrom(day, days)}::date
    where user_id = ${person.id} and ${sql.ref(`${kind}_id`)} = (
      select id from ${sql.table(`${kind}s`)} where uid = ${itemUid})`.execute(db)
}

/** Runs the jobs that send, and returns how many mails went out. */
async function sendAll(ctx = noon): Promise<number> {
  const jobs = await takeJobs(db, 'send-due-reminder')
  const results = await Promise.all(jobs.map((job) => sendDueReminder(ctx, job)))
  return results.reduce((sum, { sent }) => sum + sent, 0)
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

test('one mail for each person and day lists everything that is due, and nothing else', async () => {
  const person = await aUser(db, { firstName: 'Ada', email: 'due@titrate.example' })
  await due(person, assay.uid, 7)
  await due(person, other.uid, -1)
  await due(person, course.uid, 1, 'course')
  expect(await remindOfDueWork(noon)).toEqual({ reminded: 1 })
  expect(await remindOfDueWork(noon), 'run twice').toEqual({ reminded: 0 })
  expect(await sendAll()).toBe(1)
  const [mail = ''] = await mails()
  expect(mail).toMatch(/^To: .*due@titrate.example/m)
  expect(mail).toContain('Subject: 3 things are due')
  const order = [
    'Module: Biomarkers. Due Jun 13, late.',
    'Course: Chemistry. Due Jun 15.',
    'Module: Assay. Due Jun 21.',
  ]
  expect(mail.indexOf(order[0] ?? '')).toBeGreaterThan(0)
  expect(order.map((line) => mail.indexOf(line))).toEqual(order.map((line) => mail.indexOf(line)).sort((a, b) => a - b))
  expect(mail).toContain('/my-learning/assigned/')
  expect(mail).toContain('You can choose which emails you get in your account')
})

test('mails go out between 8 and 20 by the clocks of the site, on the day a week and a day before and a day after', async () => {
  const person = await aUser(db)
  await due(person, assay.uid, 0)
  const reminded = async (days: number, hour: string) => {
    const ctx = at(hour, daysFrom(day, days))
    return (await remindOfDueWork(ctx)).reminded
  }
  for (const [days, hour] of [
    [-7, '07:59'],
    [-7, '20:00'],
    [-8, '12:00'],
    [-6, '12:00'],
    [0, '12:00'],
    [2, '12:00'],
  ] as const) {
    expect(await reminded(days, hour), `${days} ${hour}`).toBe(0)
  }
  for (const [days, hour] of [
    [-7, '08:00'],
    [-1, '19:59'],
    [1, '12:00'],
  ] as const) {
    expect(await reminded(days, hour), `${days} ${hour}`).toBe(1)
  }
})

test('no mail for those who have opted out, are disabled, erased or pending, whose plan leaves it out or ended, or who are done', async () => {
  const people: Viewer[] = []
  for (let count = 0; count < 7; count++)
    people.push(await aUser(db, { plan: count === 4 ? 'Free Access' : 'Full Access' }))
  const [optedOut, disabled, erased, pending, , ended, done] = people.map(({ id }) => id)
  for (const person of people) await due(person, assay.uid, 1)
  await sql`update users set opted_out_of_reminders = true where id = ${optedOut}`.execute(db)
  await sql`update users set is_active = false where id = ${disabled}`.execute(db)
  await sql`update users set erased_at = now(), email = null, email_key = null where id = ${erased}`.execute(db)
  await sql`insert into user_groups (user_id, name) values (${pending}, 'pending_users')`.execute(db)
  await sql`update subscriptions set valid_to = now() where user_id = ${ended}`.execute(db)
  await sql`
    insert into module_progress (site_id, user_id, module_id, progress_percent, started_at, last_visited_at, completed_at)
    values (${system.site.id}, ${done}, ${assay.id}, 100, now(), now(), now())`.execute(db)
  expect(await remindOfDueWork(noon)).toEqual({ reminded: 0 })
  const ns = await aContext(db, { site: 'ns', now: noon.now })
  expect(await remindOfDueWork(ns), 'the other site').toEqual({ reminded: 0 })
})

test('jobs that run ten times at once, are killed or repeated send no second mail', async () => {
  const people = await Promise.all([aUser(db), aUser(db), aUser(db)])
  for (const person of people) await due(person, assay.uid, 1)
  const runs = await Promise.all(Array.from({ length: 10 }, () => remindOfDueWork(noon, { most: 2 })))
  expect(runs.reduce((sum, { reminded }) => sum + reminded, 0)).toBe(3)
  const jobs = await takeJobs(db, 'send-due-reminder')
  expect(new Set(jobs.map(({ reminderUid }) => reminderUid)).size).toBe(3)
  const sent = await Promise.all(jobs.flatMap((job) => Array.from({ length: 10 }, () => sendDueReminder(noon, job))))
  expect(sent.reduce((sum, one) => sum + one.sent, 0)).toBe(3)
  expect(await mails()).toHaveLength(3)
})

test('a mail server that is down gets it again on the same day, and not on the next', async () => {
  const person = await aUser(db)
  await due(person, assay.uid, 1)
  await remindOfDueWork(noon)
  const [job] = await takeJobs(db, 'send-due-reminder')
  const input = { reminderUid: job?.reminderUid ?? '' }
  env().SMTP_URL = 'smtp://127.0.0.1:1'
  await expect(sendDueReminder(noon, input)).rejects.toThrow(/could not be sent/)
  env().SMTP_URL = undefined
  expect(await sendDueReminder(at('12:00', daysFrom(day, 1)), input)).toEqual({ sent: 0 })
  expect(await sendDueReminder(at('18:00'), input)).toEqual({ sent: 1 })
  expect(await sendDueReminder(at('18:00'), input)).toEqual({ sent: 0 })
})

test('what was completed, taken back or moved since is not in the mail; without anything left there is none', async () => {
  const [one, two] = [await aUser(db), await aUser(db)]
  await due(one, assay.uid, 1)
  await due(one, other.uid, 1)
  await due(two, assay.uid, 1)
  await remindOfDueWork(noon)
  await changeAssignments(admin, {
    ...{ kind: 'module', action: 'UNASSIGN' },
    ...{ userUids: [one.uid, two.uid], itemUids: [assay.uid] },
  })
  expect(await sendAll()).toBe(1)
  const [mail = ''] = await mails()
  expect(mail).toContain('Subject: Due Jun 15: Biomarkers')
  expect(mail).not.toContain('Assay')
})

test('nobody is reminded again of the same date and step, but of a new date', async () => {
  const person = await aUser(db)
  await due(person, assay.uid, 7)
  expect(await remindOfDueWork(noon)).toEqual({ reminded: 1 })
  await sql`update assignment_reminders set day = day - 1`.execute(db)
  expect(await remindOfDueWork(noon), 'another mail could be sent today').toEqual({ reminded: 0 })
  await due(person, assay.uid, 1)
  expect(await remindOfDueWork(noon)).toEqual({ reminded: 1 })
  expect(await remindOfDueWork(at('12:00', daysFrom(day, 40)))).toEqual({ reminded: 0 })
  expect(await db.selectFrom('assignment_reminders').select('id').execute(), 'old ones are deleted').toEqual([])
})

test('whoever is erased leaves no reminder to send', async () => {
  const person = await aUser(db)
  await due(person, assay.uid, 1)
  await remindOfDueWork(noon)
  await erase(db, person)
  expect(await sendAll()).toBe(0)
})

test('the letter of the other brand, with a note and many items', async () => {
  const { site } = await aContext(db, { site: 'ns' })
  const item = { kind: 'module' as const, name: 'Assay', dueOn: day, note: 'Before\nthe talk' }
  const person = { firstName: 'Ada', lastName: 'Okafor', email: 'ada@titrate.example' }
  const letter = dueLetter(site, person, {
    items: Array.from({ length: 22 }, () => item),
    today: day,
    unsubscribeUrl: `${site.baseUrl}/u/token`,
  })
  expect(letter.subject).toBe('22 things are due')
  expect(letter.text).toContain('what was recommended to you at Titrate NS')
  expect(letter.text).toContain('Module: Assay. Due today. Before the talk')
  expect(letter.text).toContain('And 2 more.')
  expect(letter.text).not.toContain('still complete')
  expect(letter.html).toContain(`${site.baseUrl}/my-learning/my-account/`)
})
