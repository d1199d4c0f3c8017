/** A text in several languages by tag, as in xAPI and cmi5; `und` is the text without a language. */
export type LangText = Record<string, string>

/** The best match for an Accept-Language header, or else the untagged text, or else the first one (cmi5 13.1). */
export function chooseText(texts: LangText, acceptLanguage: string): string {
  const tags = Object.keys(texts)
  const tag = bestTag(tags, parseAcceptLanguage(acceptLanguage))
  return (tag === undefined ? (texts.und ?? texts[tags[0] ?? '']) : texts[tag]) ?? ''
}

/**
 * The titles of the blocks around each unit, as one heading per unit; null without blocks, and for all units if they share
 * one block, which then only repeats the name of the course.
 */
export function headingsOf(units: { blocks: LangText[] }[], acceptLanguage: string): (string | null)[] {
  const headings = units.map(({ blocks }) => {
    const titles = blocks.map((title) => chooseText(title, acceptLanguage)).filter(Boolean)
    return titles.join(' › ') || null
  })
  return new Set(headings).size > 1 ? headings : headings.map(() => null)
}

/**
 * The tag that fits best, trying the wanted ones in order: for `en-GB` it tries `en-GB`, then `en`, then any other
 * English (RFC 4647, lookup).
 */
export function bestTag(tags: string[], wanted: string[]): string | undefined {
  for (const language of wanted) {
    for (
      let range = language.toLowerCase();
      range !== '';
      range = range.slice(0, Math.max(0, range.lastIndexOf('-')))
    ) {
      const tag =
        tags.find((one) => one.toLowerCase() === range) ?? tags.find((one) => one.toLowerCase().startsWith(`${range}-`))
      if (tag !== undefined) return tag
    }
  }
  return undefined
}

/** The tags of an Accept-Language header, best first. */
export function parseAcceptLanguage(header: string): string[] {
  return header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return { tag, weight: quality ? Number(quality.slice(2)) : 1 }
    })
    .filter(({ tag, weight }) => tag !== '' && tag !== '*' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}
