/**
 * Host names of content. A pattern is an origin whose first label may be a star: `https://*.content.example.net` stands
 * for one origin per module (docs/decisions/030). Pure.
 */

/** Names below localhost always lead to this machine, and their cookies are not those of localhost (RFC 6761). */
export const loopbackPattern = (port: number) => `http://*.content.localhost:${port}`

export function isWildcard(pattern: string): boolean {
  return pattern.includes('://*.')
}

/** The origin of a module: the star becomes its uid, so that all versions of a module share their storage. */
export function originInPattern(pattern: string, moduleUid: string): string {
  return pattern.replace('*', moduleUid)
}

/**
 * True if requests for this host are for content. Under a wildcard this includes all names below it, whatever the port:
 * none of them may show a page of the app.
 */
export function coversHost(pattern: string, host: string): boolean {
  const { host: own, hostname } = urlOf(pattern)
  if (!isWildcard(pattern)) return host === own
  const name = withoutPort(host)
  return name === hostname || name.endsWith(`.${hostname}`)
}

/** The module that a host belongs to, or null for a host that modules share. */
export function moduleOfHost(pattern: string, host: string): string | null {
  if (!isWildcard(pattern)) return null
  const name = withoutPort(host)
  const rest = `.${urlOf(pattern).hostname}`
  const label = name.endsWith(rest) ? name.slice(0, -rest.length) : ''
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(label) ? label : null
}

/** Returns a sentence if content would take over a host of the app. */
export function contentHostProblem(env: {
  SITE_ORIGIN: string
  NS_SITE_ORIGIN: string
  CONTENT_ORIGIN?: string
  CONTENT_PORT: number
}): string | null {
  const pattern = env.CONTENT_ORIGIN ?? loopbackPattern(env.CONTENT_PORT)
  const names = ['SITE_ORIGIN', 'NS_SITE_ORIGIN'] as const
  const taken = names.find((name) => coversHost(pattern, new URL(env[name]).host))
  return taken ? `${taken} must not be on a host of content, which are ${pattern}.` : null
}

function urlOf(pattern: string): URL {
  return new URL(pattern.replace('*.', ''))
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}
