/** Addresses of links in rich text. */

const protocols = ['http:', 'https:', 'ftp:', 'mailto:']

// What browsers drop or take for a separator, and what hides an address from its reader.
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const stray = /[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\\<>"]/

const mailAddress = /^[^\s@<>"'(),;:[\]\\]+@[^\s@<>"'(),;:[\]\\]+\.[^\s@<>"'(),;:[\]\\.]+$/

export const badLinkAddress = 'Please enter a valid absolute URL'

/** Whether a link may lead there when rich text is shown. */
export function isSafeLink(address: string): boolean {
  if (stray.test(address)) return false
  const url = parsed(address)
  if (url === null || !protocols.includes(url.protocol)) return false
  return url.protocol === 'mailto:' ? mailAddress.test(recipientOf(url)) : /^(https?|ftp):\/\/[^/]/i.test(address)
}

/**
 * What somebody typed as the address of a link: without a protocol it gets https, an e-mail address mailto. Null where that is no
 * absolute address of an allowed protocol with a host that has a dot or is "localhost".
 */
export function completeLink(typed: string): string | null {
  const text = typed.trim()
  const address = mailAddress.test(text) ? `mailto:${text}` : hasProtocol(text) ? text : `https://${text}`
  if (!isSafeLink(address)) return null
  const url = parsed(address)
  if (url?.protocol === 'mailto:') return address
  const host = url?.hostname ?? ''
  return host === 'localhost' || /^[^.].*\.[^.]/.test(host) ? address : null
}

type LinkNode = { url?: string; children?: { type: string; value?: string }[] }

/** A link of a markdown tree: remark-gfm gives http to "www." that was typed without a protocol; here it gets https. */
export function settleLink(node: LinkNode): void {
  const [only, ...others] = node.children ?? []
  if (others.length > 0 || only?.type !== 'text') return
  if (node.url === `http://${only.value}`) node.url = `https://${only.value}`
}

/** A word that was typed, as the address that it is; null for all other words. */
export function addressInText(word: string): string | null {
  if (!/^(?:https?:\/\/|www\.)./i.test(word) && !mailAddress.test(word)) return null
  return completeLink(word)
}

/** "localhost:3000" has a port, "mailto:a@b.co" a protocol. */
function hasProtocol(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[a-z0-9.-]+:\d+(?:[/?#]|$)/i.test(text)
}

function recipientOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname)
  } catch {
    return ''
  }
}

function parsed(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null
}
