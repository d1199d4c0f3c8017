import { type Brand, brands } from '~/config/brands.ts'
import { mailColors } from '~/config/mail-colors.ts'
import { escapeHtml, plainLine } from '~/lib/mail-text.ts'
import type { Site } from '../context.ts'
import type { Mail } from './mail.server.ts'

export type Letter = {
  site: Site
  to: { firstName: string; lastName: string; address: string }
  subject: string
  /**
   * The paragraphs before the button, which say what the mail is about. Then an optional action, and the paragraphs
   * after it.
   */
  before: string[]
  action?: { label: string; url: string }
  after: string[]
  /** For what people can do without: where they end mails of this kind. */
  unsubscribe?: { label: string; url: string }
}

/**
 * Composes a mail in the site's brand, as text and HTML with the same words. Colors are inline, because mail programs
 * remove stylesheets.
 */
export function composeLetter(letter: Letter): Mail {
  const brand = brands[letter.site.key]
  const firstName = plainLine(letter.to.firstName)
  const parts = {
    ...letter,
    brand,
    greeting: firstName ? `Hello ${firstName},` : 'Hello,',
    footer: footerOf(letter.site),
  }
  return {
    site: letter.site.key,
    from: { name: letter.site.senderName ?? brand.name, replyTo: letter.site.replyTo },
    to: { name: plainLine(`${letter.to.firstName} ${letter.to.lastName}`), address: letter.to.address },
    subject: plainLine(letter.subject),
    text: plainOf(parts),
    html: htmlOf(parts),
    ...(letter.unsubscribe && { unsubscribeUrl: letter.unsubscribe.url }),
  }
}

/** Where the holder of a mail ends mails of its kind. */
export function unsubscribeUrlOf(site: Site, token: string): string {
  return `${site.baseUrl}/u/${token}`
}

/** The addresses that count what the holder of a mail does with it: its picture and its links. */
export function trackedUrlsOf(site: Site, mailUid: string) {
  const base = `${site.baseUrl}/e/${mailUid}`
  return { picture: `${base}.gif`, linkTo: (link: string) => `${base}/${link}` }
}

export function footerOf(site: Site): string {
  return `${brands[site.key].name}, ${site.baseUrl}/`
}

type Parts = Letter & { brand: Brand; greeting: string; footer: string }

function plainOf({ greeting, before, action, after, footer, unsubscribe }: Parts): string {
  const button = action ? [`${action.label}:\n${action.url}`] : []
  return plainFrame([greeting, ...before, ...button, ...after], footer, unsubscribe)
}

/** Paragraphs of plain text with the footer of all mails. */
export function plainFrame(paragraphs: string[], footer: string, unsubscribe?: Letter['unsubscribe']): string {
  const end = unsubscribe ? `\n${unsubscribe.label}: ${unsubscribe.url}` : ''
  return `${[...paragraphs, `-- \n${footer}${end}`].join('\n\n')}\n`
}

function htmlOf({ site, brand, subject, greeting, before, action, after, footer, unsubscribe }: Parts): string {
  const { muted, accent, onAccent } = mailColors[brand.palette]
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`
  const button = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${accent};color:${onAccent};font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="margin:0 0 16px;color:${muted};font-size:14px;word-break:break-all">${escapeHtml(action.url)}</p>`
    : ''
  const body = [paragraph(greeting), ...before.map(paragraph), button, ...after.map(paragraph)].join('\n')
  return htmlFrame({ site, brand, subject, body, footer, unsubscribe })
}

type Frame = { site: Site; brand: Brand; subject: string; body: string; footer: string } & Pick<Letter, 'unsubscribe'>

/** The page of all mails. `body` is HTML that is safe as it is. */
export function htmlFrame({ site, brand, subject, body, footer, unsubscribe }: Frame): string {
  const { ink, muted, paper, line, deep } = mailColors[brand.palette]
  const end = unsubscribe
    ? `<br><a href="${escapeHtml(unsubscribe.url)}" style="color:${muted}">${escapeHtml(unsubscribe.label)}</a>`
    : ''
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(plainLine(subject))}</title></head>
<body style="margin:0;padding:24px 16px;background:${paper};color:${ink};font:16px/1.5 'Atkinson Hyperlegible Next',Arial,sans-serif">
<div style="max-width:544px;margin:0 auto;border:1px solid ${line};border-radius:8px;background:#ffffff;overflow:hidden">
<div style="padding:16px 24px;background:${deep};color:#ffffff;font:500 20px/28px 'STIX Two Text',Georgia,serif">${escapeHtml(brand.name)}</div>
<div style="padding:24px">
${body}
</div>
<div style="padding:12px 24px;border-top:1px solid ${line};color:${muted};font-size:14px"><a href="${escapeHtml(site.baseUrl)}/" style="color:${muted}">${escapeHtml(footer)}</a>${end}</div>
</div>
</body>
</html>
`
}
