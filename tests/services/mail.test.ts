import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import type { Mail } from '~/services/mail/mail.server.ts'
import { sendMail } from '~/services/mail/send-mail.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { startSmtp } from '../support/smtp.ts'
import { db } from '../support/test.ts'

const viewer = await aUser(db)
const ctx = await aContext(db)
let sources = 0
const send = (own: Partial<Mail> = {}, source = `account:${++sources}`) =>
  sendMail(ctx, { kind: 'account', source, userUid: viewer.uid, write: () => ({ ...mail, ...own }) })

const mail = {
  site: 'institutional' as const,
  from: { name: 'Titrate of the North', replyTo: 'help@titrate.example' },
  to: { name: 'Ada Okafor', address: 'ada@titrate.example' },
  subject: 'Größe & dose',
  text: 'Hello Ada',
  html: '<p>Hello Ada</p>',
}

test('a mail goes to the server of SMTP_URL with a plain and an HTML part', async () => {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let body = ''
      stream.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      stream.on('end', () => {
        received.push(body)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  env().SMTP_URL = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  try {
    await send()
    const { rows } = await sql<{ uid: string; state: string; subject: string }>`
      select uid, state, subject from mails order by id desc limit 1`.execute(db)
    const [row] = rows
    expect(row).toMatchObject({ state: 'accepted', subject: 'Größe & dose' })
    expect(received).toHaveLength(1)
    expect(received[0]).toContain(`Message-ID: <${row?.uid}@titrate.example>`)
    expect(received[0]).toContain('multipart/alternative')
    expect(received[0]).toMatch(/^From: Titrate of the North </m)
    expect(received[0]).toMatch(/^Reply-To: help@titrate.example/m)
  } finally {
    env().SMTP_URL = undefined
    await new Promise<void>((resolve) => server.close(resolve))
  }
})

test('a server that is down is reported in a message, and the caller may try again', async () => {
  env().SMTP_URL = 'smtp://127.0.0.1:1'
  await expect(send()).rejects.toThrow(/could not be sent/)
  env().SMTP_URL = undefined
})

test('without SMTP_URL a mail is a file in the outbox', async () => {
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'outbox-'))
  await send()
  const folder = path.join(env().DATA_DIR, 'outbox')
  const files = await readdir(folder)
  expect(files).toHaveLength(1)
  expect(await readFile(path.join(folder, files[0] ?? ''), 'utf8')).toContain('ada@titrate.example')
})

async function ledgerOf(source: string) {
  const { rows } = await sql<{ state: string; response: string | null; attempts: number }>`
    select state, response, attempts from mails where source = ${source}`.execute(db)
  return rows
}

test('a mail that the server does not take is one row, which is tried again and then sent once', async () => {
  const smtp = await startSmtp()
  try {
    smtp.refuse(1)
    await expect(send({}, 'account:again')).rejects.toThrow('Try again later')
    expect(await ledgerOf('account:again')).toMatchObject([{ state: 'queued', attempts: 1 }])
    for (let time = 1; time <= 3; time++) expect(await send({}, 'account:again')).toEqual({ isAccepted: true })
    expect(smtp.received).toHaveLength(1)
    expect(await ledgerOf('account:again')).toMatchObject([{ state: 'accepted', attempts: 2 }])
  } finally {
    await smtp.close()
  }
})

test('an address that the server refuses for good gets nothing more; after a complaint only mails about the account', async () => {
  const smtp = await startSmtp()
  const to = { name: 'Gone', address: 'Gone@titrate.example' }
  try {
    smtp.treat((address) => (address.startsWith('gone') || address.startsWith('Gone') ? { atRcpt: 550 } : 'take'))
    expect(await send({ to }, 'account:refused')).toEqual({ isAccepted: false })
    expect((await ledgerOf('account:refused'))[0]?.response).toContain('No such person')
    smtp.treat(() => 'take')
    expect(await send({ to }, 'account:next')).toEqual({ isAccepted: false })
    expect(await ledgerOf('account:next')).toMatchObject([{ state: 'skipped', response: 'suppressed', attempts: 0 }])
    await sql`
      insert into mail_suppressions (site_id, address_key, reason)
      values (${ctx.site.id}, 'angry@titrate.example', 'complained')`.execute(db)
    const angry = { to: { name: '', address: 'angry@titrate.example' } }
    expect(await send(angry)).toEqual({ isAccepted: true })
    const reminder = { kind: 'reminder' as const, source: 'reminder:1', userUid: viewer.uid }
    expect(await sendMail(ctx, { ...reminder, write: () => ({ ...mail, ...angry }) })).toEqual({ isAccepted: false })
    expect(smtp.received).toHaveLength(1)
  } finally {
    await smtp.close()
  }
})

test('an address that cannot get mail is skipped, and the ledger holds no text', async () => {
  expect(
    await send({ to: { name: 'X', address: 'no address' }, text: 'https://a.example/secret' }, 'account:no'),
  ).toEqual({ isAccepted: false })
  expect(await ledgerOf('account:no')).toMatchObject([{ state: 'skipped', response: 'no_address' }])
  const { rows } = await sql<{ row: string }>`select mails::text as row from mails`.execute(db)
  expect(rows.map(({ row }) => row).join()).not.toContain('secret')
})
