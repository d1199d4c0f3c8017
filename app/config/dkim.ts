/** The key with which the mails of each site are signed, if any. */
import type { SiteKey } from './brands.ts'
import { siteKeys } from './forwarding.ts'

export type DkimSetting = { domain: string; selector: string; keyFile: string }

const names = ['DKIM_DOMAIN', 'DKIM_SELECTOR', 'DKIM_KEY_FILE'] as const
type Name = (typeof names)[number]
type Settings = { [One in Name | `NS_${Name}`]?: string | undefined }

const prefixes: Record<SiteKey, '' | 'NS_'> = { institutional: '', ns: 'NS_' }

/** Null if the mails of the site are not signed. */
export function dkimOf(settings: Settings, site: SiteKey): DkimSetting | null {
  const prefix = prefixes[site]
  const domain = settings[`${prefix}DKIM_DOMAIN`]
  const selector = settings[`${prefix}DKIM_SELECTOR`]
  const keyFile = settings[`${prefix}DKIM_KEY_FILE`]
  return domain !== undefined && selector !== undefined && keyFile !== undefined ? { domain, selector, keyFile } : null
}

/** The three settings belong together: a misspelled one must not silently turn signing off. */
export function dkimProblem(settings: Settings): string | null {
  for (const site of siteKeys) {
    const ofSite = names.map((name) => `${prefixes[site]}${name}` as const)
    const missing = ofSite.filter((name) => settings[name] === undefined)
    if (missing.length > 0 && missing.length < ofSite.length) {
      return `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing: ${ofSite.join(', ')} belong together.`
    }
  }
  return null
}
