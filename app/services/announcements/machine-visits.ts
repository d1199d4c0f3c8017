/**
 * Who fetches the picture or follows a link of an email. Proxies of mail programs fetch pictures that nobody looks at,
 * and scanners follow links to see whether they are dangerous. They are counted apart from people.
 */

export type Visit = {
  method: string
  agent: string | null
  /** The headers with which browsers say that they fetch something ahead. */
  purposes: (string | undefined)[]
  at: Date
}

/** Nobody opens a mail so soon after the server took it. */
export const soonSeconds = 5
/** Somebody who follows a second link of the same mail within so many seconds follows all of them. */
export const burstSeconds = 3

/** Mail programs with a name of their own open pictures for a person, like Gmail's proxy when the mail is opened. */
const machines =
  /bot\b|crawl|spider|slurp|scan|preview|barracuda|proofpoint|mimecast|symantec|trend ?micro|sophos|fireeye|forcepoint|safelinks|headless|phantomjs|curl|wget|python|java\/|okhttp|go-http|libwww|axios|node-fetch|undici|guzzle|httpclient|powershell|postman|monitor|validator/i

/** Apple's mail privacy fetches every picture, seen or not. Its browser has no more of a name than this. */
const applesProxy = 'Mozilla/5.0'

/** Says whether a program came on its own. `acceptedAt`: when the mail server took the mail. */
export function isMachine(visit: Visit, { acceptedAt }: { acceptedAt: Date }): boolean {
  const agent = visit.agent?.trim() ?? ''
  if (visit.method !== 'GET') return true
  if (visit.purposes.some((purpose) => purpose !== undefined && /prefetch|preview|prerender/i.test(purpose)))
    return true
  if (agent === '' || agent === applesProxy || machines.test(agent)) return true
  return visit.at.getTime() - acceptedAt.getTime() < soonSeconds * 1000
}
