import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { sendMail } from '~/services/mail/mail.server.ts'

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
    const sent = await sendMail(mail)
    expect(received).toHaveLength(1)
    expect(received[0]).toContain(sent?.messageId)
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
  await expect(sendMail(mail)).rejects.toThrow(/could not be sent/)
  env().SMTP_URL = undefined
})

test('without SMTP_URL a mail is a file in the outbox', async () => {
  env().DATA_DIR = await mkdtemp(path.join(os.tmpdir(), 'outbox-'))
  await sendMail(mail)
  const folder = path.join(env().DATA_DIR, 'outbox')
  const files = await readdir(folder)
  expect(files).toHaveLength(1)
  expect(await readFile(path.join(folder, files[0] ?? ''), 'utf8')).toContain('ada@titrate.example')
})
