/** Text for mails: single lines stay single, and nothing in it can act as part of a header or a page. */

/** Replaces control characters (above all line ends) and characters that change the writing direction with blanks. */
export function plainLine(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** True for text that a mail program would decode in a header, such as `=?utf-8?q?news?=`, and so not show as it is written. */
export function looksEncoded(text: string): boolean {
  return text.includes('=?')
}

/** The text as encoded words (RFC 2047), each of 75 characters at most and with whole characters only. */
export function encodedWords(text: string): string {
  const chunks: string[] = []
  for (const sign of text) {
    const longer = `${chunks.at(-1) ?? ''}${sign}`
    if (chunks.length > 0 && Buffer.byteLength(longer) <= 45) chunks[chunks.length - 1] = longer
    else chunks.push(sign)
  }
  return chunks.map((chunk) => `=?UTF-8?B?${Buffer.from(chunk).toString('base64')}?=`).join(' ')
}

/** The text as a parameter of a header in parts of at most 60 characters (RFC 2231), in which nobody looks for encoded words. */
export function extendedParameter(name: string, text: string): string {
  const parts = ["utf-8''"]
  for (const sign of text) {
    const code = encodeURIComponent(sign).replace(
      /['()*!]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    const longer = `${parts.at(-1)}${code}`
    if (longer.length <= 60) parts[parts.length - 1] = longer
    else parts.push(code)
  }
  return parts.map((part, index) => `${name}*${index}*=${part}`).join('; ')
}

export function escapeHtml(value: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/**
 * True for an address that mail servers accept without quoting: one @, no blanks, control characters or list
 * separators.
 */
export function isMailAddress(value: string): boolean {
  return /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(value)
}

/**
 * True if an address consists of printable ASCII, letters, marks and digits, and none of them is invisible or looks like
 * another character, as wide letters do.
 */
export function isUnmistakable(address: string): boolean {
  return (
    !/[^!-~\p{L}\p{M}\p{N}]|\p{Default_Ignorable_Code_Point}/u.test(address) &&
    address.normalize('NFKC') === address.normalize('NFC')
  )
}
