/** The mails of each kind, as an independent verifier and parser see them. */
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { writeMessage } from '~/services/announcements/message-letter.ts'
import { checkMailDomain } from '~/services/mail/check-domain.server.ts'
import { readEml } from '~/services/mail/eml.ts'
import { composeLetter, unsubscribeUrlOf } from '~/services/mail/letter.ts'
import { composeMail, type Mail } from '~/services/mail/mail.server.ts'
import { aContext } from '../support/context.ts'
import { dkimRecord, verifyDkim, whileSigned } from '../support/dkim.ts'
import { ctx, db } from '../support/test.ts'

const marks = { uid: '6f0b4a53-9d8e-4f7c-8e3f-4a5b0b5a1c9e', token: '0b5a1c9e-6f0b-4a53-9d8e-2f7c1e3f4a5b' }
const unsubscribeUrl = unsubscribeUrlOf(ctx.site, marks.token)
const to = { firstName: 'Zoë', lastName: 'Müller', address: 'zoe@titrate.example' }
const letter = { site: ctx.site, to, subject: 'Größe: a long subject that goes beyond one line, with 日本語 in it' }
const mails: Record<string, Mail> = {
  'of an account': composeLetter({
    ...letter,
    before: ['Hello'],
    action: { label: 'Open', url: 'https://a.example/' },
    after: [],
  }),
  'of a reminder': composeLetter({
    ...letter,
    before: ['Due'],
    after: [],
    unsubscribe: { label: 'Stop', url: unsubscribeUrl },
  }),
  'of a message': writeMessage(ctx.site, {
    subject: 'News for {{first name}}',
    text: '# Hello\n\n.\n\n..two dots\n\nFrom here: 日本語',
    from: 'The Titrate team',
    attachments: [{ filename: 'größe.txt', content: Buffer.from('Attached.\n.\n'), contentType: 'text/plain' }],
  })({ name: 'Zoë', address: to.address, values: { 'first name': 'Zoë', institution: null }, unsubscribeUrl }),
}

const seeminglyEncoded = [
  '=?utf-8?q?Injected?=',
  '=?UTF-8?B?SGVsbG8=?= and more',
  'a =? b',
  `${'=?utf-8?q?x?= '.repeat(20)}ü 日本語 👩‍🔬`,
]

test.each(seeminglyEncoded)('a subject and names arrive as they are written, also %s', async (words) => {
  const mail = composeLetter({ ...letter, subject: words, to: { ...to, firstName: words }, before: [], after: [] })
  const { source } = await whileSigned(() => composeMail({ ...mail, from: { ...mail.from, name: words } }, marks))
  const parsed = await PostalMime.parse(source)
  expect(parsed.subject).toBe(words)
  expect(parsed.from).toMatchObject({ name: words, address: expect.stringContaining('@') })
  expect(parsed.to).toMatchObject([{ name: `${words} Müller`, address: to.address }])
  const [head = ''] = source.toString('utf8').split('\r\n\r\n')
  expect(head).toMatch(/^[\r\n\t -~]+$/)
  for (const line of head.split('\r\n').filter((one) => one.includes('=?'))) expect(line.length).toBeLessThan(120)
  expect((await verifyDkim(source)).results[0]?.status.result).toBe('pass')
  expect(readEml(source.toString('utf8')).headers.get('subject')).toBe(words)
})

test.each(seeminglyEncoded)('an attachment keeps its name in both headers, also %s', async (filename) => {
  const attachments = [{ filename, content: Buffer.from('Attached.'), contentType: 'application/pdf' }]
  const { source } = await whileSigned(() => composeMail({ ...(mails['of a message'] as Mail), attachments }, marks))
  const text = source.toString('utf8')
  expect((await verifyDkim(source)).results[0]?.status.result).toBe('pass')
  const disposition = /^Content-Disposition:.*(?:\r\n[ \t].*)*\r\n/m
  const [header = ''] = disposition.exec(text) ?? []
  for (const line of header.split('\r\n')) expect(line.length).toBeLessThan(80)
  // Without this header, the parser takes the name from Content-Type.
  const parsed = await PostalMime.parse(text.replace(disposition, ''))
  expect(parsed.attachments).toMatchObject([{ filename, mimeType: 'application/pdf' }])
  // With it, this parser decodes twice. By RFC 2231, the parts are one percent-encoded text.
  const parts = [...header.matchAll(/filename\*\d+\*=([^;\s]*)/g)].map(([, part]) => part)
  expect(decodeURIComponent(parts.join(''))).toBe(`utf-8''${filename}`)
})

test.each(Object.entries(mails))('a mail %s passes a DKIM verifier and a MIME parser', async (_, mail) => {
  const { from, source } = await whileSigned(() => composeMail(mail, marks))
  expect(from).toBe(`bounce+${marks.token}@mail.titrate.example`)
  const { results, asked } = await verifyDkim(source)
  expect(asked).toContain('TXT mail._domainkey.titrate.example')
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({ status: { result: 'pass', aligned: 'titrate.example' } })
  const changed = Buffer.from(source.toString('utf8').replace(/^Subject: /m, 'Subject: Not '))
  expect((await verifyDkim(changed)).results[0]?.status.result).not.toBe('pass')

  const parsed = await PostalMime.parse(source)
  expect(parsed.subject).toBe(mail.subject)
  expect(parsed.text?.replace(/\r\n/g, '\n').trim()).toBe(mail.text.trim())
  expect(parsed.html?.replace(/\r\n/g, '\n').trim()).toBe(mail.html.trim())
  expect(parsed.messageId).toBe(`<${marks.uid}@titrate.example>`)
  expect(parsed.to).toMatchObject([{ address: to.address }])
  expect(parsed.attachments.map(({ filename }) => filename)).toEqual(
    mail.attachments?.map(({ filename }) => filename) ?? [],
  )
  const header = (key: string) => parsed.headers.find((one) => one.key === key)?.value
  expect(header('list-unsubscribe')).toBe(mail.unsubscribeUrl && `<${mail.unsubscribeUrl}>`)
  const [, signed = ''] = /; h=([^;]*)/.exec(header('dkim-signature') ?? '') ?? []
  const always = ['from', 'subject', 'date', 'message-id', 'to', 'mime-version', 'content-type', 'auto-submitted']
  const list = mail.unsubscribeUrl ? ['list-unsubscribe', 'list-unsubscribe-post'] : []
  expect(signed.split(':')).toEqual(expect.arrayContaining([...always, ...list]))
})

test('the other site has a key of its own, and without one mails are not signed', async () => {
  const { site } = await aContext(db, { site: 'ns' })
  const mail = { ...(mails['of an account'] as Mail), site: site.key }
  const { source } = await whileSigned(() => composeMail(mail, marks))
  expect(source.toString()).not.toContain('DKIM-Signature')
})

test('the records of a domain are read, and its key is compared with the one that signs', async () => {
  const records: Record<string, string[]> = {
    'titrate.example': ['something else', 'v=spf1 include:mail.example -all'],
    'mail._domainkey.titrate.example': [dkimRecord],
    '_dmarc.titrate.example': ['v=DMARC1; p=reject'],
  }
  const check = (changed: Record<string, string[]> = {}, domain = 'Titrate.example') =>
    whileSigned(async () => {
      const findings = await checkMailDomain({ domain }, async (name) => ({ ...records, ...changed })[name] ?? [])
      return findings.map(({ about, isGood }) => `${about} ${isGood}`)
    })
  expect(await check()).toEqual(['SPF true', 'DKIM true', 'DMARC true'])
  const bad = {
    'titrate.example': ['v=spf1 +all'],
    'mail._domainkey.titrate.example': ['v=DKIM1; p=AAAA'],
    '_dmarc.titrate.example': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
  }
  expect(await check(bad)).toEqual(['SPF false', 'DKIM false', 'DMARC false'])
  expect(await check({}, 'other.example')).toEqual(['SPF false', 'DKIM false', 'DMARC false'])
})
