/** The external record store that each site's statements are forwarded to, if any. */
import type { SiteKey } from './brands.ts'

export type RecordStore = { url: string; key: string; secret: string }

type Settings = {
  [Name in 'URL' | 'KEY' | 'SECRET' as `LRS_FORWARD_${Name}` | `NS_LRS_FORWARD_${Name}`]?: string | undefined
}

const prefixes: Record<SiteKey, '' | 'NS_'> = { institutional: '', ns: 'NS_' }
export const siteKeys = Object.keys(prefixes) as SiteKey[]

/** Null if the site's statements are not forwarded. */
export function recordStoreOf(settings: Settings, site: SiteKey): RecordStore | null {
  const prefix = prefixes[site]
  const url = settings[`${prefix}LRS_FORWARD_URL`]
  const key = settings[`${prefix}LRS_FORWARD_KEY`]
  const secret = settings[`${prefix}LRS_FORWARD_SECRET`]
  return url !== undefined && key !== undefined && secret !== undefined ? { url, key, secret } : null
}

/** The three settings belong together: a misspelled one must not silently turn forwarding off. */
export function recordStoreProblem(settings: Settings): string | null {
  for (const site of siteKeys) {
    const names = (['URL', 'KEY', 'SECRET'] as const).map((name) => `${prefixes[site]}LRS_FORWARD_${name}` as const)
    const missing = names.filter((name) => settings[name] === undefined)
    if (missing.length > 0 && missing.length < names.length) {
      return `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing: ${names.join(', ')} belong together.`
    }
  }
  return null
}

/** The key and the secret are sent with each request, so they must use https or stay on this machine. */
export function isRecordStoreAddress(value: string): boolean {
  try {
    const url = new URL(value)
    const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))
    return isSafe && !url.username && !url.password && !url.search && !value.includes('?') && !value.includes('#')
  } catch {
    return false
  }
}

function isThisMachine(hostname: string): boolean {
  return /^(localhost|[^.]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
