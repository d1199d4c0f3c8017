/**
 * `/u/{token}`, the link in mails that people can do without (RFC 8058). A POST ends these mails. It reads no cookie and
 * asks for no token against forgery, because mail programs send it: the token in the address says who it is. A GET
 * changes nothing, because scanners follow every link; it shows a button.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brands } from '~/config/brands.ts'
import { anonymousContextOf } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { footerOf, htmlFrame } from '~/services/mail/letter.ts'
import { endMails, getMailToEnd, type MailChoice } from '~/services/users/mail-choices.server.ts'

const words: Record<MailChoice, string> = {
  messages: 'messages by email',
  reminders: 'due-date reminders',
  reports: 'reports by email',
}

export async function handleUnsubscribe(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const token = /^\/u\/([0-9a-f-]{36})\/?(?:\?|$)/i.exec(exchange.url)?.[1] ?? ''
  const ctx = await anonymousContextOf(exchange)
  req.resume()
  try {
    if (exchange.method === 'POST') {
      const { choice, isTest } = await endMails(ctx, { token })
      return show(ctx, res, 200, isTest ? saidOfTest(choice) : said(choice))
    }
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD, POST')
      return show(ctx, res, 405, '<p>This link only stops emails.</p>')
    }
    const { choice, isTest, isEnded } = await getMailToEnd(ctx, { token })
    return show(ctx, res, 200, isTest ? saidOfTest(choice) : isEnded ? said(choice) : question(choice))
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    show(ctx, res, 404, '<p>This link no longer works. In your account you can choose which emails you get.</p>')
  }
}

function question(choice: MailChoice): string {
  return `<p>Do you want to stop ${words[choice]}?</p>
<form method="post"><button type="submit" style="padding:12px 20px;font:inherit;font-weight:600;cursor:pointer">Stop ${words[choice]}</button></form>`
}

function said(choice: MailChoice): string {
  return `<p role="status">You will no longer get ${words[choice]}. You can change this in your account.</p>`
}

function saidOfTest(choice: MailChoice): string {
  return `<p role="status">This link is from a test. In the message itself it stops ${words[choice]}. Nothing has changed.</p>`
}

function show(ctx: Ctx, res: ServerResponse, status: number, body: string): void {
  const { site } = ctx
  const brand = brands[site.key]
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Robots-Tag', 'noindex')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  )
  res.end(
    htmlFrame({
      site,
      brand,
      subject: `Emails from ${brand.name}`,
      body: `<main>${body}</main>`,
      footer: footerOf(site),
    }),
  )
}
