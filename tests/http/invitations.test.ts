/** Invitations with plain forms: the dialog for one person, the template of a list, and a link that has expired. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { encodeUid } from '~/lib/uid.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { createInvitation } from '~/services/invitations/invitations.server.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer
let admin: Browser
let invitedUid: string

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'], plan: null })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    const gone = await aUser(db, { email: 'gone@titrate.example' })
    await db.updateTable('users').set({ erased_at: new Date() }).where('id', '=', gone.id).execute()
    const operator = await aContext(db, { isOperator: true })
    const person = { firstName: 'Ina', lastName: 'Vited', email: 'ina@titrate.example', groups: ['learners' as const] }
    invitedUid = (await createInvitation(operator, person)).userUid
    await close()
  })
  admin = aBrowser(server)
  await admin.signIn('admin@titrate.example')
})

test('C-250 the template is a CSV file with the headings of the invitation', async () => {
  const { status, headers, text } = await aBrowser(server).send({ path: '/download/invite_csv/' })
  expect(status).toBe(200)
  expect(headers['content-type']).toContain('text/csv')
  expect(headers['content-disposition']).toContain('attachment')
  const names = 'firstName,lastName,email,university,accessPlan,isAdmin,autoRenew,subscriptionDurationDays'
  expect(text.replace(/^\ufeff/, '').trim()).toBe(names)
})

test('C-192 C-193 C-194 the dialog works as a plain form, and what was typed comes back', async () => {
  const path = '/dashboard/users/invite/'
  const csrf = await admin.token(path)
  const refused = await admin.post(path, { csrf, firstName: 'Bo', renewal: 'limit', duration: '91', unit: 'D' })
  expect(refused.status).toBe(400)
  for (const sentence of [
    'Last name is required',
    'Email address is required',
    'Institution is required',
    'Access Plan is required',
    'Maximum is 90 when specifying days',
    'value="Bo"',
  ])
    expect(refused.text).toContain(sentence)
  const person = { firstName: 'Bo', lastName: 'Ng', email: 'bo@titrate.example', university: 'New One', isAdmin: 'on' }
  const done = await admin.post(path, { csrf, ...person, renewal: 'auto' })
  expect([done.status, done.headers.location]).toEqual([302, '/dashboard/users/'])
  const again = await admin.post(path, { csrf, ...person, renewal: 'auto' })
  expect([again.status, again.text.includes('has already been invited')]).toEqual([422, true])
  expect(again.text).not.toContain('Show deleted accounts')
  const deleted = await admin.post(path, { csrf, ...person, email: 'gone@titrate.example', renewal: 'auto' })
  expect([deleted.status, deleted.text.includes('Restore that account instead')]).toEqual([422, true])
  expect(deleted.text).toContain('href="/dashboard/trash/?filter=kind-user">Show deleted accounts</a>')
})

/** The fields of the form for many people as a page shows them, without its buttons and boxes. */
function fieldsIn(page: string): Record<string, string> {
  const form = page.slice(page.indexOf('id="invite-many"'))
  const fields = [...form.matchAll(/<input [^>]*>/g)].flatMap(([input]) => {
    const [name, value = ''] = ['name', 'value'].map((key) => new RegExp(` ${key}="([^"]*)"`).exec(input)?.[1])
    return name && !/type="(file|checkbox)"/.test(input) ? [[name, value]] : []
  })
  return Object.fromEntries(fields)
}

/** Posts the form for many people in the order of its fields, as a browser without JavaScript does. */
async function postMany(fields: Record<string, string>, csv = '') {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('people-file', new Blob([csv]), csv && 'people.csv')
  const request = new Request('http://localhost', { method: 'POST', body: form })
  return admin.send({
    method: 'POST',
    path: '/dashboard/users/invite/many/',
    body: Buffer.from(await request.arrayBuffer()),
    headers: { 'content-type': request.headers.get('content-type') ?? '', 'sec-fetch-site': 'same-origin' },
  })
}

test('C-199 who has corrected some cells invites the valid rows with one press, and reads why a press does nothing', async () => {
  const csrf = await admin.token('/dashboard/users/invite/many/')
  const people = ['Ada,One,bad-1,Helvik', 'Bo,Two,bad-2,New Two', 'Cy,Three,cy@many.example,New Three']
  const csv = `firstName,lastName,email,university,accessPlan\n${people.map((row) => `${row},Full Access`).join('\n')}\n`
  const first = await postMany({ csrf, intent: 'check-faulty-1' }, csv)
  expect(first.text).toContain('2 faults in 2 rows of 3.')
  expect(first.text).toContain('Inviting them adds 1 institution: “New Three”.')
  const corrected = { 'fix-2-email': 'still-bad', 'fix-3-email': 'bo@many.example' }
  const again = 'Something has changed since the last check, so the file was checked again.'
  const early = await postMany({ ...fieldsIn(first.text), ...corrected, intent: 'invite-valid' })
  expect([early.status, early.text.includes(again)]).toEqual([200, true])
  const second = await postMany({ ...fieldsIn(first.text), ...corrected, intent: 'check-faulty-1' })
  expect(second.text).toContain('1 fault in 1 row of 3.')
  expect(second.text).toContain('Inviting them adds 2 institutions: “New Two”, “New Three”.')
  expect(second.text).not.toContain(again)
  const done = await postMany({ ...fieldsIn(second.text), intent: 'invite-valid' })
  expect([done.status, done.headers.location]).toEqual([
    302,
    expect.stringMatching(/^\/dashboard\/users\/invitations\//),
  ])
})

const invitedHead = 'firstName,lastName,email,university,accessPlan\n'
const listAt = expect.stringMatching(/^\/dashboard\/users\/invitations\/[^/]+\/$/)
const changedSince = 'Something has changed since the last check'

test('C-199 characters that cannot be stored are a fault of a cell, and refused in the name of a file', async () => {
  const csrf = await admin.token('/dashboard/users/invite/many/')
  const rows = 'Ada,One,bad,Helvik,Full Access\nBo,Two,bo@nul.example,Helvik,Full Access\n'
  const first = await postMany({ csrf, intent: 'check-faulty-1' }, invitedHead + rows)
  for (const key of ['email', 'accessPlan']) {
    const typed = { ...fieldsIn(first.text), [`fix-2-${key}`]: 'x\0y' }
    const checked = await postMany({ ...typed, intent: 'check-faulty-1' })
    expect([checked.status, checked.text.includes('1 person can be invited.')], key).toEqual([200, true])
    if (key === 'email') expect(checked.text).toContain('This text holds characters that cannot be stored')
    // The list keeps the faulty row, too.
    const seen = /name="seen" value="(\w+)"/.exec(checked.text)?.[1] ?? ''
    const renamed = await postMany({ ...typed, seen, intent: 'invite-valid', 'people-fileName': 'a\0b.csv' })
    expect([renamed.status, renamed.text.includes('The name of this file holds')], key).toEqual([400, true])
    if (key === 'email') continue
    const done = await postMany({ ...typed, seen, intent: 'invite-valid' })
    expect([done.status, done.headers.location], key).toEqual([302, listAt])
  }
})

test('C-199 a form that is sent once more, even after its end, leads to the result of its list', async () => {
  const csrf = await admin.token('/dashboard/users/invite/many/')
  const rows = Array.from({ length: 5 }, (_, at) => `Ann,No ${at},p${at}@twice.example,Helvik,Full Access`).join('\n')
  const checked = fieldsIn((await postMany({ csrf, intent: 'check-faulty-1' }, `${invitedHead}${rows}\n`)).text)
  const first = await postMany({ ...checked, intent: 'invite' })
  expect([first.status, first.headers.location]).toEqual([302, listAt])
  expect((await admin.send({ path: String(first.headers.location) })).text).toContain(
    '5 of the people invited have not registered yet.',
  )
  for (const intent of ['invite', 'invite-valid']) {
    const again = await postMany({ ...checked, intent })
    expect([again.status, again.headers.location]).toEqual([302, first.headers.location])
  }
  // Another file is not the one of that list.
  const other = await postMany({ ...checked, intent: 'invite' }, `${invitedHead}Bo,No,other@twice.example,Helvik,\n`)
  expect([other.status, other.text.includes('1 fault in 1 row of 1.')]).toEqual([200, true])
})

test('C-199 a faulty cell of several lines, as a browser sends it on, is no correction', async () => {
  const csrf = await admin.token('/dashboard/users/invite/many/')
  const faulty = ['bad\nmail', 'bad\r\nmail', 'bad\rmail'].map((email) => `Ada,One,"${email}",Helvik,Full Access`)
  const rows = [...faulty, 'Bo,Two,bo@lines.example,Helvik,Full Access'].join('\n')
  const checked = await postMany({ csrf, intent: 'check-faulty-1' }, `${invitedHead}${rows}\n`)
  expect(checked.text).toContain('3 faults in 3 rows of 4.')
  // A field of one line drops line breaks.
  const sent = Object.entries(fieldsIn(checked.text)).map(([name, value]) => [name, value.replace(/[\r\n]/g, '')])
  const done = await postMany({ ...Object.fromEntries(sent), intent: 'invite-valid' })
  expect([done.status, done.headers.location]).toEqual([302, listAt])
})

test('L-202 an institution that is deleted after the check is named before it is added again', async () => {
  const csrf = await admin.token('/dashboard/users/invite/many/')
  const { db, close } = await openTestDatabase(server.databaseUrl)
  const operator = await aContext(db, { isOperator: true })
  await ensureUniversity(operator, { name: 'Soon Gone' })
  const row = 'Ada,One,ada@gone.example,Soon Gone,Full Access\n'
  const checked = await postMany({ csrf, intent: 'check-faulty-1' }, invitedHead + row)
  expect(checked.text).not.toContain('Inviting them adds')
  await db.deleteFrom('universities').where('name', '=', 'Soon Gone').execute()
  await close()
  const early = await postMany({ ...fieldsIn(checked.text), intent: 'invite' })
  expect([early.status, early.text.includes(changedSince)]).toEqual([200, true])
  expect(early.text).toContain('Inviting them adds 1 institution: “Soon Gone”.')
  const done = await postMany({ ...fieldsIn(early.text), intent: 'invite' })
  expect([done.status, done.headers.location]).toEqual([302, listAt])
})

test('the pages about invitations are for admins', async () => {
  const author = aBrowser(server)
  await author.signIn('author@titrate.example')
  for (const path of [
    'invite/',
    'invite/many/',
    'invite/faults/',
    'invitations/',
    `invitations/${randomUUID()}/result/`,
  ]) {
    expect((await author.send({ path: `/dashboard/users/${path}` })).status, path).toBe(403)
  }
})

test('whoever has an expired link can ask for a new one, and the answer is the same for strangers', async () => {
  const answers = []
  for (const uid of [invitedUid, randomUUID()]) {
    const browser = aBrowser(server)
    const path = `/confirm-invitation/${encodeUid(uid)}/expired/`
    const page = await browser.send({ path })
    expect([page.status, page.text.includes('Send me a new link')]).toEqual([404, true])
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const answer = await browser.post(path, { csrf, intent: 'renew' })
    answers.push([answer.status, answer.headers.location])
  }
  expect(answers).toEqual([
    [302, '/login/'],
    [302, '/login/'],
  ])
})
