/** Lists of people to invite: the check of a file, the jobs that invite its people, what happened to each, and withdrawing. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { CellFixes } from '~/forms/invited-lists.ts'
import { encodeUid } from '~/lib/uid.ts'
import { invitedListParts, listReportOf } from '~/pages/invitations.server.ts'
import { issueToken } from '~/services/accounts/accounts.server.ts'
import { cancelBulkOperation, getBulkOperation } from '~/services/bulk/bulk.server.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { checkPeople, planInvitations } from '~/services/invitations/check-people.server.ts'
import { confirmInvitation } from '~/services/invitations/invitations.server.ts'
import { findInvitingList, inviteListedPeople, startInvitingList } from '~/services/invitations/invite-list.server.ts'
import { inviteUser } from '~/services/invitations/invite-users.server.ts'
import { getInvitedList, listInvitedLists } from '~/services/invitations/invited-lists.server.ts'
import { withdrawInvitedList, withdrawListed } from '~/services/invitations/withdraw-list.server.ts'
import { receiveUpload } from '~/services/uploads/uploads.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { db, expectGuarded, ctx as system } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const head = 'firstName,lastName,email,university,accessPlan,isAdmin,autoRenew,subscriptionDurationDays\n'

async function aFile(text: string): Promise<string> {
  const file = await receiveUpload(admin, { kind: 'csv', fileName: 'people.csv', source: Readable.from([text]) })
  return file.name
}

let files = 0
/** A file of so many people, each with an address of their own. */
async function aList(count: number, extra = ''): Promise<string> {
  const id = ++files
  const rows = Array.from(
    { length: count },
    (_, index) => `Ann,No ${index},p${index}@list${id}.example,Helvik,Full Access,,,`,
  )
  return aFile(`${head}${rows.join('\n')}\n${extra}`)
}

const start = (csvPath: string, more: object = {}) =>
  startInvitingList(admin, { csvPath, listUid: randomUUID(), fileName: 'people.csv', onlyValid: false, ...more })

const work = async (operationUid: string, most = 100) => {
  while (!(await inviteListedPeople(system, { operationUid, most })).isDone);
}

const invitedTo = (domain: string) =>
  db.selectFrom('users').select(['uid', 'email']).where('email', 'like', `%@${domain}`).orderBy('email').execute()

async function resultOf(operationUid: string): Promise<string[][]> {
  const rows: unknown[][] = []
  for await (const part of invitedListParts(admin, { operationUid })) rows.push(...part)
  return rows.map((row) => row.map(String))
}

test('each faulty cell has its reason, and nothing is written', async () => {
  await inviteUser(admin, {
    ...{ firstName: 'A', lastName: 'B', email: 'known@faults.example', university: 'U' },
    isAdmin: true,
  })
  const csvPath = await aFile(
    `${head}Ada,One,nonsense,Helvik,Full Access,,,\n` +
      'Bo,Two,two@faults.example,Helvik,No Plan,,,\n' +
      'Cy,Three,TWO@faults.example,Helvik,Full Access,,,\n' +
      'Di,Four,Known@faults.example,Helvik,Full Access,,,\n' +
      `${'E'.repeat(51)},Five,five@faults.example,,Full Access,,,\n` +
      '=HYPERLINK(1),Six,six@faults.example,Helvik,Full Access,maybe,,2000\n' +
      "'=Ok,Seven,seven@faults.example,Helvik,Full Access,,false,30\n" +
      'Hi,Eight,eight@faults.example,Helvik,,,,,surplus\n' +
      'Ida,Nine,known@faults.example,Helvik,No Plan,,false,\n',
  )
  const { faults, rows } = await planInvitations(admin, { csvPath })
  expect(faults.map(({ line, column, reason }) => [line, column, reason])).toEqual([
    [2, 'email', 'A valid email address is required'],
    [3, 'accessPlan', 'There is no access plan “No Plan”.'],
    [4, 'email', 'The same as in line 3.'],
    [5, 'email', expect.stringContaining('already been invited')],
    [6, 'firstName', 'At most 50 characters'],
    [6, 'university', 'Institution is required'],
    [7, 'firstName', expect.stringContaining('formula')],
    [7, 'isAdmin', 'Please write true or false'],
    [7, 'subscriptionDurationDays', expect.stringContaining('Duration must be')],
    [9, null, expect.stringContaining('has no heading')],
    [10, 'subscriptionDurationDays', 'Duration must be a positive integer'],
    [10, 'email', expect.stringContaining('The same as in line 5')],
    [10, 'accessPlan', 'There is no access plan “No Plan”.'],
  ])
  expect(rows.flatMap(({ person }) => person ?? [])).toMatchObject([{ firstName: '=Ok', days: 30 }])
  expect(await invitedTo('faults.example')).toHaveLength(1)
  await expectGuarded(checkPeople, { csvPath }, { by: ['admins'], elsewhere: null })
})

test('a cell is corrected in place, and the correction is checked as well', async () => {
  const csvPath = await aFile(
    `${head}Ada,One,nonsense,Helvik,No Plan,,,\nBo,Two,bo@fixed.example,Helvik,Full Access,,,\n`,
  )
  const checked = (fixes: CellFixes) => planInvitations(admin, { csvPath, fixes })
  const half = await checked(new Map([[2, { email: 'bo@fixed.example', accessPlan: '=1+1', other: 'x' }]]))
  expect(half.faults.map(({ line, column }) => [line, column])).toEqual([
    [2, 'accessPlan'],
    [3, 'email'],
  ])
  // The form sends faulty cells that nobody has corrected, too.
  const unchanged: CellFixes = new Map([[2, { email: 'nonsense', accessPlan: 'No Plan' }]])
  expect((await checkPeople(admin, { csvPath, fixes: unchanged })).fixes).toEqual(new Map())
  const fixes: CellFixes = new Map([[2, { email: 'ada@fixed.example', accessPlan: 'full access' }]])
  const plan = await checked(fixes)
  expect(plan.faults).toEqual([])
  const { operationUid } = await start(csvPath, { fixes })
  await work(operationUid)
  expect((await invitedTo('fixed.example')).map(({ email }) => email)).toEqual([
    'ada@fixed.example',
    'bo@fixed.example',
  ])
})

test('L-202 the check names the institutions that the valid rows would add, in any case of letters, and adds none', async () => {
  await ensureUniversity(admin, { name: 'Known Institute' })
  const names = [
    'KNOWN institute',
    'New B',
    'new b',
    'New A',
    ...Array.from({ length: 5 }, (_, index) => `More ${index}`),
  ]
  const rows = names.map((name, index) => `Ann,No,p${index}@added.example,${name},Full Access,,,`)
  const csvPath = await aFile(`${head}${rows.join('\n')}\nBo,No,nonsense,From a Faulty Row,Full Access,,,\n`)
  const counted = { queries: 0 }
  const plan = await queryCounter.run(counted, () => planInvitations(admin, { csvPath }))
  expect(plan.newInstitutions).toEqual(['new b', 'New A', 'More 0', 'More 1', 'More 2', 'More 3', 'More 4'])
  expect(counted.queries).toBeLessThanOrEqual(5)
  const shown = { wanted: { name: csvPath, mapping: {} }, fixes: new Map(), shown: { show: 'all', page: 1 } } as const
  expect(listReportOf(plan, shown).newInstitutions).toEqual({ total: 7, names: plan.newInstitutions.slice(0, 5) })
  const stored = await db.selectFrom('universities').select('name').where('name', 'like', 'More %').execute()
  expect(stored).toEqual([])
})

test('every planted fault in ten thousand rows is reported', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) =>
    index % 100 === 7 ? `A,B,bad${index},H,Full Access,,,` : `A,B,u${index}@many.example,H,Full Access,,,`,
  )
  const csvPath = await aFile(`${head}${rows.join('\n')}\n`)
  const plan = await planInvitations(admin, { csvPath })
  expect(plan.rows).toHaveLength(10_000)
  expect(plan.faults.map(({ line }) => line)).toEqual(
    rows.flatMap((_, index) => (index % 100 === 7 ? [index + 2] : [])),
  )
  const wanted = { name: csvPath, mapping: {} }
  const shown = listReportOf(plan, { wanted, fixes: new Map(), shown: { show: 'faulty', page: 9 } })
  expect([shown.page, shown.pages, shown.rows.length, shown.valid]).toEqual([2, 2, 50, 9900])
})

test('a list is invited by jobs, with one mail to each, and its result can be imported again', async () => {
  await takeJobs(db, 'send-invitation')
  const csvPath = await aList(5)
  const domain = `list${files}.example`
  const { operationUid } = await start(csvPath, { isReminded: true })
  expect(await invitedTo(domain)).toEqual([])
  await work(operationUid, 2)
  expect(await invitedTo(domain)).toHaveLength(5)
  expect(await takeJobs(db, 'send-invitation')).toHaveLength(5)
  expect(await getBulkOperation(admin, { operationUid })).toMatchObject({
    status: 'done',
    total: 5,
    done: 5,
    failed: 0,
  })
  const [headings = [], ...rows] = await resultOf(operationUid)
  expect(rows.map((row) => row.at(-2))).toEqual(Array(5).fill('Invited'))
  const again = await aFile([headings, ...rows].map((row) => row.join(',')).join('\n'))
  const { faults } = await planInvitations(admin, { csvPath: again })
  expect(faults.map(({ reason }) => /already been invited/.test(reason))).toEqual(Array(5).fill(true))
  await expect(start(again, { onlyValid: true })).rejects.toThrow('Nobody in this list can be invited.')
  expect(await takeJobs(db, 'send-invitation')).toEqual([])
})

test('only the valid rows are invited if the admin says so', async () => {
  const csvPath = await aList(2, 'X,Y,nonsense,Helvik,Full Access,,,\n')
  await expect(start(csvPath)).rejects.toThrow(/Something is wrong/)
  const { operationUid } = await start(csvPath, { onlyValid: true })
  await work(operationUid)
  expect(await getInvitedList(admin, { operationUid })).toMatchObject({ leftOut: 1, withdrawable: 2 })
  expect((await resultOf(operationUid)).at(-1)?.slice(-3)).toEqual([
    '4',
    'Left out',
    'email: A valid email address is required',
  ])
})

test('a list is started once, however often somebody clicks, and only by admins', async () => {
  const input = { csvPath: await aList(3), listUid: randomUUID(), fileName: 'x.csv', onlyValid: false }
  await expectGuarded(startInvitingList, input, { by: ['admins'], elsewhere: null })
  expect(await findInvitingList(admin, input)).toBeNull()
  const begun = await Promise.all(Array.from({ length: 10 }, () => startInvitingList(admin, input)))
  expect(new Set(begun.map(({ operationUid }) => operationUid)).size).toBe(1)
  const { operationUid = '' } = begun[0] ?? {}
  expect(await findInvitingList(admin, input)).toEqual({ operationUid })
  await expectGuarded(findInvitingList, input, { by: ['admins'], elsewhere: null })
  await work(operationUid)
  expect(await startInvitingList(admin, input), 'after its end').toEqual({ operationUid })
  expect(await invitedTo(`list${files}.example`)).toHaveLength(3)
})

test('jobs that run twice or at once invite nobody twice and leave nobody out', async () => {
  await takeJobs(db, 'send-invitation')
  const { operationUid } = await start(await aList(12))
  // Killed after some of it: the job that was queued in the same transaction goes on.
  await inviteListedPeople(system, { operationUid, most: 5 })
  await Promise.all(Array.from({ length: 4 }, () => inviteListedPeople(system, { operationUid, most: 3 })))
  await work(operationUid)
  expect(await invitedTo(`list${files}.example`)).toHaveLength(12)
  expect(await takeJobs(db, 'send-invitation')).toHaveLength(12)
  expect(await getBulkOperation(admin, { operationUid })).toMatchObject({ status: 'done', done: 12, failed: 0 })
})

test('what stands in the way of one person does not stop the others', async () => {
  const { operationUid } = await start(await aList(3))
  const email = `p1@list${files}.example`
  await inviteUser(admin, { firstName: 'A', lastName: 'B', email, university: 'Helvik', isAdmin: true })
  await work(operationUid)
  expect(await getBulkOperation(admin, { operationUid })).toMatchObject({ status: 'done', done: 3, failed: 1 })
  expect((await resultOf(operationUid)).slice(1).map((row) => row.at(-2))).toEqual([
    'Invited',
    'Not invited',
    'Invited',
  ])
})

test('a canceled list invites nobody more, and neither does that of somebody who is no admin any more', async () => {
  const { operationUid } = await start(await aList(4))
  await inviteListedPeople(system, { operationUid, most: 1 })
  await cancelBulkOperation(admin, { operationUid })
  await work(operationUid)
  expect(await invitedTo(`list${files}.example`)).toHaveLength(1)
  const former = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  const file = await receiveUpload(former, {
    ...{ kind: 'csv', fileName: 'x.csv' },
    source: Readable.from([`${head}A,B,former@former.example,H,Full Access,,,\n`]),
  })
  const input = { csvPath: file.name, listUid: randomUUID(), fileName: 'x.csv', onlyValid: false }
  const second = await startInvitingList(former, input)
  await db
    .deleteFrom('user_groups')
    .where('user_id', '=', former.viewer?.id ?? 0)
    .execute()
  await work(second.operationUid)
  expect(await invitedTo('former.example')).toEqual([])
})

test('a list is withdrawn for everybody who has not registered', async () => {
  const { operationUid } = await start(await aList(4))
  await expect(withdrawInvitedList(admin, { operationUid })).rejects.toThrow(/still being invited/)
  await work(operationUid)
  const domain = `list${files}.example`
  const [first] = await invitedTo(domain)
  const token = await issueToken(system, { userUid: first?.uid ?? '', purpose: 'invitation' })
  const password = 'Abcdefg1'
  const anyone = { ...system, session: { uid: null, begin: async () => {}, end: async () => {} } }
  await confirmInvitation(anyone, { userUid64b: encodeUid(first?.uid ?? ''), token, password, password2: password })
  await expectGuarded(withdrawInvitedList, { operationUid }, { by: ['admins'] })
  const begun = await Promise.all(Array.from({ length: 5 }, () => withdrawInvitedList(admin, { operationUid })))
  expect(new Set(begun.map((one) => one.operationUid)).size).toBe(1)
  const withdrawal = { operationUid: begun[0]?.operationUid ?? '', most: 2 }
  while (!(await withdrawListed(system, withdrawal)).isDone);
  expect((await invitedTo(domain)).map(({ uid }) => uid)).toEqual([first?.uid])
  expect((await resultOf(operationUid)).slice(1).map((row) => row.at(-2))).toEqual([
    'Invited',
    ...Array(3).fill('Withdrawn'),
  ])
  // Pressed again, it leads to what has been done.
  expect((await withdrawInvitedList(admin, { operationUid })).operationUid).toBe(withdrawal.operationUid)
  const listed = (await listInvitedLists(admin)).find(({ uid }) => uid === operationUid)
  expect(listed).toMatchObject({ invited: 4, waiting: 0 })
})
