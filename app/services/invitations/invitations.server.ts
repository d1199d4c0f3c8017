/** Invitations: how people come in. An invitee is a user in `pending_users` until the link of the invitation was used. */
import { confirmInvitationForm } from '~/forms/accounts.ts'
import { caseKey } from '~/lib/text.ts'
import { encodeUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Account, findAccountOfLink, issueToken, openAccount } from '../accounts/accounts.server.ts'
import type { Ctx } from '../context.ts'
import { Conflict, Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { createUser, type NewUser } from '../users/users.server.ts'

export const invalidInvitation = 'This invitation link is invalid or has expired. Please ask for a new invitation.'

/**
 * Makes an account with an open invitation and returns its link, on the account's own site. Whoever calls decides who may
 * invite: `npm run admin` and the seeds are run by the operator.
 */
export async function createInvitation(ctx: Ctx, input: NewUser): Promise<{ userUid: string; link: string }> {
  return inTransaction(ctx, async (ctx) => {
    const { uid } = await createUser(ctx, input)
    return { userUid: uid, link: await openInvitation(ctx, uid) }
  })
}

/** A new link for somebody who has not used the last one; Conflict once the account is open. */
export async function renewInvitation(ctx: Ctx, input: { email: string }): Promise<{ userUid: string; link: string }> {
  return inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select(['id', 'uid', 'password_hash as passwordHash'])
      .where('site_id', '=', ctx.site.id)
      .where('email_key', '=', caseKey(input.email))
      .forUpdate()
      .executeTakeFirst()
    if (!user || user.passwordHash !== null)
      throw new Conflict('user.email_taken', 'A user with this email address already exists.')
    return { userUid: user.uid, link: await openInvitation(ctx, user.uid) }
  })
}

/** The person whom an invitation link names, while it is good; null for every other link. */
export function findInvitedUser(ctx: Ctx, input: { userUid64b: string; token: string }): Promise<Account | null> {
  return findAccountOfLink(ctx, { ...input, purpose: 'invitation' })
}

/** Opens the invitee's account with a password of their own and signs them in (rules: `confirmInvitationForm`). */
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

async function openInvitation(ctx: Ctx, userUid: string): Promise<string> {
  const user = await ctx.db.selectFrom('users').select('id').where('uid', '=', userUid).executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('invitations')
    .values({ site_id: ctx.site.id, user_id: user.id, invited_by: ctx.viewer?.id ?? null })
    .onConflict((oc) => oc.column('user_id').where('accepted_at', 'is', null).doNothing())
    .execute()
  const token = await issueToken(ctx, { userUid, purpose: 'invitation' })
  return `${ctx.site.baseUrl}/confirm-invitation/${encodeUid(userUid)}/${token}/`
}
