import type { Exchange } from './exchange.server.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * True for a request that another site made and that our cookies could authenticate. Uses Sec-Fetch-Site if the browser
 * sends it. Otherwise the host and port of the Origin must be the request's or a site's.
 */
export function isCrossSite(exchange: Exchange, siteOrigins: string[]): boolean {
  if (safeMethods.has(exchange.method) && !/^\/graphql(\/|$|\?)/i.test(exchange.url)) return false
  const fetchSite = exchange.header('sec-fetch-site')
  if (fetchSite !== undefined) return fetchSite !== 'same-origin' && fetchSite !== 'none'
  const origin = exchange.header('origin')
  if (origin === undefined) return false
  const host = hostOf(origin)
  return host === null || ![exchange.host, ...siteOrigins.map((site) => hostOf(site))].includes(host)
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host.toLowerCase().replace(/\.(?=:|$)/, '')
  } catch {
    return null
  }
}
