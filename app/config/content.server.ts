import { env } from './env.server.ts'

/**
 * The origin of package files, never the one with the session. Without CONTENT_ORIGIN it is a second port of the site's
 * own host, but only on plain-http loopback and private addresses. Otherwise it is null, and launches say so.
 */
export function contentOriginOf(site: { baseUrl: string }): string | null {
  const { CONTENT_ORIGIN, CONTENT_PORT } = env()
  if (CONTENT_ORIGIN) return CONTENT_ORIGIN
  const base = new URL(site.baseUrl)
  if (base.protocol !== 'http:' || !isPrivateHost(base.hostname)) return null
  return `http://${base.hostname}:${CONTENT_PORT}`
}

export const contentOriginMissing =
  'Modules cannot be opened yet: set CONTENT_ORIGIN to an address of its own for package content.'

function isPrivateHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  if (/^(fc|fd|fe80:)/.test(name)) return true
  const parts = name.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return false
  const [a = 0, b = 0] = parts
  return a === 127 || a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168)
}
