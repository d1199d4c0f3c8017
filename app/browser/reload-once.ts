const mark = '_r'

/** The address to load again with `_r=1`, or null when it was already loaded so: then the fault must surface. */
export function reloadOnceAddress(href: string): string | null {
  const url = new URL(href)
  if (url.searchParams.get(mark) === '1') return null
  url.searchParams.set(mark, '1')
  return url.href
}
