import { type RawBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import type { Database } from '~db/client.server.ts'
import type { Site, SiteKey } from '../context.ts'
import { getSite, siteColumns, siteOf } from '../sites/sites.server.ts'
import type { SiteJobs } from './queue.server.ts'

/**
 * Finds the site of a job. Earlier versions queued jobs without a site; then the row that the job names determines it.
 * Returns null if that row no longer exists and there is nothing to do.
 */
export async function findJobSite(db: Database, name: keyof SiteJobs, payload: object): Promise<Site | null> {
  const given = payload as Record<string, unknown>
  if (typeof given.site === 'string') return getSite(db, given.site as SiteKey)
  const named = siteOfRow[name]
  const uid = named && given[named.key]
  if (!named || !isUid(uid)) return null
  const row = await db
    .selectFrom('sites')
    .select(siteColumns)
    .where('sites.id', '=', named.siteId(uid))
    .executeTakeFirst()
  return row ? siteOf(row) : null
}

/** For payloads without a site: the key that names a row, and the query for the id of that row's site. */
const siteOfRow: Partial<Record<keyof SiteJobs, { key: string; siteId: (uid: string) => RawBuilder<number> }>> = {
  'move-learners': {
    key: 'moduleVersionUid',
    siteId: (uid) => sql`(
      select m.site_id from module_versions v join modules m on m.id = v.module_id where v.uid = ${uid})`,
  },
  'parse-package': {
    key: 'packageUid',
    siteId: (uid) => sql`(
      select m.site_id from cmi5_packages p join module_versions v on v.id = p.module_version_id
      join modules m on m.id = v.module_id where p.uid = ${uid})`,
  },
  'send-account-mail': {
    key: 'mailUid',
    siteId: (uid) => sql`(select site_id from account_mails where uid = ${uid})`,
  },
  'send-invitation': {
    key: 'invitationUid',
    siteId: (uid) => sql`(select site_id from invitations where uid = ${uid})`,
  },
  'void-foreign-statements': { key: 'siteUid', siteId: (uid) => sql`(select id from sites where uid = ${uid})` },
}
