/**
 * The mailed links of a change of an address: the new address confirms it, and the old one objects to it. Their pages
 * work for people who are logged out. The change decides what a link does, so a link that is used again says what
 * happened.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { emailKey } from '~/lib/text.ts'
import { decodeUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { logSecurityEvent } from '../audit/security-events.server.ts'
import type { Ctx, Viewer } from '../context.ts'
import { Invalid } from '../errors.ts'
import { clearAttempts } from '../limits/limits.server.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'
import { changeAddress } from '../users/addresses.server.ts'
import { setPasswordHash } from '../users/users.server.ts'
import { revokeAccessTokensOf } from './access-tokens.server.ts'
import { queueAccountMail, resetMailKey } from './account-mails.server.ts'
import type { AddressLink } from './address-tokens.server.ts'
import { slowDown } from './attempts.server.ts'
import { queueEndOfLaunches } from './password-changes.server.ts'
import { hashPassword } from './passwords.server.ts'
import { endTokens, hashToken } from './tokens.server.ts'

export const invalidAddressLink = 'This link is invalid or has expired. Make sure that you open the whole link.'

/**
 * `waiting`: nobody has confirmed the change yet. `confirmed`: the new address is in use. `kept`: the old address has
 * objected before that, `restored`: after that. `canceled`: the change was ended otherwise. `late`: the seven days are
 * over.
 */
export type AddressChangeState = 'waiting' | 'confirmed' | 'kept' | 'restored' | 'canceled' | 'late'

/** `email` is the address that the link was mailed to. */
export type LinkedChange = { state: AddressChangeState; email: string }

type Named = { changeUid64b: string; token: string }
type Row = {
  id: number
  userUid: string
  email: string
  emailBefore: string
  emailNow: string | null
  isUsable: boolean
  expiresAt: Date
  confirmedAt: Date | null
  endedAt: Date | null
  outcome: string | null
}

/** Finds the change of a link; null for a link that is wrong. A wrong link counts as an attempt. Writes nothing else. */
export async function findLinkedChange(ctx: Ctx, link: AddressLink, input: Named): Promise<LinkedChange | null> {
  const row = await findRow(ctx, link, input)
  return row && { state: stateOf(ctx, row, link), email: link === 'confirm' ? row.email : row.emailBefore }
}

/**
 * Gives the account its new address. Ends its sessions and its mailed links, and tells the old address. Throws Invalid
 * for a link that cannot be used, and Conflict if somebody else has the address by now.
 */
export async function confirmAddressChange(ctx: Ctx, input: Named): Promise<LinkedChange> {
  return useLink(ctx, 'confirm', input, async (ctx, row, owner) => {
    if (stateOf(ctx, row, 'confirm') !== 'waiting') return
    await ctx.db.updateTable('address_changes').set({ confirmed_at: ctx.now }).where('id', '=', row.id).execute()
    await changeAddress(ctx, { userUid: owner.uid, email: row.email })
    await endMailedLinks(ctx, owner)
    await queueAccountMail(ctx, {
      kind: 'email_changed',
      userId: owner.id,
      address: row.emailBefore,
      changeId: row.id,
    })
  })
}

/**
 * Keeps the old address. If the change was confirmed, the account gets the old address back, and everything ends that
 * lets somebody in: sessions, links, access tokens and the password, for which a new link goes to the old address.
 * Throws Invalid for a link that cannot be used.
 */
export async function keepAddress(ctx: Ctx, input: Named): Promise<LinkedChange> {
  const found = await findLinkedChange(ctx, 'object', input)
  if (!found) throw new Invalid(invalidAddressLink, {}, 'address_link.invalid')
  if (found.state !== 'waiting' && found.state !== 'confirmed') return found
  // Nobody knows this password. Hashing it takes a while, so it is done before anything is locked.
  const passwordHash = await hashPassword(randomBytes(32).toString('base64url'))
  return useLink(ctx, 'object', input, async (ctx, row, owner) => {
    const state = stateOf(ctx, row, 'object')
    if (state !== 'waiting' && state !== 'confirmed') return
    await ctx.db
      .updateTable('address_changes')
      .set({ ended_at: ctx.now, outcome: 'objected' })
      .where('id', '=', row.id)
      .execute()
    const after = { fields: ['email'] }
    await recordAudit(ctx, { action: 'user.address_kept', entity: 'user', entityUid: owner.uid, after })
    if (state === 'waiting') return
    await endLaterChanges(ctx, owner, row.id)
    if (row.emailNow !== row.emailBefore) await changeAddress(ctx, { userUid: owner.uid, email: row.emailBefore })
    await setPasswordHash(ctx, { userUid: owner.uid, passwordHash })
    await endMailedLinks(ctx, owner)
    await revokeAccessTokensOf(ctx, { userUid: owner.uid })
    await queueEndOfLaunches(ctx, owner.uid)
    // Links that somebody asked for at the other address may not use up this one.
    await clearAttempts(ctx, [resetMailKey(owner.uid)])
    await queueAccountMail(ctx, { kind: 'reset', emailKey: emailKey(row.emailBefore) })
  })
}

function stateOf(ctx: Ctx, row: Row, link: AddressLink): AddressChangeState {
  if (row.outcome === 'objected') return row.confirmedAt ? 'restored' : 'kept'
  if (row.endedAt) return 'canceled'
  if (row.confirmedAt && link === 'confirm') return 'confirmed'
  if (row.expiresAt <= ctx.now) return 'late'
  if (row.confirmedAt) return 'confirmed'
  // Whoever has closed the account, or given it another address meanwhile, has ended the change, too.
  return row.isUsable && row.emailNow === row.emailBefore ? 'waiting' : 'canceled'
}

/** Runs `work` for the owner of the account, with the account and the change locked. Returns what came of the change. */
async function useLink(
  ctx: Ctx,
  link: AddressLink,
  input: Named,
  work: (ctx: Ctx, row: Row, owner: Viewer) => Promise<void>,
): Promise<LinkedChange> {
  const found = await findRow(ctx, link, input)
  if (!found) throw new Invalid(invalidAddressLink, {}, 'address_link.invalid')
  await inTransaction(ctx, async (ctx) => {
    const owner = await lockAccount(ctx, found.userUid)
    if (!owner) return
    const row = await readRow(ctx, link, input, { isLocked: true })
    // Who holds the link acts for the owner, whoever is logged in in this browser.
    if (row) await work({ ...ctx, viewer: owner, scopes: null }, row, owner)
  })
  const now = await readRow(ctx, link, input)
  if (!now) throw new Invalid(invalidAddressLink, {}, 'address_link.invalid')
  return { state: stateOf(ctx, now, link), email: link === 'confirm' ? now.email : now.emailBefore }
}

async function findRow(ctx: Ctx, link: AddressLink, input: Named): Promise<Row | null> {
  const row = await readRow(ctx, link, input)
  if (row) return row
  await logSecurityEvent(ctx, 'link.wrong', { kind: `address-${link}` })
  await slowDown(ctx, 'link', decodeUid(input.changeUid64b) ?? 'nobody')
  return null
}

async function readRow(ctx: Ctx, link: AddressLink, input: Named, { isLocked = false } = {}): Promise<Row | null> {
  const uid = decodeUid(input.changeUid64b)
  if (!uid) return null
  const { rows } = await sql<Row>`
    select change.id, users.uid as "userUid", change.email, change.email_before as "emailBefore",
      users.email as "emailNow", users.is_active and users.erased_at is null as "isUsable",
      change.expires_at as "expiresAt", change.confirmed_at as "confirmedAt", change.ended_at as "endedAt", change.outcome
    from address_changes change join users on users.id = change.user_id
    where change.site_id = ${ctx.site.id} and change.uid = ${uid} and users.purged_at is null
      and ${hashToken(input.token)}::bytea = any(${link === 'confirm' ? sql`change.confirm_hashes` : sql`change.object_hashes`})
    ${isLocked ? sql`for update of change` : sql``}`.execute(ctx.db)
  return rows[0] ?? null
}

/** Also an account that is disabled or deleted, and can come back: an objection must reach it. */
async function lockAccount(ctx: Ctx, userUid: string): Promise<Viewer | null> {
  const row = await ctx.db
    .selectFrom('users')
    .select(['id', 'uid', 'email', 'first_name as firstName', 'last_name as lastName'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', userUid)
    .where('purged_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return null
  const { email, firstName, lastName } = row
  const names = { email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '' }
  return { ...row, ...names, siteId: ctx.site.id, groups: [], planId: null, accessEndedAt: null }
}

async function endMailedLinks(ctx: Ctx, { uid }: Viewer): Promise<void> {
  await endTokens(ctx, uid, 'reset')
  await endTokens(ctx, uid, 'invitation')
  await deleteSessionsOf(ctx, { userUid: uid })
}

/** Who has taken over an account may have changed its address once more. */
async function endLaterChanges(ctx: Ctx, { id }: Viewer, changeId: number): Promise<void> {
  await ctx.db
    .updateTable('address_changes')
    .set({ ended_at: ctx.now, outcome: 'replaced' })
    .where('user_id', '=', id)
    .where('id', '>', changeId)
    .where('ended_at', 'is', null)
    .execute()
}
