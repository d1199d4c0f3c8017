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
    footer: `${brand.name}, ${letter.site.baseUrl}/`,
  }
  return {
    site: letter.site.key,
    from: { name: letter.site.senderName ?? brand.name, replyTo: letter.site.replyTo },
    to: { name: plainLine(`${letter.to.firstName} ${letter.to.lastName}`), address: letter.to.address },
    subject: plainLine(letter.subject),
    text: plainOf(parts),
    html: htmlOf(parts),
  }
}

type Parts = Letter & { brand: Brand; greeting: string; footer: string }

function plainOf({ greeting, before, action, after, footer }: Parts): string {
  const button = action ? [`${action.label}:\n${action.url}`] : []
  return `${[greeting, ...before, ...button, ...after, `-- \n${footer}`].join('\n\n')}\n`
}

function htmlOf({ site, brand, subject, greeting, before, action, after, footer }: Parts): string {
  const { ink, muted, paper, line, accent, onAccent, deep } = mailColors[brand.palette]
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`
  const button = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${accent};color:${onAccent};font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="margin:0 0 16px;color:${muted};font-size:14px;word-break:break-all">${escapeHtml(action.url)}</p>`
    : ''
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(plainLine(subject))}</title></head>
<body style="margin:0;padding:24px 16px;background:${paper};color:${ink};font:16px/1.5 'Atkinson Hyperlegible Next',Arial,sans-serif">
<div style="max-width:544px;margin:0 auto;border:1px solid ${line};border-radius:8px;background:#ffffff;overflow:hidden">
<div style="padding:16px 24px;background:${deep};color:#ffffff;font:500 20px/28px 'STIX Two Text',Georgia,serif">${escapeHtml(brand.name)}</div>
<div style="padding:24px">
${paragraph(greeting)}
${before.map(paragraph).join('\n')}
${button}
${after.map(paragraph).join('\n')}
</div>
<div style="padding:12px 24px;border-top:1px solid ${line};color:${muted};font-size:14px"><a href="${escapeHtml(site.baseUrl)}/" style="color:${muted}">${escapeHtml(footer)}</a></div>
</div>
</body>
</html>
`
}
