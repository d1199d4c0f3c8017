/** Addresses of links in rich text. */

const protocols = ['http:', 'https:', 'ftp:', 'mailto:']

// Characters that browsers drop or treat as separators, and characters that hide an address from its reader.
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const stray = /[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\\<>"]/

const mailAddress = /^[^\s@<>"'(),;:[\]\\]+@[^\s@<>"'(),;:[\]\\]+\.[^\s@<>"'(),;:[\]\\.]+$/

export const badLinkAddress = 'Please enter a valid absolute URL'

/** True if rich text may link to this address. */
export function isSafeLink(address: string): boolean {
  if (stray.test(address)) return false
  const url = parsed(address)
  if (url === null || !protocols.includes(url.protocol)) return false
  return url.protocol === 'mailto:' ? mailAddress.test(recipientOf(url)) : /^(https?|ftp):\/\/[^/]/i.test(address)
}

/**
 * Completes a typed link address: adds https if the protocol is missing, and mailto to an email address. Null unless
 * the result is an absolute address of an allowed protocol whose host has a dot or is "localhost".
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

/** Corrects a link of a markdown tree: remark-gfm adds http to a typed "www." address; here it gets https. */
export function preferHttps(node: LinkNode): void {
  const [only, ...others] = node.children ?? []
  if (others.length > 0 || only?.type !== 'text') return
  if (node.url === `http://${only.value}`) node.url = `https://${only.value}`
}

/** The address that a typed word stands for; null for all other words. */
export function addressInText(word: string): string | null {
  if (!/^(?:https?:\/\/|www\.)./i.test(word) && !mailAddress.test(word)) return null
  return completeLink(word)
}

/** "localhost:3000" has a port, "mailto:a@b.co" has a protocol. */
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
