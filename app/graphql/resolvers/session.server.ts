import { login, logout, type OperationResult } from '~/services/accounts/accounts.server.ts'
import { changePassword, requestPasswordReset, resetPassword } from '~/services/accounts/password-changes.server.ts'
import { Invalid, notLoggedIn, Unavailable } from '~/services/errors.ts'
import { confirmInvitation, findInvitedUser, invalidInvitation } from '~/services/invitations/invitations.server.ts'
import { getUser } from '~/services/users/users.server.ts'
import type { GraphqlContext } from '../context.ts'
import { toGlobalId } from '../ids.ts'
import { userNode } from './users.server.ts'

type Link = { userUid64b: string; token: string }
type NewPassword = { password: string; password2: string }

export const sessionResolvers = {
  Query: {
    invitedUser: async (_: unknown, input: Link, { ctx }: GraphqlContext) => {
      const { value, refusal } = await expected(findInvitedUser(ctx, input))
      if (!value) return { user: null, msg: refusal ?? invalidInvitation }
      const { uid, firstName, lastName, email, groups } = value
      const user = { __typename: 'User', id: toGlobalId('User', uid), uid, firstName, lastName, email }
      return { user: { ...user, groups: groups.map((name) => ({ name })) }, msg: null }
    },
  },
  Mutation: {
    login: async (_: unknown, input: { username: string; password: string }, { ctx }: GraphqlContext) => {
      try {
        const account = await login(ctx, input)
        // The context of this request still has no viewer, but the new account may see itself.
        const viewer = { ...account, id: 0, siteId: ctx.site.id, planId: null, accessEndedAt: null }
        return {
          user: userNode(await getUser({ ...ctx, viewer }, { userUid: account.uid }), { isOwn: true, isAdmin: false }),
          messages: null,
        }
      } catch (error) {
        if (!(error instanceof Invalid || error instanceof Unavailable)) throw error
        return { user: null, messages: messagesOf(error) }
      }
    },
    logout: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => {
      if (!ctx.viewer) throw notLoggedIn()
      return logout(ctx)
    },
    requestPasswordReset: (_: unknown, input: { email: string }, { ctx }: GraphqlContext) =>
      resultOf(requestPasswordReset(ctx, input)),
    resetPassword: (_: unknown, input: Link & NewPassword, { ctx }: GraphqlContext) =>
      resultOf(resetPassword(ctx, input)),
    changePassword: (
      _: unknown,
      input: { currentPassword: string; revokeTokens?: boolean | null } & NewPassword,
      { ctx }: GraphqlContext,
    ) => resultOf(changePassword(ctx, input)),
    confirmInvitation: (_: unknown, input: Link & NewPassword, { ctx }: GraphqlContext) =>
      resultOf(confirmInvitation(ctx, input).then(() => ({ status: true, msg: null }))),
  },
}

/** A failure that the contract expects is not an error but status false with the sentence. */
async function resultOf(work: Promise<OperationResult>): Promise<OperationResult> {
  const { value, refusal } = await expected(work)
  return value ?? { status: false, msg: refusal ?? null }
}

async function expected<T>(work: Promise<T>): Promise<{ value?: T; refusal?: string }> {
  try {
    return { value: await work }
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Unavailable)) throw error
    return { refusal: error.message }
  }
}

function messagesOf(error: Invalid | Unavailable) {
  const fields = error instanceof Invalid ? Object.entries(error.fieldErrors) : []
  if (fields.length === 0) return [{ code: error.code, field: null, kind: 'error', message: error.message }]
  return fields.map(([field, message]) => ({ code: error.code, field, kind: 'error', message }))
}
