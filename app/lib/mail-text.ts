/** Text that goes into mails: one line where one line is meant, and nothing that a header or a page would read as its own. */

/** Control characters (line ends above all), and what turns the direction of writing, become blanks. */
export function plainLine(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

export function escapeHtml(value: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** An address as mail servers take it without quoting: one @, no blanks, controls or signs of a list. */
export function isMailAddress(value: string): boolean {
  return /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(value)
}
