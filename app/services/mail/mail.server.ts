/**
 * The mail port: SMTP if SMTP_URL is set, otherwise a file per mail in the outbox folder, which outbox.server.ts reads.
 * Only jobs send mail, because a transaction that rolls back must not have sent any. Every mail has a row in the ledger
 * before it gets here.
 */
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type { SiteKey } from '~/config/brands.ts'
import { dkimOf } from '~/config/dkim.ts'
import { env } from '~/config/env.server.ts'
import { encodedWords, extendedParameter, looksEncoded, plainLine } from '~/lib/mail-text.ts'
import { type Outcome, type SmtpLane, sendBySmtp } from './smtp.server.ts'

/** A mail of a site. */
export type Mail = {
  site: SiteKey
  /** The name that it is from, and where answers go if not to the address that sends it. */
  from: { name: string; replyTo: string | null }
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
  /** The bytes are shared by all mails of a message. */
  attachments?: { filename: string; content: Buffer; contentType: string }[]
  /** The address at which one request ends mails of this kind (RFC 8058). */
  unsubscribeUrl?: string
}

/** What the ledger knows of a mail: `uid` names it in its headers, `token` in the address for returned mail. */
export type LedgerMarks = { uid: string; token: string }

export const siteHeader = 'X-Titrate-Site'

/** Hands a mail to the server of SMTP_URL over an open connection, or puts it into the outbox. */
export async function handOver(mail: Mail, marks: LedgerMarks, lane: SmtpLane | null): Promise<Outcome> {
  const message = { ...(await composeMail(mail, marks)), to: mail.to.address }
  if (lane) return sendBySmtp(lane, message)
  await writeToOutbox(mail.site, message.source)
  return { state: 'accepted', response: 'Stored in the outbox.' }
}

export function messageIdOf({ uid }: Pick<LedgerMarks, 'uid'>): string {
  return `<${uid}@${senderAddress().split('@')[1]}>`
}

/** Writes the source of a mail, signed if the site has a key. */
export async function composeMail(mail: Mail, marks: LedgerMarks): Promise<{ from: string; source: Buffer }> {
  const from = senderAddress()
  const { message } = await composer.sendMail({
    from: { name: plainLine(mail.from.name), address: from },
    ...(mail.from.replyTo !== null && { replyTo: mail.from.replyTo }),
    to: { name: plainLine(mail.to.name), address: mail.to.address },
    subject: headerText(plainLine(mail.subject)),
    messageId: messageIdOf(marks),
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments ?? [],
    headers: {
      [siteHeader]: mail.site,
      'Auto-Submitted': 'auto-generated',
      ...(mail.unsubscribeUrl && {
        'List-Unsubscribe': { prepared: true, value: `<${mail.unsubscribeUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    textEncoding: 'base64',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...signature(mail.site),
  })
  return { from: env().MAIL_RETURN_ADDRESS?.replace('{token}', marks.token) ?? from, source: message as Buffer }
}

const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })

type MimePart = {
  _encodeAddressName: (name: string) => string
  _encodeWords: (text: string) => string
  setHeader: (key: string, value: { prepared: boolean; foldLines: boolean; value: string }) => void
  filename?: string
  childNodes: MimePart[]
}

// Nodemailer puts such names into quotes, in which many mail programs decode them all the same.
composer.use('stream', (mail, done) => {
  const message = mail.message as unknown as MimePart
  const usual = message._encodeAddressName.bind(message)
  message._encodeAddressName = (name) => (looksEncoded(name) ? encodedWords(name) : usual(name))
  encodeFileNames(message)
  done()
})

/** The name of an attachment is in Content-Disposition and, for old mail programs, in Content-Type. */
function encodeFileNames(part: MimePart): void {
  const { filename } = part
  if (filename && looksEncoded(filename)) {
    const value = `attachment; ${extendedParameter('filename', filename)}`
    part.setHeader('Content-Disposition', { prepared: true, foldLines: true, value })
    const usual = part._encodeWords.bind(part)
    part._encodeWords = (text) => (text === filename ? encodedWords(text) : usual(text))
  }
  for (const child of part.childNodes) encodeFileNames(child)
}

/** Nodemailer leaves alone what looks encoded already. */
function headerText(text: string): string {
  return looksEncoded(text) ? encodedWords(text) : text
}

/**
 * The headers of our mails that are signed. The usual ones of nodemailer leave out List-Unsubscribe-Post, and mail programs
 * show their button only if it is signed (RFC 8058, 4).
 */
const signedHeaders =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post'

function signature(site: SiteKey) {
  const setting = dkimOf(env(), site)
  if (!setting) return {}
  const { domain: domainName, selector: keySelector } = setting
  return { dkim: { domainName, keySelector, privateKey: keyIn(setting.keyFile), headerFieldNames: signedHeaders } }
}

const keys = new Map<string, KeyObject | string>()

/** Parsed once, because that takes longer than to sign. What is no key is left to the signer, which signs nothing. */
function keyIn(file: string): KeyObject | string {
  const known = keys.get(file)
  if (known) return known
  const text = readFileSync(file, 'utf8')
  const key = parsed(text) ?? text
  keys.set(file, key)
  return key
}

function parsed(text: string): KeyObject | null {
  try {
    return createPrivateKey(text)
  } catch {
    return null
  }
}

/** Returns true if mails are stored in files because no SMTP server is set. */
export function isOutboxUsed(): boolean {
  return env().SMTP_URL === undefined
}

export function outboxFolder(): string {
  return path.join(env().DATA_DIR, 'outbox')
}

/** Returns the address of MAIL_FROM. The sender's name comes from the site. */
function senderAddress(): string {
  const from = env().MAIL_FROM
  return /<([^<>]+)>/.exec(from)?.[1]?.trim() ?? from.trim()
}

async function writeToOutbox(site: SiteKey, source: Buffer): Promise<void> {
  const folder = outboxFolder()
  await mkdir(folder, { recursive: true })
  // Mails hold links that open accounts. Folders of earlier versions were open to other users of the machine.
  await chmod(folder, 0o700)
  // The name sorts by time and contains the site, so that a list need not read every file.
  const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${site}-${randomUUID().slice(0, 8)}.eml`
  // Renamed once it is complete, so that nobody reads an incomplete message.
  await writeFile(path.join(folder, `.${name}`), source, { mode: 0o600 })
  await rename(path.join(folder, `.${name}`), path.join(folder, name))
}
