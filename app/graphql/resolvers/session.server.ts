import { login, logout } from '~/services/accounts/accounts.server.ts'
import { Invalid, Unavailable } from '~/services/errors.ts'
import { getUser } from '~/services/users/users.server.ts'
import type { GraphqlContext } from '../schema.server.ts'
import { userNode } from './users.server.ts'

export const sessionResolvers = {
  Mutation: {
    login: async (_: unknown, input: { username: string; password: string }, { ctx }: GraphqlContext) => {
      try {
        const account = await login(ctx, input)
        // The context of this request still has no viewer; the account may see itself.
        const viewer = { ...account, id: 0, siteId: ctx.site.id, planId: null }
        return {
          user: userNode(await getUser({ ...ctx, viewer }, { userUid: account.uid }), { isOwn: true, isAdmin: false }),
          messages: null,
        }
      } catch (error) {
        if (!(error instanceof Invalid || error instanceof Unavailable)) throw error
        return { user: null, messages: messagesOf(error) }
      }
    },
    logout: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => logout(ctx),
  },
}

function messagesOf(error: Invalid | Unavailable) {
  const fields = error instanceof Invalid ? Object.entries(error.fieldErrors) : []
  if (fields.length === 0) return [{ code: error.code, field: null, kind: 'error', message: error.message }]
  return fields.map(([field, message]) => ({ code: error.code, field, kind: 'error', message }))
}
