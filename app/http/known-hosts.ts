import { isIP } from 'node:net'

type Names = { SITE_ORIGIN: string; NS_SITE_ORIGIN: string; NS_HOST_SUFFIXES: string[]; ALLOWED_HOSTS: string[] }

/**
 * True for a host under which the app may be reached: an address of a site, a name of Titrate NS, this machine, an IP
 * address, or a name in ALLOWED_HOSTS; ports do not matter. Behind any other name there could be another site, whose
 * name leads to this server only for a visitor of that site (DNS rebinding).
 */
export function isKnownHost(host: string, names: Names): boolean {
  const name = host.replace(/:\d+$/, '')
  const sites = [names.SITE_ORIGIN, names.NS_SITE_ORIGIN].map((origin) => new URL(origin).hostname)
  const isBelow = (suffix: string) => name === suffix || name.endsWith(`.${suffix}`)
  return (
    sites.includes(name) ||
    names.ALLOWED_HOSTS.includes(name) ||
    ['localhost', ...names.NS_HOST_SUFFIXES].some(isBelow) ||
    isIP(name.replace(/^\[|\]$/g, '')) !== 0
  )
}
