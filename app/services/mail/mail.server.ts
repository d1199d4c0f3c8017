/**
 * The mail port: SMTP if SMTP_URL is set, otherwise a file per mail in the outbox folder, which outbox.server.ts reads.
 * Only jobs send mail, because a transaction that rolls back must not have sent any.
 */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import type { SiteKey } from '~/config/brands.ts'
import { env } from '~/config/env.server.ts'
import { isMailAddress, plainLine } from '~/lib/mail-text.ts'
import { Unavailable } from '../errors.ts'

/** A mail of a site. */
export type Mail = {
  site: SiteKey
  /** The name that it is from, and where answers go if not to the address that sends it. */
  from: { name: string; replyTo: string | null }
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
}

export const siteHeader = 'X-Titrate-Site'

/**
 * Sends a mail. Returns the message id, or null if the address cannot receive mail. Throws Unavailable if the server
 * does not respond or refuses, and the job retries later.
 */
export async function sendMail(mail: Mail): Promise<{ messageId: string } | null> {
  if (!isMailAddress(mail.to.address)) return null
  const message = {
    from: { name: plainLine(mail.from.name), address: senderAddress() },
    ...(mail.from.replyTo !== null && { replyTo: mail.from.replyTo }),
    to: { name: plainLine(mail.to.name), address: mail.to.address },
    subject: plainLine(mail.subject),
    text: mail.text,
    html: mail.html,
    headers: { [siteHeader]: mail.site, 'Auto-Submitted': 'auto-generated' },
    textEncoding: 'base64' as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  const { SMTP_URL } = env()
  if (!SMTP_URL) return writeToOutbox(mail.site, message)
  const transport = createTransport({
    url: SMTP_URL,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  } as SMTPTransport.Options)
  try {
    const { messageId } = await transport.sendMail(message)
    return { messageId }
  } catch (error) {
    throw new Unavailable(`The mail could not be sent: ${(error as Error).message}`)
  } finally {
    transport.close()
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

async function writeToOutbox(site: SiteKey, message: object): Promise<{ messageId: string }> {
  const composed = await createTransport({ streamTransport: true, buffer: true }).sendMail(message)
  const folder = outboxFolder()
  await mkdir(folder, { recursive: true })
  // Mails hold links that open accounts. Folders of earlier versions were open to other users of the machine.
  await chmod(folder, 0o700)
  // The name sorts by time and contains the site, so that a list need not read every file.
  const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${site}-${randomUUID().slice(0, 8)}.eml`
  // Renamed once it is complete, so that nobody reads an incomplete message.
  await writeFile(path.join(folder, `.${name}`), composed.message as Buffer, { mode: 0o600 })
  await rename(path.join(folder, `.${name}`), path.join(folder, name))
  return { messageId: composed.messageId }
}
