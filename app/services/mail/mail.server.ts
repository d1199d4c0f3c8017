/**
 * The mail port: SMTP when SMTP_URL is set, else a file for each message in the outbox folder. Only jobs call it: a mail is an
 * effect, and a transaction that rolls back must not have sent one.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { env } from '~/config/env.server.ts'
import { Unavailable } from '../errors.ts'

export type Mail = { to: { name: string; address: string }; subject: string; text: string; html: string }

/** Returns the message id. Unavailable when the other side is away or refuses: the job tries again later. */
export async function sendMail(mail: Mail): Promise<{ messageId: string }> {
  const { SMTP_URL, MAIL_FROM } = env()
  const message = { ...mail, from: MAIL_FROM }
  if (!SMTP_URL) return writeToOutbox(message)
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
    throw new Unavailable(`The mail could not be handed over: ${(error as Error).message}`)
  } finally {
    transport.close()
  }
}

export function outboxFolder(): string {
  return path.join(env().DATA_DIR, 'outbox')
}

async function writeToOutbox(message: Mail & { from: string }): Promise<{ messageId: string }> {
  const composed = await createTransport({ streamTransport: true, buffer: true }).sendMail(message)
  const folder = outboxFolder()
  await mkdir(folder, { recursive: true })
  const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}.eml`
  // Renamed when it is whole, so that nobody reads half a message.
  await writeFile(path.join(folder, `.${name}`), composed.message as Buffer)
  await rename(path.join(folder, `.${name}`), path.join(folder, name))
  return { messageId: composed.messageId }
}
