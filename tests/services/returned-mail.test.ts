/** What becomes of mails after the server has accepted them: they come back, cause complaints, or are delayed. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { Invalid } from '~/services/errors.ts'
import { recordMailEvent, recordReturnedMail } from '~/services/mail/record-returned.server.ts'
import { readReturnedMail } from '~/services/mail/returned-mail.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { ctx, db } from '../support/test.ts'

const returnAddress = 'bounce+{token}@mail.example.org'
beforeAll(() => {
  env().MAIL_RETURN_ADDRESS = returnAddress
})

type Sent = { id: number; uid: string; token: string; address: string }

async function aMail(own: { address?: string; state?: string; kind?: string; userId?: number } = {}): Promise<Sent> {
  const { address = `p-${randomUUID()}@titrate.example`, state = 'accepted', kind = 'message', userId = null } = own
  const { rows } = await sql<Sent>`
    insert into mails (site_id, kind, subject, state, address, address_key, user_id)
    values (${ctx.site.id}, ${kind}, 'News', ${state}, ${address}, ${address.toLowerCase()}, ${userId})
    returning id, uid, token, address`.execute(db)
  return rows[0] as Sent
}

async function stateOf({ id }: Sent) {
  const { rows } = await sql<{ state: string; response: string | null; isReturned: boolean }>`
    select state, response, returned_at is not null as "isReturned" from mails where id = ${id}`.execute(db)
  return rows[0]
}

async function suppressionsOf({ address }: Sent) {
  const { rows } = await sql<{ reason: string; response: string }>`
    select reason, response from mail_suppressions where address_key = ${address.toLowerCase()}`.execute(db)
  return rows
}

type Dsn = { action?: string; status?: string; recipient?: string; diagnostic?: string; to?: string; original?: string }

function dsn({ action = 'failed', status = '5.1.1', recipient, diagnostic = '', to, original }: Dsn): Buffer {
  return Buffer.from(
    [
      'Return-Path: <>',
      `Delivered-To: ${to ?? 'postmaster@mail.example.org'}`,
      'From: MAILER-DAEMON@mx.example.org (Mail Delivery System)',
      'Subject: Undelivered Mail Returned to Sender',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status;',
      ' boundary="b1"',
      '',
      '--b1',
      'Content-Type: text/plain',
      '',
      'I am sorry to have to inform you.',
      '--b1',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.org',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      ...(diagnostic ? [`Diagnostic-Code: smtp; ${diagnostic}`] : []),
      '',
      ...(original ? ['--b1', 'Content-Type: text/rfc822-headers', '', original, ''] : []),
      '--b1--',
      '',
    ].join('\r\n'),
  )
}

function complaint(type: string, fields: string[], original: string): Buffer {
  return Buffer.from(
    [
      'From: feedback@isp.example',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="b2"',
      '',
      '--b2',
      'Content-Type: text/plain',
      '',
      'A complaint.',
      '--b2',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${type}`,
      'User-Agent: Yoyodyne/1.0',
      'Version: 1',
      ...fields,
      '',
      '--b2',
      'Content-Type: message/rfc822',
      '',
      original,
      'Subject: News',
      '',
      'Hello',
      '--b2--',
      '',
    ].join('\n'),
  )
}

const record = (source: Buffer) => recordReturnedMail(ctx, { source })
const verp = ({ token }: Sent) => `bounce+${token}@mail.example.org`
const messageId = ({ uid }: Sent) => `Message-ID: <${uid}@titrate.example>`

test('a mail that comes back for good is recorded with the words of the server, and its address gets no more', async () => {
  const mail = await aMail()
  const diagnostic = '550 5.1.1 <x>: Recipient address rejected:\r\n    User unknown'
  const source = dsn({ recipient: mail.address.toUpperCase(), to: verp(mail), diagnostic })
  expect(await record(source)).toEqual({ isRecorded: true, sentence: 'The mail has come back.' })
  const words = '550 5.1.1 <x>: Recipient address rejected: User unknown'
  expect(await stateOf(mail)).toEqual({ state: 'bounced', response: words, isReturned: true })
  expect(await suppressionsOf(mail)).toEqual([{ reason: 'bounced', response: words }])
})

test('a report names its mail by the return address, or by the Message-ID of what it returns', async () => {
  const [first, second] = [await aMail(), await aMail({ state: 'in_doubt' })]
  const read = (source: Buffer, address: string | undefined = returnAddress) =>
    readReturnedMail(source, { returnAddress: address })
  expect((await read(dsn({ recipient: 'a@b.example', to: `<${verp(first)}>` })))?.mail).toBe(first.token)
  const other = dsn({ recipient: 'a@b.example', to: `x${verp(first)}`, original: messageId(second) })
  expect((await read(other))?.mail).toBe(second.uid)
  expect((await read(dsn({ recipient: 'a@b.example', to: verp(first) }), ''))?.mail).toBeNull()
  await record(dsn({ recipient: second.address, original: `Subject: =?utf-8?q?News?=\r\n${messageId(second)}` }))
  expect((await stateOf(second))?.state).toBe('bounced')
})

test('ten reports at once are one, and one that comes again after a release suppresses nothing', async () => {
  const mail = await aMail()
  const source = dsn({ recipient: mail.address, to: verp(mail) })
  const results = await Promise.all(Array.from({ length: 10 }, () => record(source)))
  expect(results.filter(({ isRecorded }) => isRecorded)).toHaveLength(1)
  expect(await suppressionsOf(mail)).toHaveLength(1)
  await sql`update mail_suppressions set released_at = now()`.execute(db)
  expect((await record(source)).isRecorded).toBe(false)
  expect(await suppressionsOf(mail)).toHaveLength(1)
})

test('a full mailbox, an expired mail and a policy against us come back without ending the address', async () => {
  const cases: Dsn[] = [
    { status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' },
    { status: '5.0.0', diagnostic: '554 5.7.1 Listed as spam' },
    { status: '4.4.7', diagnostic: '550 4.4.7 QUEUE.Expired; message expired' },
    { status: '', diagnostic: '' },
  ]
  for (const one of cases) {
    const mail = await aMail()
    expect((await record(dsn({ ...one, recipient: mail.address, to: verp(mail) }))).isRecorded).toBe(true)
    expect((await stateOf(mail))?.state, one.status).toBe('bounced')
    expect(await suppressionsOf(mail), one.status).toEqual([])
  }
})

test('a mail that came back for a while or caused a complaint, and then comes back for good, ends its address once', async () => {
  const [soft, unwanted] = [await aMail(), await aMail()]
  await record(dsn({ status: '5.2.2', diagnostic: '552 Full', recipient: soft.address, to: verp(soft) }))
  await record(complaint('abuse', [], messageId(unwanted)))
  for (const [mail, state] of [
    [soft, 'bounced'],
    [unwanted, 'complained'],
  ] as const) {
    const source = dsn({ recipient: mail.address, to: verp(mail) })
    const results = await Promise.all(Array.from({ length: 10 }, () => record(source)))
    expect(results.filter(({ isRecorded }) => isRecorded)).toHaveLength(1)
    expect(await suppressionsOf(mail)).toMatchObject([{ reason: 'bounced' }])
    expect((await stateOf(mail))?.state).toBe(state)
    await sql`update mail_suppressions set released_at = now() where address_key = ${mail.address.toLowerCase()}`.execute(
      db,
    )
    expect((await record(source)).isRecorded).toBe(false)
    expect(await suppressionsOf(mail)).toHaveLength(1)
  }
})

test('a delay keeps the state and says why', async () => {
  const mail = await aMail()
  const delayed = dsn({ action: 'delayed', status: '4.4.1', recipient: mail.address, to: verp(mail) })
  expect((await record(delayed)).sentence).toBe('The mail is delayed.')
  expect(await stateOf(mail)).toEqual({ state: 'accepted', response: '4.4.1', isReturned: false })
  await record(dsn({ recipient: mail.address, to: verp(mail) }))
  expect((await record(delayed)).isRecorded).toBe(false)
  expect((await stateOf(mail))?.state).toBe('bounced')
})

test('a complaint ends what people did not ask for; mail that then comes back ends the rest', async () => {
  const [mail, next] = [
    await aMail({ address: 'Angry@titrate.example' }),
    await aMail({ address: 'angry@titrate.example' }),
  ]
  const fields = ['Original-Rcpt-To: <angry@titrate.example>', `Original-Mail-From: <${verp(mail)}>`]
  const source = complaint('abuse', fields, messageId(mail))
  expect(await record(source)).toEqual({ isRecorded: true, sentence: 'The mail has caused a complaint.' })
  expect((await record(source)).isRecorded).toBe(false)
  const words = 'Feedback-Type: abuse, Yoyodyne/1.0'
  expect(await stateOf(mail)).toEqual({ state: 'complained', response: words, isReturned: true })
  expect(await suppressionsOf(mail)).toEqual([{ reason: 'complained', response: words }])
  await record(dsn({ recipient: next.address, to: verp(next) }))
  expect(await suppressionsOf(mail)).toEqual([{ reason: 'bounced', response: '5.1.1' }])
  const harmless = await aMail()
  for (const type of ['not-spam', 'auth-failure', '']) await record(complaint(type, [], messageId(harmless)))
  expect((await stateOf(harmless))?.state).toBe('accepted')
})

test('a report about another address, an unknown mail, one that was not sent or an erased person changes nothing', async () => {
  const viewer = await aUser(db)
  const [mail, queued, erased] = [await aMail(), await aMail({ state: 'queued' }), await aMail({ userId: viewer.id })]
  await sql`update mails set address = null, address_key = null where id = ${erased.id}`.execute(db)
  await erase(db, viewer)
  const before = await sql`select count(*)::int as count from mail_suppressions`.execute(db)
  const refused = async (source: Buffer) => {
    const { isRecorded, sentence } = await record(source)
    expect(isRecorded).toBe(false)
    return sentence
  }
  const victim = 'victim@titrate.example'
  expect(await refused(dsn({ recipient: victim, to: verp(mail) }))).toContain('not sent to the address')
  expect(await refused(complaint('abuse', [`Original-Rcpt-To: ${victim}`], messageId(mail)))).toContain('not sent to')
  expect(await refused(dsn({ recipient: queued.address, to: verp(queued) }))).toContain('was not sent')
  expect(await refused(dsn({ recipient: erased.address, to: verp(erased) }))).toContain('names no mail')
  expect(
    await refused(dsn({ recipient: victim, original: `Message-ID: <${randomUUID()}@titrate.example>` })),
  ).toContain('names no mail')
  expect(await refused(dsn({ recipient: victim }))).toContain('names no mail')
  expect(await refused(dsn({ action: 'delivered', recipient: mail.address, to: verp(mail) }))).toContain('nothing')
  expect(await refused(Buffer.from('From: ada@titrate.example\nSubject: Away\n\nI am away.\n'))).toContain('nothing')
  expect((await stateOf(mail))?.state).toBe('accepted')
  expect((await sql`select count(*)::int as count from mail_suppressions`.execute(db)).rows).toEqual(before.rows)
})

test('mail that is no mail, huge, deep or cut off is refused or read without harm', async () => {
  const mail = await aMail()
  const whole = dsn({ recipient: mail.address, to: verp(mail), original: messageId(mail) })
  for (const source of ['', '\u0000\u0001', 'no header here', '\n\nbody']) {
    await expect(record(Buffer.from(source))).rejects.toThrow(Invalid)
  }
  const deep = Array.from({ length: 300 }, (_, at) => `Content-Type: multipart/mixed; boundary="x${at}"\n\n--x${at}\n`)
  await expect(record(Buffer.from(`From: a@b.example\n${deep.join('')}`))).rejects.toThrow('This is not a mail.')
  const many = Array.from({ length: 20_000 }, (_, at) => `X-${at}: ${'y'.repeat(20)}`).join('\n')
  await expect(record(Buffer.from(`From: a@b.example\n${many}\n\n`))).rejects.toThrow(Invalid)
  for (let at = 40; at < whole.length - 200; at += 90) await record(whole.subarray(0, at)).catch(() => {})
  const groups = Array.from({ length: 5000 }, (_, at) => `Final-Recipient: rfc822; n${at}@b.example\nAction: failed\n`)
  const flood = whole.toString().replace(/Final-Recipient.*\r\n/, `${groups.join('\n')}\n`)
  expect((await record(Buffer.from(flood))).isRecorded).toBe(false)
  const hostile = await aMail()
  const odd = dsn({ recipient: hostile.address, to: verp(hostile), diagnostic: '550 5.1.1 \u202e<script>\u0000\ud800' })
  await record(Buffer.concat([odd, Buffer.alloc(3_000_000, 'z')]))
  expect((await stateOf(hostile))?.response).toMatch(/^550 5\.1\.1 <script>/)
})

test('a program reports the same, only about mails of its site', async () => {
  const [mail, other, slow] = [await aMail(), await aMail(), await aMail()]
  const abroad = await aContext(db, { site: 'ns' })
  const event = { kind: 'bounce' as const, permanent: true, mail: mail.token, recipient: mail.address, words: '550 no' }
  expect((await recordMailEvent(abroad, event)).sentence).toContain('names no mail')
  expect((await recordMailEvent(ctx, { ...event, recipient: 'victim@titrate.example' })).isRecorded).toBe(false)
  expect((await stateOf(mail))?.state).toBe('accepted')
  const times = await Promise.all(Array.from({ length: 10 }, () => recordMailEvent(ctx, event)))
  expect(times.filter(({ isRecorded }) => isRecorded)).toHaveLength(1)
  expect(await suppressionsOf(mail)).toEqual([{ reason: 'bounced', response: '550 no' }])
  await recordMailEvent(ctx, { kind: 'complaint', mail: `<${other.uid}@titrate.example>` })
  expect(await stateOf(other)).toEqual({ state: 'complained', response: '', isReturned: true })
  await recordMailEvent(ctx, { kind: 'bounce', mail: slow.uid, recipient: slow.address })
  expect(await suppressionsOf(slow)).toEqual([])
})

test('a report that a program words wrongly gets a sentence', async () => {
  const { token } = await aMail()
  const wrong: [object, string][] = [
    [{}, 'kind must be bounce, complaint or delayed.'],
    [{ kind: 'bounce' }, 'mail must be the token of a mail or its Message-ID.'],
    [{ kind: 'bounce', mail: '\u0000' }, 'mail must be the token of a mail or its Message-ID.'],
    [{ kind: 'bounce', mail: token }, 'recipient is missing: the address that could not be reached.'],
    [{ kind: 'bounce', mail: token, recipient: 1 }, 'recipient must be an address.'],
    [{ kind: 'bounce', mail: token, recipient: 'a@b.example', permanent: 'yes' }, 'permanent must be true or false.'],
    [{ kind: 'complaint', mail: token, words: 'x'.repeat(10_001) }, 'words must have at most 10,000 characters.'],
  ]
  for (const [input, sentence] of wrong) {
    await expect(recordMailEvent(ctx, input as never), sentence).rejects.toThrow(sentence)
  }
})
