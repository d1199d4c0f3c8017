import { linksOf } from '~/lib/markdown.ts'

/** More links of one item are not checked. */
const mostLinks = 50
const longestLink = 2000

type Links = {
  /** Addresses elsewhere, without the part behind "#", which only a browser reads. */
  outside: string[]
  /** Addresses of this site, as a path. */
  own: string[]
}

/** The addresses to which a text links, each once. Plain text counts as Markdown, which finds addresses in it too. */
export function linksIn(text: string, siteUrl: string): Links {
  const outside = new Set<string>()
  const own = new Set<string>()
  const { host } = new URL(siteUrl)
  for (const address of linksOf(text).slice(0, mostLinks)) {
    const url = new URL(address)
    if (!/^https?:$/.test(url.protocol)) continue
    url.hash = ''
    if (url.host === host) own.add(url.pathname)
    else if (url.href.length <= longestLink) outside.add(url.href)
  }
  return { outside: [...outside], own: [...own] }
}
