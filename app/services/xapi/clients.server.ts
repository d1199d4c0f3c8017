import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { isStorable, tidyLine } from '~/lib/text.ts'
import { inTransaction, onCommit } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Access, type Ctx, requireAdmin, type Site } from '../context.ts'
import { Forbidden, Invalid, NotFound } from '../errors.ts'
import { getInstallationValue, siteColumns, siteOf } from '../sites/sites.server.ts'
import { sha256 } from './identity.ts'
import { consistentThroughSql } from './queries.server.ts'
import type { Agent } from './types.ts'

/**
 * Programs with their own key. A key belongs to one site and allows what its scopes name (xAPI 1.0.3 communication
 * 4.2).
 */
export const clientScopes = ['all', 'all/read', 'statements/write', 'statements/read', 'state', 'profile'] as const
type ClientScope = (typeof clientScopes)[number]
export type Client = {
  uid: string
  site: Site
  scopes: ClientScope[]
  authority: Agent
  lastUsedAt: Date | null
  /**
   * The result of `consistentThrough`, read in the same query for requests that read. A separate query would add a
   * third to the cost of a GET.
   */
  consistentThrough: Date | null
}

/** Creates a key, for admins. The secret is only in the result; the database stores its hash. */
export async function createClient(
  ctx: Ctx,
  input: { name: string; scopes: string[] },
): Promise<{ uid: string; key: string; secret: string }> {
  requireAdmin(ctx, 'write')
  const unknown = input.scopes.find((scope) => !(clientScopes as readonly string[]).includes(scope))
  if (unknown !== undefined || input.scopes.length === 0) {
    throw new Invalid(`Choose one or more scopes: ${clientScopes.join(', ')}.`, { scopes: 'Unknown scope' })
  }
  const name = tidyLine(input.name)
  if (!isStorable(input.name) || name === '' || name.length > 100)
    throw new Invalid('The name must have 1 to 100 characters that can be seen.', { name: 'Invalid name' })
  const key = `key_${randomBytes(12).toString('base64url')}`
  const secret = randomBytes(32).toString('base64url')
  const scopes = [...new Set(input.scopes)]
  return inTransaction(ctx, async (ctx) => {
    const { uid } = await ctx.db
      .insertInto('xapi_clients')
      .values({ site_id: ctx.site.id, name, key, secret_hash: sha256(secret), scopes })
      .returning('uid')
      .executeTakeFirstOrThrow()
    await recordAudit(ctx, {
      action: 'xapi_client.created',
      entity: 'xapi_client',
      entityUid: uid,
      after: { name, scopes },
    })
    return { uid, key, secret }
  })
}

type ListedClient = {
  key: string
  name: string
  scopes: string[]
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** Lists the latest 1,000 keys of the site, newest first, including revoked ones. For admins. */
export async function listClients(ctx: Ctx): Promise<ListedClient[]> {
  requireAdmin(ctx)
  return await ctx.db
    .selectFrom('xapi_clients')
    .select(['key', 'name', 'scopes', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .select('revoked_at as revokedAt')
    .where('site_id', '=', ctx.site.id)
    .orderBy('id', 'desc')
    .limit(1000)
    .execute()
}

/**
 * Revokes a key permanently, for admins. Statements sent with it stay. Throws NotFound if the key is unknown or already
 * revoked.
 */
export async function revokeClient(ctx: Ctx, input: { key: string }): Promise<{ name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const revoked = await ctx.db
      .updateTable('xapi_clients')
      .set({ revoked_at: ctx.now })
      .where('site_id', '=', ctx.site.id)
      .where('key', '=', input.key)
      .where('revoked_at', 'is', null)
      .returning(['uid', 'name'])
      .executeTakeFirst()
    if (!revoked) throw new NotFound('There is no such key in use.')
    await recordAudit(ctx, { action: 'xapi_client.revoked', entity: 'xapi_client', entityUid: revoked.uid })
    onCommit(() => recent.clear())
    return { name: revoked.name }
  })
}

type Credentials = { key: string; secret: string }

/**
 * Clients that have shown their secret within the last second, so that a program that writes one statement at a time
 * does not read its key each time. Another process may revoke a key meanwhile; this one forgets it at once.
 */
const recent = new Map<string, { client: Client; until: number }>()
const recentMs = 1000
const maxRecent = 1000

/** Returns null for an unknown or revoked key, or a wrong secret. A key may work for a second after it was revoked. */
export async function findClient(
  { db }: Pick<Ctx, 'db'>,
  { isReading = false, ...credentials }: Credentials & { isReading?: boolean },
): Promise<Client | null> {
  if (isReading) return readClient(db, credentials, consistentThroughSql)
  const name = `${credentials.key} ${sha256(credentials.secret).toString('base64')}`
  const known = recent.get(name)
  if (known && known.until > performance.now()) return known.client
  const until = performance.now() + recentMs
  const client = await readClient(db, credentials, sql`null`)
  if (recent.size >= maxRecent) recent.clear()
  if (client) recent.set(name, { client, until })
  else recent.delete(name)
  return client
}

/** A random 256-bit secret needs no slow hash. */
async function readClient(db: Ctx['db'], input: Credentials, through: RawBuilder<unknown>): Promise<Client | null> {
  const row = await db
    .selectFrom('xapi_clients')
    .innerJoin('sites', 'sites.id', 'xapi_clients.site_id')
    .select(siteColumns)
    .select([
      'xapi_clients.uid as clientUid',
      'xapi_clients.name as clientName',
      'xapi_clients.secret_hash as hash',
      'xapi_clients.scopes',
      'xapi_clients.last_used_at as lastUsedAt',
    ])
    .select(sql<Date | null>`${through}`.as('consistentThrough'))
    .where('xapi_clients.key', '=', input.key)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  const given = sha256(input.secret)
  if (!row || !timingSafeEqual(given, row.hash)) return null
  const { clientUid, clientName, scopes, lastUsedAt, consistentThrough } = row
  const homePage = await getInstallationValue(db, 'iri_base')
  return {
    uid: clientUid,
    site: siteOf(row),
    scopes: scopes as ClientScope[],
    authority: { objectType: 'Agent', name: clientName, account: { homePage, name: `client:${clientUid}` } },
    lastUsedAt,
    consistentThrough,
  }
}

/** Records the use of a key, at most once a minute. Called after the response. */
export async function touchClient({ db, now }: Pick<Ctx, 'db' | 'now'>, client: Client): Promise<void> {
  if (client.lastUsedAt && now.getTime() - client.lastUsedAt.getTime() < 60_000) return
  // The same object may be in `recent`.
  client.lastUsedAt = now
  await db.updateTable('xapi_clients').set({ last_used_at: now }).where('uid', '=', client.uid).execute()
}

export type ClientResource = 'statements' | 'state' | 'profile'

/**
 * Requires a scope of the client's key (xAPI 1.0.3 communication 4.2). A context without scopes belongs to a unit or to
 * the LMS itself and is not restricted.
 */
export function requireClientScope({ scopes }: Pick<Ctx, 'scopes'>, resource: ClientResource, access: Access): void {
  if (scopes === null) return
  const exact = resource === 'statements' ? `statements/${access}` : resource
  const enough: string[] = ['all', ...(access === 'read' ? ['all/read'] : []), exact]
  if (enough.some((scope) => scopes.includes(scope))) return
  throw new Forbidden('The scopes of this key do not allow this.', 'xapi.scope')
}
