/**
 * True if an object in a JSON text has the same key twice. `JSON.parse` silently drops the first of the two, so this
 * compares the number of keys in the text with that in `value`, the parsed text.
 */
export function repeatsKey(text: string, value: unknown): boolean {
  return keysIn(text) !== propertiesOf(value)
}

/** Counts the keys of valid JSON: strings that are followed by a colon. */
function keysIn(text: string): number {
  let count = 0
  let start = text.indexOf('"')
  while (start !== -1) {
    let end = text.indexOf('"', start + 1)
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
    do end++
    while (isBlank(text.charCodeAt(end)))
    if (text.charCodeAt(end) === 0x3a) count++
    start = text.indexOf('"', end)
  }
  return count
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === 0x5c) at--
  return (quote - at) % 2 === 1
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function propertiesOf(value: unknown): number {
  let count = 0
  const open = typeof value === 'object' ? [value] : []
  while (open.length > 0) {
    const next = open.pop() as Record<string, unknown> | null
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object') open.push(item)
      continue
    }
    for (const key in next) {
      count++
      if (typeof next[key] === 'object') open.push(next[key])
    }
  }
  return count
}
