const base = 'http://here.invalid'

/**
 * The page to open after sign-in: a path of this origin, or null. Refuses everything that a browser might read as
 * another origin: foreign and protocol-relative addresses, backslashes, control characters, other schemes.
 */
export function safeNext(value: string | null | undefined): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them before they parse an address
  if (!value?.startsWith('/') || /[\u0000-\u001f\u007f\\]/.test(value) || value.length > 2000) return null
  try {
    const url = new URL(value, base)
    if (url.origin !== base || url.pathname.startsWith('//')) return null
    return url.pathname + url.search + url.hash
  } catch {
    return null
  }
}

/**
 * `/login/` with the way back, except from the root. Marks a session that has ended or whose cookie came twice, so that
 * the page can say so.
 */
export function loginAddress(
  current: { pathname: string; search: string },
  { isEnded = false, isDoubled = false } = {},
): string {
  const here = withSlash(current.pathname) + current.search
  const next = here === '/' ? [] : [`next=${encodeURIComponent(here)}`]
  const query = [...next, ...(isDoubled ? ['cookie'] : isEnded ? ['ended'] : [])].join('&')
  return query ? `/login/?${query}` : '/login/'
}

/** The questionnaire that people answer before they enter the learner area, with the address to continue to. */
export function questionnaireAddress(current: { pathname: string; search: string }): string {
  const here = withSlash(current.pathname) + current.search
  return here === '/' ? '/questionnaire/' : `/questionnaire/?next=${encodeURIComponent(here)}`
}

/** Single fetch requests the same page as `/home` and `/home/`; its address has the slash. */
function withSlash(pathname: string): string {
  return pathname.endsWith('/') ? pathname : `${pathname}/`
}
