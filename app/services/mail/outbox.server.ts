/**
 * The outbox: mails stored in files because no SMTP server is set. Admins of a site can read its mails, but not the
 * links that would let them act as somebody else.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { emailKey } from '~/lib/text.ts'
import { type Ctx, requireAdmin, type SiteKey } from '../context.ts'
import { NotFound } from '../errors.ts'
import { type Eml, readEml } from './eml.ts'
import { outboxFolder, siteHeader } from './mail.server.ts'

export type OutboxMail = { name: string; sentAt: Date; to: string; subject: string; text: string }

const fileName = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-(institutional|ns)-[0-9a-f]{8}\.eml$/
const secretLinks = /https?:\/\/\S+\/(?:reset-password|confirm-invitation|confirm-address|keep-address)\/\S+/g
const hidden = '(This link is shown only to the recipient of the mail.)'

/** Lists a page of the site's mails, newest first. */
export async function listOutboxMails(
  ctx: Ctx,
  input: { page: number; size: number },
): Promise<{ items: OutboxMail[]; total: number; page: number }> {
  requireAdmin(ctx)
  const names = await namesOf(ctx.site.key)
  const last = Math.max(1, Math.ceil(names.length / input.size))
  const page = Math.min(Math.max(1, Math.trunc(input.page) || 1), last)
  const shown = names.slice((page - 1) * input.size, page * input.size)
  const mails = await Promise.all(shown.map((name) => readMail(ctx, name)))
  return { items: mails.filter((mail) => mail !== null), total: names.length, page }
}

/** Returns a mail by its file name. Throws NotFound for any name that is not a mail of the site. */
export async function getOutboxMail(ctx: Ctx, input: { name: string }): Promise<OutboxMail> {
  requireAdmin(ctx)
  const mail = await readMail(ctx, input.name)
  if (!mail) throw new NotFound()
  return mail
}

async function namesOf(site: SiteKey): Promise<string[]> {
  const names = await readdir(outboxFolder()).catch(() => [])
  return names
    .filter((name) => fileName.exec(name)?.[6] === site)
    .sort()
    .reverse()
}

/** Checks the name before it becomes part of a path. The header in the file decides which site the mail belongs to. */
async function readMail(ctx: Ctx, name: string): Promise<OutboxMail | null> {
  const [, day, hours, minutes, seconds, millis] = fileName.exec(name) ?? []
  if (!day) return null
  const source = await readFile(path.join(outboxFolder(), name), 'utf8').catch(() => null)
  const eml = source === null ? null : readEml(source)
  if (eml?.headers.get(siteHeader.toLowerCase()) !== ctx.site.key) return null
  return {
    name,
    sentAt: new Date(`${day}T${hours}:${minutes}:${seconds}.${millis}Z`),
    to: eml.headers.get('to') ?? '',
    subject: eml.headers.get('subject') ?? '',
    text: isOwn(ctx, eml) ? eml.text : eml.text.replace(secretLinks, hidden),
  }
}

function isOwn(ctx: Ctx, eml: Eml): boolean {
  const address = /<([^<>]*)>\s*$/.exec(eml.headers.get('to') ?? '')?.[1] ?? eml.headers.get('to') ?? ''
  return ctx.viewer !== null && emailKey(address) === emailKey(ctx.viewer.email)
}
