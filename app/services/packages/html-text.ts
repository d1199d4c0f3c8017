/**
 * Extracts the visible text of an HTML page, without tags, scripts or styles. Reads the page once, whatever it
 * contains.
 */

const unread = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object'])
/** Tags that may occur inside a word. All other tags separate words. */
const inline = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'cite',
  'code',
  'em',
  'i',
  'mark',
  'q',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
])

export function textOfHtml(html: string): string {
  // Only ASCII, because `'İ'.toLowerCase()` has two characters and would shift every position after it.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const parts: string[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    parts.push(html.slice(at, open < 0 ? html.length : open))
    if (open < 0) break
    const { end, name } = tagAt(html, lower, open)
    if (end === open + 1) parts.push('<')
    else if (!inline.has(name.replace('/', ''))) parts.push(' ')
    at = unread.has(name) ? endOf(lower, name, end) : end
  }
  return decodeEntities(parts.join(''))
    .replace(/[\0\s]+/g, ' ')
    .trim()
}

/**
 * Returns the end and the name of the tag that begins here. The name of a closing tag begins with a slash. A `<` that
 * begins no tag is text.
 */
function tagAt(html: string, lower: string, open: number): { end: number; name: string } {
  if (lower.startsWith('<!--', open)) return { end: after(html, '-->', open + 4), name: '' }
  const name = /^\/?[a-z][a-z0-9-]*/.exec(lower.slice(open + 1, open + 40))?.[0]
  if (name === undefined && !/^[!?/]/.test(lower.slice(open + 1, open + 2))) return { end: open + 1, name: '' }
  return { end: after(html, '>', open + 1), name: name ?? '' }
}

/** Returns the position after the end tag of an element whose text is skipped. */
function endOf(lower: string, name: string, from: number): number {
  const close = lower.indexOf(`</${name}`, from)
  return close < 0 ? lower.length : after(lower, '>', close)
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found + mark.length
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  mu: 'μ',
  micro: 'µ',
  times: '×',
}

function decodeEntities(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/gi, (whole, entity: string) => {
    if (!entity.startsWith('#')) return named[entity] ?? whole
    const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : ' '
  })
}
