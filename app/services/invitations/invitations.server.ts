/**
 * Invitations: how people get an account. An invited user is in `pending_users` until the link of the invitation is
 * used.
 */
import { type SqlBool, sql } from 'kysely'
import { usedInvitation } from '~/forms/account-rules.ts'
import { confirmInvitationForm } from '~/forms/accounts.ts'
import { emailKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { sendInvitationLetter } from '../accounts/account-mails.server.ts'
import {
  type Account,
  findAccountOfLink,
  isInvitationUsed,
  issueToken,
  openAccount,
} from '../accounts/accounts.server.ts'
import { invitationLink } from '../accounts/letters.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid, Unavailable } from '../errors.ts'
import { parseInput } from '../input.ts'
import { createUser, type NewUser } from '../users/users.server.ts'

export const invalidInvitation = 'This invitation link is invalid or has expired. Please ask for a new invitation.'

/** Creates an account with an open invitation and returns its link, on the account's own site. For admins. */
export async function createInvitation(ctx: Ctx, input: NewUser): Promise<{ userUid: string; link: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { uid } = await createUser(ctx, input)
    return { userUid: uid, link: await issueLink(ctx, uid) }
  })
}

/**
 * Creates a new link for somebody who has not used the last one. For admins. Throws Conflict once the account is open.
 */
export async function renewInvitation(ctx: Ctx, input: { email: string }): Promise<{ userUid: string; link: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select(['id', 'uid', 'password_hash as passwordHash'])
      .where('site_id', '=', ctx.site.id)
      .where('email_key', '=', emailKey(input.email))
      .forUpdate()
      .executeTakeFirst()
    if (!user || user.passwordHash !== null)
      throw new Conflict('user.email_taken', 'A user with this email address already exists.')
    return { userUid: user.uid, link: await issueLink(ctx, user.uid) }
  })
}

/** After so long a try that has not ended was that of a killed worker: the mail server has answered or been given up. */
const tryMs = 120_000

/**
 * Job: sends the mail and sets `sent_at`. After a failure the job runs again; `last_attempted_send_at` shows the last
 * try. While another job is sending the same mail, it throws Unavailable, so that it runs again and finds it sent.
 */
export async function sendInvitationMail(ctx: Ctx, input: { invitationUid: string }): Promise<void> {
  const waiting = () =>
    ctx.db
      .selectFrom('invitations')
      .innerJoin('users', 'users.id', 'invitations.user_id')
      .select('invitations.id')
      .where('invitations.uid', '=', input.invitationUid)
      .where('invitations.site_id', '=', ctx.site.id)
      .where('invitations.accepted_at', 'is', null)
      .where('invitations.sent_at', 'is', null)
      .where('users.erased_at', 'is', null)
      .executeTakeFirst()
  const lastTry = sql.ref('invitations.last_attempted_send_at')
  const invitation = await ctx.db
    .updateTable('invitations')
    .from('users')
    .set({ last_attempted_send_at: ctx.now })
    .whereRef('users.id', '=', 'invitations.user_id')
    .where('invitations.uid', '=', input.invitationUid)
    .where('invitations.site_id', '=', ctx.site.id)
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.sent_at', 'is', null)
    .where('users.erased_at', 'is', null)
    .where(
      sql<SqlBool>`(${lastTry} is null or invitations.failed_at >= ${lastTry}
        or ${lastTry} < ${new Date(ctx.now.getTime() - tryMs)})`,
    )
    .returning([
      'users.uid',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'invitations.reminded_at as remindedAt',
    ])
    .executeTakeFirst()
  if (!invitation) {
    if (await waiting()) throw new Unavailable('This invitation is being sent.')
    return
  }
  const { uid, email, firstName, lastName, remindedAt } = invitation
  const recipient = { uid, email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '' }
  const note = (state: { sent_at?: Date; refused_at?: Date | null; failed_at: Date | null }) =>
    ctx.db.updateTable('invitations').set(state).where('uid', '=', input.invitationUid).execute()
  try {
    const { isAccepted } = await sendInvitationLetter(ctx, recipient, {
      isReminder: remindedAt !== null,
      source: `invitation:${input.invitationUid}`,
    })
    await note({ sent_at: ctx.now, refused_at: isAccepted ? null : ctx.now, failed_at: null })
  } catch (error) {
    await note({ failed_at: ctx.now })
    throw error
  }
}

/** Returns the sentence that explains why a link does not work. */
export async function explainInvitation(ctx: Ctx, input: { userUid64b: string; token: string }): Promise<string> {
  return (await isInvitationUsed(ctx, input)) ? usedInvitation : invalidInvitation
}

/** Finds the account of a valid invitation link; null for every other link. */
export function findInvitedUser(ctx: Ctx, input: { userUid64b: string; token: string }): Promise<Account | null> {
  return findAccountOfLink(ctx, { ...input, purpose: 'invitation' })
}

/** Opens the account with a password of the invitee's choice and signs them in (rules: `confirmInvitationForm`). */
export async function confirmInvitation(
  ctx: Ctx,
  input: { userUid64b: string; token: string; password: string; password2: string },
): Promise<Account> {
  const account = await findInvitedUser(ctx, input)
  if (!account) throw new Invalid(invalidInvitation, {}, 'invitation.invalid')
  const { password } = parseInput(confirmInvitationForm, input)
  const isOpened = await openAccount(ctx, { account, token: input.token, password }, (ctx) => accept(ctx, account.uid))
  if (!isOpened) throw new Invalid(invalidInvitation, {}, 'invitation.invalid')
  return { ...account, groups: account.groups.filter((group) => group !== 'pending_users') }
}

async function accept(ctx: Ctx, userUid: string): Promise<void> {
  await ctx.db
    .updateTable('invitations')
    .set({ accepted_at: ctx.now })
    .where('user_id', '=', (eb) => eb.selectFrom('users').select('id').where('uid', '=', userUid))
    .where('accepted_at', 'is', null)
    .execute()
}

/** Creates a link for the open invitation and ends earlier links. */
async function issueLink(ctx: Ctx, userUid: string): Promise<string> {
  const user = await ctx.db.selectFrom('users').select('id').where('uid', '=', userUid).executeTakeFirstOrThrow()
  await openInvitationOf(ctx, user.id)
  const token = await issueToken(ctx, { userUid, purpose: 'invitation' })
  return invitationLink(ctx.site, userUid, token)
}

/** Returns the uid of the user's open invitation, and creates one if there is none. */
async function openInvitationOf(ctx: Ctx, userId: number): Promise<string> {
  await ctx.db
    .insertInto('invitations')
    .values({ site_id: ctx.site.id, user_id: userId, invited_by: ctx.viewer?.id ?? null, created_at: ctx.now })
    .onConflict((oc) => oc.column('user_id').where('accepted_at', 'is', null).doNothing())
    .execute()
  const { uid } = await ctx.db
    .selectFrom('invitations')
    .select('uid')
    .where('user_id', '=', userId)
    .where('accepted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return uid
}
