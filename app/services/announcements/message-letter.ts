/** A message as an email: the same words as HTML with inline styles and as plain text. */
import { randomUUID } from 'node:crypto'
import { brands } from '~/config/brands.ts'
import { mailColors } from '~/config/mail-colors.ts'
import { escapeHtml, plainLine } from '~/lib/mail-text.ts'
import { markdownToText, renderMarkdown } from '~/lib/markdown.ts'
import { fillPlaceholders, type PlaceholderValues } from '~/lib/placeholders.ts'
import type { Site } from '../context.ts'
import { footerOf, htmlFrame, plainFrame, trackedUrlsOf } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'

export type MessageToWrite = {
  subject: string
  /** The text in Markdown. */
  text: string
  from: string
  attachments: NonNullable<Mail['attachments']>
  /** The links of the text whose clicks are counted. */
  links?: { url: string; token: string }[]
}

export type MessageRecipient = {
  name: string
  address: string
  values: PlaceholderValues
  unsubscribeUrl: string
  /** The uid of a mail whose opening and clicks are counted. */
  trackedBy?: string
}

/**
 * Renders the message once. The returned function fills in what differs for each recipient: placeholders, the link to
 * unsubscribe, name and address.
 */
export function writeMessage(site: Site, message: MessageToWrite): (to: MessageRecipient) => Mail {
  const { subject, text, from, attachments, links = [] } = message
  const body = inlineStyles(site, renderMarkdown(text, { headingsFrom: 2 }))
  const trackedBody = trackedBodyOf(site, text, links)
  const words = markdownToText(text, { withLinks: true })
  const label = 'Stop messages by email'
  return ({ name, address, values, unsubscribeUrl, trackedBy }) => {
    const unsubscribe = { label, url: unsubscribeUrl }
    const ownSubject = plainLine(fillPlaceholders(subject, values))
    return {
      site: site.key,
      from: { name: from, replyTo: site.replyTo },
      to: { name: plainLine(name), address },
      subject: ownSubject,
      text: plainFrame([fillPlaceholders(words, values, plainLine)], footerOf(site), unsubscribe),
      html: htmlFrame({
        site,
        brand: brands[site.key],
        subject: ownSubject,
        body: fillPlaceholders(trackedBy ? trackedBody(trackedBy) : body, values, (value) =>
          escapeHtml(plainLine(value)),
        ),
        footer: footerOf(site),
        unsubscribe,
      }),
      attachments,
      unsubscribeUrl,
    }
  }
}

/** The text with links that are counted, and a picture at its end that counts the opening. The plain text has neither. */
function trackedBodyOf(site: Site, text: string, links: NonNullable<MessageToWrite['links']>) {
  // Stands for the uid of each mail. Nobody can write it into a text.
  const mark = randomUUID()
  const urls = trackedUrlsOf(site, mark)
  const tokens = new Map(links.map(({ url, token }) => [url, token]))
  const linkTo = (url: string) => {
    const token = tokens.get(url)
    return token ? urls.linkTo(token) : url
  }
  const html = inlineStyles(site, renderMarkdown(text, { headingsFrom: 2, linkTo }))
  const picture = `<img src="${escapeHtml(urls.picture)}" alt="" width="1" height="1" style="display:block;border:0">`
  const parts = `${html}\n${picture}`.split(mark)
  return (mailUid: string) => parts.join(mailUid)
}

/** Mail programs remove style sheets. Every `<` of the rendered HTML begins a tag of ours. */
function inlineStyles(site: Site, html: string): string {
  const { ink, muted, line, accent } = mailColors[brands[site.key].palette]
  const heading = `margin:24px 0 8px;color:${ink};font-family:'STIX Two Text',Georgia,serif;line-height:1.3;font-size:`
  const cell = `padding:6px 10px;border:1px solid ${line};text-align:left;vertical-align:top`
  const styles: Record<string, string> = {
    p: 'margin:0 0 16px;overflow-wrap:anywhere',
    h2: `${heading}22px`,
    h3: `${heading}19px`,
    h4: `${heading}17px`,
    h5: `${heading}16px`,
    h6: `${heading}16px`,
    ul: 'margin:0 0 16px;padding-left:24px',
    ol: 'margin:0 0 16px;padding-left:24px',
    li: 'margin:0 0 4px;overflow-wrap:anywhere',
    a: `color:${accent};text-decoration:underline`,
    blockquote: `margin:0 0 16px;padding:4px 0 4px 16px;border-left:4px solid ${line};color:${muted}`,
    pre: `margin:0 0 16px;padding:12px;border:1px solid ${line};white-space:pre-wrap;font-family:monospace`,
    code: 'font-family:monospace',
    hr: `border:0;border-top:1px solid ${line};margin:24px 0`,
    table: 'border-collapse:collapse;margin:0 0 16px',
    th: `${cell};font-weight:600`,
    td: `${cell};overflow-wrap:anywhere`,
    figure: 'margin:0 0 16px',
    figcaption: `color:${muted};font-size:14px`,
  }
  return html
    .replace(/<([a-z0-9]+)(?=[\s>])/g, (tag, name: string) => (styles[name] ? `${tag} style="${styles[name]}"` : tag))
    .replace(/<img ([^>]*?)style="([^"]*)"/g, '<img $1style="$2;height:auto;border:0"')
    .replace(/ (?:loading="lazy"|decoding="async"|tabindex="0"|role="region"|class="table-scroll")/g, '')
    .replace(/(<(?:img|a) [^>]*?(?:src|href)=")\/(?!\/)/g, `$1${escapeHtml(site.baseUrl)}/`)
}
