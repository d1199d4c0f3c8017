/**
 * Sites: the two brandings of an installation, their flags, and values set once for the installation (the base of IRIs).
 * Keys that can be replaced are in keys.server.ts. Everything else belongs to exactly one site.
 */
import type { Database } from '~db/client.server.ts'
import type { Ctx, Site, SiteKey } from '../context.ts'
import { newKey } from './keys.server.ts'

export type FlagName = 'ANNOUNCEMENTS' | 'ALL_CONTENT' | 'LECTURES' | 'GLOSSARY'
type InstallationKey = 'iri_base' | 'void_key'
/** When the demo was begun, and when all of its people were there. */
export type DemoMark = 'demo_day' | 'demo_complete'

/**
 * Returns the site for a host. Suffixes match at a label boundary, ignoring case and port; every other known host is
 * institutional (http/known-hosts.ts).
 */
export function siteKeyOfHost(host: string, nsSuffixes: string[]): SiteKey {
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return nsSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)) ? 'ns' : 'institutional'
}

export const siteColumns = [
  'sites.id',
  'sites.uid',
  'sites.key',
  'sites.base_url as baseUrl',
  'sites.time_zone as timeZone',
  'sites.survey_url as surveyUrl',
  'sites.sender_name as senderName',
  'sites.reply_to as replyTo',
] as const

/** Returns the site of a row that was read with `siteColumns`. */
export function siteOf({ id, uid, key, baseUrl, timeZone, surveyUrl, senderName, replyTo }: SiteRow): Site {
  return { id, uid, key: key as SiteKey, baseUrl, timeZone, surveyUrl, senderName, replyTo }
}

type SiteRow = Omit<Site, 'key'> & { key: string }

export async function getSite(db: Database, key: SiteKey): Promise<Site> {
  const row = await db.selectFrom('sites').select(siteColumns).where('key', '=', key).executeTakeFirstOrThrow()
  return siteOf(row)
}

export async function listFeatureFlags(ctx: Ctx): Promise<FlagName[]> {
  const rows = await ctx.db
    .selectFrom('feature_flags')
    .select('name')
    .where('site_id', '=', ctx.site.id)
    .where('is_on', '=', true)
    .orderBy('name')
    .execute()
  return rows.map((row) => row.name as FlagName)
}

const installationValues = new Map<InstallationKey, string>()

/** Returns a value that never changes once it is written, so that the process may cache it. */
export async function getInstallationValue(db: Database, key: InstallationKey): Promise<string> {
  const known = installationValues.get(key)
  if (known) return known
  const row = await db.selectFrom('installation').select('value').where('key', '=', key).executeTakeFirstOrThrow()
  installationValues.set(key, row.value)
  return row.value
}

/** Null where nothing was marked. Not kept: it may come at any time. */
export async function findDemoMark(db: Database, key: DemoMark): Promise<Date | null> {
  const row = await db.selectFrom('installation').select('value').where('key', '=', key).executeTakeFirst()
  return row ? new Date(row.value) : null
}

/** The first mark stays. */
export async function markDemo(db: Database, input: { key: DemoMark; at: Date }): Promise<void> {
  await db
    .insertInto('installation')
    .values({ key: input.key, value: input.at.toISOString() })
    .onConflict((oc) => oc.column('key').doNothing())
    .execute()
}

/**
 * Creates what the first request needs. Safe to run at every start and by many processes at once. The base of IRIs is
 * set at the first start and kept, so that existing records keep their meaning when the address of the site changes.
 */
export async function ensureInstallation(db: Database, addresses: Record<SiteKey, string>): Promise<void> {
  await db
    .insertInto('installation')
    .values([
      { key: 'iri_base', value: `${addresses.institutional}/xapi/activities/` },
      { key: 'csrf_key', value: newKey() },
      { key: 'content_key', value: newKey() },
      { key: 'token_key', value: newKey() },
      { key: 'void_key', value: newKey() },
    ])
    .onConflict((oc) => oc.column('key').doNothing())
    .execute()
  const keys: SiteKey[] = ['institutional', 'ns']
  await db
    .insertInto('sites')
    .values(keys.map((key) => ({ key, base_url: addresses[key] })))
    .onConflict((oc) =>
      oc
        .column('key')
        .doUpdateSet((eb) => ({ base_url: eb.ref('excluded.base_url'), updated_at: new Date() }))
        .whereRef('sites.base_url', '!=', 'excluded.base_url'),
    )
    .execute()
}
