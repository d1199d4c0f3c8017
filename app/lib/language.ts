/** A text in several languages by tag, as xAPI and cmi5 write it; `und` is the one without a language. */
export type LangText = Record<string, string>

/** Best match for an Accept-Language header, then the untagged text, then the first (cmi5 13.1, checklist C014). */
export function chooseText(texts: LangText, acceptLanguage: string): string {
  const tags = Object.keys(texts)
  for (const wanted of preferredTags(acceptLanguage)) {
    const match =
      tags.find((tag) => tag.toLowerCase() === wanted) ??
      tags.find((tag) => tag.toLowerCase().startsWith(`${wanted}-`)) ??
      tags.find((tag) => wanted.startsWith(`${tag.toLowerCase()}-`))
    if (match !== undefined) return texts[match] ?? ''
  }
  return texts.und ?? texts[tags[0] ?? ''] ?? ''
}

function preferredTags(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const quality = parameters.find((parameter) => parameter.trim().startsWith('q='))
      return { tag: tag.toLowerCase(), weight: quality ? Number(quality.trim().slice(2)) : 1 }
    })
    .filter(({ tag, weight }) => tag !== '' && tag !== '*' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}
