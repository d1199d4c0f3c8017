/**
 * Mails about accounts. A row of `account_mails` waits until its job has sent the mail and deletes the row, so a job
 * that runs again finds nothing to do. The token of a link is created when the mail is sent, and only its hash is
 * stored.
 */
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, Site, SystemCtx } from '../context.ts'
import { Conflict } from '../errors.ts'
import { countAttempts, uncountAttempt } from '../limits/limits.server.ts'
import type { Mail } from '../mail/mail.server.ts'
import { sendMail } from '../mail/send-mail.server.ts'
import { queue } from '../queue/queue.server.ts'
import { daysAgo } from '../restorable.ts'
import { type AddressLink, addAddressLink, removeAddressLink } from './address-tokens.server.ts'
import {
  addressChangedLetter,
  addressNoticeLetter,
  confirmAddressLetter,
  invitationLetter,
  notOpenYetLetter,
  passwordChangedLetter,
  type Recipient,
  resetLetter,
  tokenCreatedLetter,
} from './letters.ts'
import { addToken, deleteExpiredTokens, deleteToken, endTokens } from './tokens.server.ts'

/**
 * The most links mailed to an account within the window, so that nobody can flood a mailbox. Earlier links keep
 * working.
 */
const mostResetMails = 3
const resetMailWindowSeconds = 15 * 60

/** The job is tried for two days, like every mail that the server does not take. */
const mailAttempts = 16

type NewMail =
  | { kind: 'reset'; emailKey: string }
  | { kind: 'password_changed' | 'token_created'; userId: number }
  /** Sent to the previous address of the account. With `changeId` the mail has a link to object to the change. */
  | { kind: 'email_changed'; userId: number; address: string; changeId?: number }
  /** Sent to the new and to the present address when an admin begins a change. */
  | { kind: 'address_confirm' | 'address_notice'; userId: number; changeId: number }

/**
 * Queues a mail in the caller's transaction, always with the same two SQL statements, so that the timing does not
 * reveal which accounts exist.
 */
export async function queueAccountMail(ctx: Ctx, mail: NewMail): Promise<void> {
  const { uid } = await ctx.db
    .insertInto('account_mails')
    .values({
      site_id: ctx.site.id,
      kind: mail.kind,
      email_key: mail.kind === 'reset' ? mail.emailKey : null,
      user_id: mail.kind === 'reset' ? null : mail.userId,
      address: mail.kind === 'email_changed' ? mail.address : null,
      address_change_id: 'changeId' in mail ? mail.changeId : null,
      created_at: ctx.now,
    })
    .returning('uid')
    .executeTakeFirstOrThrow()
  await queue(ctx, 'send-account-mail', { mailUid: uid }, { attempts: mailAttempts })
}

/** Job: finds the recipient and sends the mail that fits the state of the account, if any. */
export async function sendAccountMail(ctx: Ctx, input: { mailUid: string }): Promise<void> {
  const mail = await findWaitingMail(ctx, input.mailUid)
  if (!mail) return
  if (mail.recipient) {
    const { recipient } = mail
    const of = { source: `account:${input.mailUid}`, userUid: recipient.uid }
    if (mail.kind === 'reset') await sendReset(ctx, of, recipient)
    else if (mail.change) await sendAboutChange(ctx, of, { ...mail, recipient, change: mail.change })
    else await deliver(ctx, of, noticeOf(ctx.site, { ...mail, recipient }))
  }
  await ctx.db.deleteFrom('account_mails').where('uid', '=', input.mailUid).execute()
}

/**
 * Mails a new invitation link. `isAccepted` is false if the address cannot receive mail. Earlier links end once the mail is sent. Throws Conflict if the account has another
 * address by now; the job then runs again.
 */
export async function sendInvitationLetter(
  ctx: Ctx,
  recipient: Recipient,
  { isReminder = false, source }: { isReminder?: boolean; source: string },
): Promise<{ isAccepted: boolean }> {
  const token = await addTokenForAddress(ctx, recipient, 'invitation')
  if (!token) throw new Conflict('user.address_changed', 'The address of this account has just been changed.')
  const letter = invitationLetter(ctx.site, recipient, token, { isReminder })
  const isAccepted = await deliver(ctx, { source, userUid: recipient.uid, isRepeatable: true }, letter, () =>
    deleteToken(ctx, token.token),
  )
  await endTokens(ctx, recipient.uid, 'invitation', token.token)
  return { isAccepted }
}

/**
 * Deletes expired links, mails that could not be sent within two days, and changes of addresses thirty days after they
 * began.
 */
export async function deleteExpiredTokensAndMails(ctx: SystemCtx): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await deleteExpiredTokens(ctx)
    await ctx.db.deleteFrom('address_changes').where('created_at', '<', daysAgo(ctx, 30)).execute()
    await ctx.db.deleteFrom('account_mails').where('created_at', '<', daysAgo(ctx, 2)).execute()
  })
}

function noticeOf(site: Site, mail: { kind: string; recipient: Recipient; address: string | null; createdAt: Date }) {
  const { recipient, address, createdAt } = mail
  if (mail.kind === 'token_created') return tokenCreatedLetter(site, recipient, createdAt)
  if (address === null) return passwordChangedLetter(site, recipient, createdAt)
  return addressChangedLetter(site, { ...recipient, email: address }, createdAt)
}

type Change = { uid: string; email: string; emailBefore: string; expiresAt: Date }
type MailAboutChange = { kind: string; createdAt: Date; recipient: Recipient; change: Change }

/** Mails about a change of an address. One that has been ended or confirmed since needs no link, or no mail at all. */
async function sendAboutChange(
  ctx: Ctx,
  of: Of,
  { kind, createdAt, recipient, change }: MailAboutChange,
): Promise<void> {
  const { site } = ctx
  const before = { ...recipient, email: change.emailBefore }
  const link: AddressLink = kind === 'address_confirm' ? 'confirm' : 'object'
  const added = await addAddressLink(ctx, change.uid, link)
  if (!added && kind !== 'email_changed') return
  const until = added && { url: added.url, expiresAt: change.expiresAt }
  const letter =
    until === null || kind === 'email_changed'
      ? addressChangedLetter(site, before, createdAt, until)
      : link === 'confirm'
        ? confirmAddressLetter(site, { ...recipient, email: change.email }, until)
        : addressNoticeLetter(site, before, createdAt, until)
  await deliver(ctx, of, letter, async () => {
    if (added) await removeAddressLink(ctx, change.uid, link, added.token)
  })
}

/** The key under which reset links mailed to an account are counted. */
export function resetMailKey(userUid: string): string {
  return `reset-mail:${userUid}`
}

async function sendReset(ctx: Ctx, of: Of, recipient: FullRecipient): Promise<void> {
  if (!recipient.isActive && !recipient.isPending) return
  const key = resetMailKey(recipient.uid)
  const [count = 0] = await countAttempts(ctx, [key], resetMailWindowSeconds)
  if (count > mostResetMails) return
  if (recipient.isPending) {
    await deliver(ctx, of, notOpenYetLetter(ctx.site, recipient), () => uncountAttempt(ctx, [key]))
    return
  }
  const token = await addTokenForAddress(ctx, recipient, 'reset')
  if (!token) return uncountAttempt(ctx, [key])
  await deliver(ctx, of, resetLetter(ctx.site, recipient, token), async () => {
    await deleteToken(ctx, token.token)
    await uncountAttempt(ctx, [key])
  })
}

/**
 * Null if the account was erased, or its address has changed, since the recipient was read: a link that works may not go
 * to the previous address.
 */
async function addTokenForAddress(ctx: Ctx, { uid, email }: Recipient, purpose: 'invitation' | 'reset') {
  return inTransaction(ctx, async (ctx) => {
    const owner = await ctx.db
      .selectFrom('users')
      .select('email')
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', uid)
      .where('erased_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    return owner?.email === email ? addToken(ctx, uid, purpose) : null
  })
}

/** What the ledger says about a mail: what it is about, and whose account. */
type Of = { source: string; userUid: string; isRepeatable?: boolean }

/** Sends a mail and returns whether the address can receive it. If that fails, `undo` reverts what was prepared for it, and the job runs again. */
async function deliver(ctx: Ctx, of: Of, letter: Mail, undo?: () => Promise<void>): Promise<boolean> {
  try {
    const { isAccepted } = await sendMail(ctx, { kind: 'account', ...of, write: () => letter })
    if (!isAccepted) ctx.log.warn({}, 'a mail was not sent, because its address cannot receive mail')
    return isAccepted
  } catch (error) {
    await undo?.()
    throw error
  }
}

type FullRecipient = Recipient & { isActive: boolean; isPending: boolean }

async function findWaitingMail(ctx: Ctx, mailUid: string) {
  const row = await ctx.db
    .selectFrom('account_mails')
    .leftJoin('users', (join) =>
      join
        .onRef('users.site_id', '=', 'account_mails.site_id')
        .on('users.erased_at', 'is', null)
        .on((eb) =>
          eb.or([
            eb('users.id', '=', eb.ref('account_mails.user_id')),
            eb('users.email_key', '=', eb.ref('account_mails.email_key')),
          ]),
        ),
    )
    .leftJoin('address_changes as change', 'change.id', 'account_mails.address_change_id')
    .select((eb) => [
      'change.uid as changeUid',
      'change.email as newEmail',
      'change.email_before as emailBefore',
      'change.expires_at as changeExpiresAt',
      'account_mails.kind',
      'account_mails.address',
      'account_mails.created_at as createdAt',
      'users.uid',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.is_active as isActive',
      eb
        .exists(
          eb
            .selectFrom('user_groups')
            .select('user_groups.name')
            .whereRef('user_groups.user_id', '=', 'users.id')
            .where('user_groups.name', '=', 'pending_users'),
        )
        .as('isPending'),
    ])
    .where('account_mails.uid', '=', mailUid)
    .where('account_mails.site_id', '=', ctx.site.id)
    .executeTakeFirst()
  if (!row) return null
  const { kind, address, createdAt, uid, email, firstName, lastName, isActive, isPending } = row
  const recipient: FullRecipient | null =
    uid === null || email === null
      ? null
      : {
          uid,
          email,
          firstName: firstName ?? '',
          lastName: lastName ?? '',
          isActive: isActive ?? false,
          isPending: Boolean(isPending),
        }
  const { changeUid, newEmail, emailBefore, changeExpiresAt: expiresAt } = row
  const change: Change | null =
    changeUid && newEmail && emailBefore && expiresAt
      ? { uid: changeUid, email: newEmail, emailBefore, expiresAt }
      : null
  return { kind, address, createdAt, recipient, change }
}
