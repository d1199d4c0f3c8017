import { BlockList, isIP } from 'node:net'
import { coversHost, isWildcard, loopbackPattern, moduleOfHost, originInPattern } from './content-hosts.ts'
import { env } from './env.server.ts'

type Site = { baseUrl: string }

/** Where a module's files are. `moduleUid` is null on an origin that modules share. */
export type ContentPlace = { origin: string; moduleUid: string | null }

/**
 * The origin of a module's files, never one with the session, and best one that no other module has. Null if content
 * has no origin of its own: then launches say so.
 */
export function contentPlaceOf(site: Site, moduleUid: string): ContentPlace | null {
  const pattern = patternOf(site)
  if (pattern === null) return null
  return isWildcard(pattern)
    ? { origin: originInPattern(pattern, moduleUid), moduleUid }
    : { origin: pattern, moduleUid: null }
}

/**
 * The shared origin for browsers that cannot resolve names below localhost. It has another host name than every site,
 * since cookies know no ports: `127.0.0.1` for sites at names, `localhost` for sites at IP addresses. Null where both
 * are taken, and where names are the operator's, so that everybody can resolve them.
 */
export function fallbackPlaceOf(site: Site): ContentPlace | null {
  if (env().CONTENT_ORIGIN || !isOnLoopback(site)) return null
  const taken = sites().map(hostnameOf)
  const hostname = taken.every((name) => /(^|\.)localhost$/.test(name)) ? '127.0.0.1' : 'localhost'
  return taken.includes(hostname) ? null : { origin: `http://${hostname}:${env().CONTENT_PORT}`, moduleUid: null }
}

/** The module that a host belongs to, or null for a host that modules share. */
export function contentModuleOf(host: string): string | null {
  return moduleOfHost(hostPattern(), host)
}

/**
 * True for a host that has the files of modules: of its one module, or, on a shared host, of all. Elsewhere, as on the
 * app's own host name, content could write the app's cookies. Ports do not matter, since a proxy may change them.
 */
export function isHostOfFiles(host: string): boolean {
  if (contentModuleOf(host) !== null) return true
  const shared = contentSources().filter((source) => !isWildcard(source))
  return shared.some((source) => new URL(source).hostname === host.replace(/:\d+$/, ''))
}

/** True for hosts that show content and no page of the app, on whichever port. */
export function isContentHost(host: string): boolean {
  return coversHost(hostPattern(), host)
}

/**
 * True for an address of this installation. No unit may have one: it would run where the session is, or beside another
 * module. Names that show the app count with all below them and on every port; this machine by number or as localhost,
 * and the sites' host names, count on the ports on which it listens or is reached.
 */
export function isOwnAddress(address: string): boolean {
  const { host: written, protocol, port } = new URL(address)
  const host = written.replace(/\.(?=:|$)/, '')
  const hostname = host.replace(/:\d+$/, '')
  const { PORT, CONTENT_PORT, NS_HOST_SUFFIXES, ALLOWED_HOSTS } = env()
  const own = sites().map((site) => new URL(site.baseUrl))
  if (isContentHost(host) || own.some((site) => site.host === host)) return true
  const names = [...NS_HOST_SUFFIXES, ...ALLOWED_HOSTS]
  if (names.some((name) => hostname === name || hostname.endsWith(`.${name}`))) return true
  const ports = [PORT, CONTENT_PORT, ...own.filter((site) => isThisMachine(site.hostname)).map(portOf)]
  const isOurs = isThisMachine(hostname) || own.some((site) => site.hostname === hostname)
  return isOurs && ports.includes(portOf({ protocol, port }))
}

/** The sources that app pages may frame, for their content security policy. */
export function contentSources(): string[] {
  const sources = sites().flatMap((site) => [patternOf(site), fallbackPlaceOf(site)?.origin ?? null])
  return [...new Set(sources.filter((source) => source !== null))]
}

/** What is wrong with the place of content, as one sentence or two for the operator; null if nothing is. */
export function contentProblem(): string | null {
  const patterns = sites().map((site) => ({ pattern: patternOf(site), hostname: hostnameOf(site) }))
  if (patterns.some(({ pattern }) => pattern === null)) return contentOriginMissing
  // Documents in a sandbox share neither storage nor cookies.
  if (env().CONTENT_ISOLATION === 'sandbox') return null
  const shared = patterns.filter(({ pattern }) => pattern !== null && !isWildcard(pattern))
  if (shared.length === 0) return null
  const isOnAppHost = shared.some(({ pattern, hostname }) => new URL(pattern ?? '').hostname === hostname)
  return isOnAppHost ? `${contentIsShared} ${contentMeetsCookies}` : contentIsShared
}

export const contentOriginMissing =
  'Modules cannot be opened yet: set CONTENT_ORIGIN to an address of its own for package content.'
const contentIsShared =
  'Content is less isolated: all modules share one origin, so a package can read and control others. Set CONTENT_ORIGIN to a wildcard such as https://*.content.example.net.'
const contentMeetsCookies = 'It has the host name of the app, so packages can also overwrite its cookies.'

function sites(): Site[] {
  return [{ baseUrl: env().SITE_ORIGIN }, { baseUrl: env().NS_SITE_ORIGIN }]
}

function patternOf(site: Site): string | null {
  const { CONTENT_ORIGIN, CONTENT_PORT } = env()
  if (CONTENT_ORIGIN) return CONTENT_ORIGIN
  if (isOnLoopback(site)) return loopbackPattern(CONTENT_PORT)
  return isPlainAndPrivate(site) ? sharedOriginOf(site) : null
}

/** Without CONTENT_ORIGIN no site can be below content.localhost, so these names are always free for content. */
function hostPattern(): string {
  const { CONTENT_ORIGIN, CONTENT_PORT } = env()
  return CONTENT_ORIGIN ?? loopbackPattern(CONTENT_PORT)
}

function sharedOriginOf(site: Site): string {
  return `http://${hostnameOf(site)}:${env().CONTENT_PORT}`
}

function hostnameOf(site: Site): string {
  return new URL(site.baseUrl).hostname
}

function isOnLoopback(site: Site): boolean {
  const { protocol, hostname } = new URL(site.baseUrl)
  return protocol === 'http:' && isLoopback(hostname)
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name)
}

const loopbackAndUnspecified = new BlockList()
loopbackAndUnspecified.addSubnet('127.0.0.0', 8, 'ipv4')
loopbackAndUnspecified.addAddress('0.0.0.0', 'ipv4')
loopbackAndUnspecified.addAddress('::1', 'ipv6')
loopbackAndUnspecified.addAddress('::', 'ipv6')

/** True for names and addresses that lead a browser to its own machine. IPv4 addresses may be mapped (::ffff:7f00:1). */
function isThisMachine(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  const version = isIP(address)
  if (version === 0) return isLoopback(hostname)
  return loopbackAndUnspecified.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

function portOf({ protocol, port }: { protocol: string; port: string }): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

function isPlainAndPrivate(site: Site): boolean {
  const { protocol, hostname } = new URL(site.baseUrl)
  if (protocol !== 'http:') return false
  if (/^\[(fc|fd|fe80:)/.test(hostname)) return true
  const parts = hostname.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return false
  const [a = 0, b = 0] = parts
  return a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168)
}
