/**
 * Changes of somebody's address by admins. Whoever has the address of an account has the account, so nothing changes
 * until the new address has confirmed it, and the old one is told and can object for seven days
 * (address-links.server.ts).
 */
import { changeAddressForm, objectionDays } from '~/forms/address-changes.ts'
import { emailKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Forbidden, Invalid, NotFound, Unavailable } from '../errors.ts'
import { parseInput } from '../input.ts'
import { countAttempts } from '../limits/limits.server.ts'
import { requireFreeAddress } from '../users/addresses.server.ts'
import { queueAccountMail } from './account-mails.server.ts'

const hourMs = 3_600_000
/** How many changes an admin can begin for somebody within a day, so that nobody can flood a mailbox. */
const mostADay = 5

export type WaitingChange = { email: string; createdAt: Date; expiresAt: Date; canBeSentAgain: boolean }

/** Finds the change of a person's address that waits for its confirmation, for admins. */
export async function findWaitingChange(ctx: Ctx, input: { userUid: string }): Promise<WaitingChange | null> {
  requireAdmin(ctx)
  if (!isUid(input.userUid)) return null
  const row = await waitingChanges(ctx)
    .innerJoin('users', 'users.id', 'address_changes.user_id')
    .where('users.uid', '=', input.userUid)
    .where('users.erased_at', 'is', null)
    .select([
      'address_changes.email',
      'address_changes.created_at as createdAt',
      'address_changes.expires_at as expiresAt',
      'address_changes.mailed_at as mailedAt',
    ])
    .executeTakeFirst()
  if (!row) return null
  const { mailedAt, ...change } = row
  return { ...change, canBeSentAgain: mailedAt.getTime() <= ctx.now.getTime() - hourMs }
}

/**
 * Begins a change of somebody's address, for admins with a web session: mails a link to the new address and a notice to
 * the old one. Does nothing if the same change waits already. Throws Conflict for the admin's own account, for an account
 * that is not open, for an address that is in use, and while another change waits.
 */
export async function requestAddressChange(ctx: Ctx, input: { userUid: string; email: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  requireWebSession(ctx)
  await inTransaction(ctx, async (ctx) => {
    const user = await lockPerson(ctx, input.userUid)
    requireSomebodyElse(ctx, user.uid)
    const { email } = parseInput(changeAddressForm, input)
    if (!user.isActive) {
      throw new Conflict('user.not_active', 'This account is disabled. Please enable it before you change its address.')
    }
    if (email === user.email) {
      const message = 'This is the address of the account already.'
      throw new Invalid(message, { email: message })
    }
    await requireFreeAddress(ctx, { userId: user.id, email })
    const changeId = await insertChange(ctx, user, email)
    if (changeId === null) return
    await queueAccountMail(ctx, { kind: 'address_confirm', userId: user.id, changeId })
    await queueAccountMail(ctx, { kind: 'address_notice', userId: user.id, changeId })
    await record(ctx, user, 'user.address_change_requested')
  })
}

/** Mails the link to the new address again, at most once an hour. For admins. */
export async function sendAddressLinkAgain(ctx: Ctx, input: { userUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  await inTransaction(ctx, async (ctx) => {
    const user = await lockPerson(ctx, input.userUid)
    const waiting = await findWaitingOf(ctx, user.id)
    if (!waiting) throw nothingWaits()
    const sent = await ctx.db
      .updateTable('address_changes')
      .set({ mailed_at: ctx.now })
      .where('id', '=', waiting.id)
      .where('mailed_at', '<=', new Date(ctx.now.getTime() - hourMs))
      .executeTakeFirst()
    if (sent.numUpdatedRows === 0n) {
      throw new Conflict('user.address_too_soon', 'The mail was sent less than an hour ago. Please try again later.')
    }
    await queueAccountMail(ctx, { kind: 'address_confirm', userId: user.id, changeId: waiting.id })
    await record(ctx, user, 'user.address_link_sent')
  })
}

/** Cancels the change that waits. For admins. Throws Conflict if none does, because it was confirmed in the meantime. */
export async function cancelAddressChange(ctx: Ctx, input: { userUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  await inTransaction(ctx, async (ctx) => {
    const user = await lockPerson(ctx, input.userUid)
    if (!(await endWaitingChange(ctx, { userUid: user.uid, outcome: 'canceled' }))) throw nothingWaits()
    await record(ctx, user, 'user.address_change_canceled')
  })
}

/** Ends the change that waits, if there is one, also when the account is deleted or gets another address. */
export async function endWaitingChange(
  ctx: Ctx,
  { userUid, outcome }: { userUid: string; outcome: 'canceled' | 'replaced' },
): Promise<boolean> {
  const ended = await ctx.db
    .updateTable('address_changes')
    .set({ ended_at: ctx.now, outcome })
    .where('user_id', '=', (eb) => eb.selectFrom('users').select('id').where('uid', '=', userUid))
    .where('site_id', '=', ctx.site.id)
    .where('confirmed_at', 'is', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return ended.numUpdatedRows > 0n
}

/** A bearer token cannot change addresses: with an admin's token, it could take over any account. */
export function requireWebSession(ctx: Ctx): void {
  if (ctx.session.uid === null)
    throw new Forbidden('Email addresses are changed on the site, by an admin who is logged in.')
}

export function requireSomebodyElse(ctx: Ctx, userUid: string): void {
  if (userUid !== ctx.viewer?.uid) return
  throw new Conflict('user.own_account', 'Please change your own email address under My Account.')
}

type Person = Awaited<ReturnType<typeof lockPerson>>

async function lockPerson(ctx: Ctx, userUid: string) {
  const row = isUid(userUid)
    ? await ctx.db
        .selectFrom('users')
        .select(['id', 'uid', 'email', 'is_active as isActive'])
        .where('site_id', '=', ctx.site.id)
        .where('uid', '=', userUid)
        .where('erased_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound('This user no longer exists.')
  return { ...row, email: row.email ?? '' }
}

function waitingChanges(ctx: Ctx) {
  return ctx.db
    .selectFrom('address_changes')
    .where('address_changes.site_id', '=', ctx.site.id)
    .where('address_changes.confirmed_at', 'is', null)
    .where('address_changes.ended_at', 'is', null)
    .where('address_changes.expires_at', '>', ctx.now)
}

function findWaitingOf(ctx: Ctx, userId: number) {
  return waitingChanges(ctx).select(['id', 'email']).where('user_id', '=', userId).executeTakeFirst()
}

/** Counts a change of somebody's address: each one sends mails, so there are five a day at most. */
export async function countAddressChange(ctx: Ctx, { userUid }: { userUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  const [count = 0] = await countAttempts(ctx, [`address-change:${userUid}`], 86_400)
  if (count > mostADay)
    throw new Unavailable('The address was to be changed too often today. Please try again tomorrow.', 3600)
}

/** Returns the id of the new change; null if the same one waits already. */
async function insertChange(ctx: Ctx, user: Person, email: string): Promise<number | null> {
  const waiting = await findWaitingOf(ctx, user.id)
  if (waiting?.email === email) return null
  if (waiting) {
    throw new Conflict(
      'user.address_waits',
      `A change to ${waiting.email} waits to be confirmed. Please cancel it first.`,
    )
  }
  await countAddressChange(ctx, { userUid: user.uid })
  // One that nobody confirmed in time makes room.
  await endWaitingChange(ctx, { userUid: user.uid, outcome: 'canceled' })
  const { id } = await ctx.db
    .insertInto('address_changes')
    .values({
      site_id: ctx.site.id,
      user_id: user.id,
      email_before: user.email,
      email_key_before: emailKey(user.email),
      email,
      created_by: ctx.viewer?.id ?? null,
      created_at: ctx.now,
      mailed_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + objectionDays * 86_400_000),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

function nothingWaits(): Conflict {
  return new Conflict('user.address_not_waiting', 'No change of the address is waiting anymore.')
}

function record(ctx: Ctx, user: Person, action: string): Promise<void> {
  return recordAudit(ctx, { action, entity: 'user', entityUid: user.uid, after: { fields: ['email'] } })
}
