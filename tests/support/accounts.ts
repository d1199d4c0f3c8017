import { encodeUid } from '~/lib/uid.ts'
import { addToken } from '~/services/accounts/tokens.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import type { Database } from '~db/client.server.ts'
import { aContext } from './context.ts'

/** A context whose session port records the sessions that were begun, which a transport would turn into cookies. */
export async function aSignInContext(
  db: Database,
  options: Parameters<typeof aContext>[1] = {},
): Promise<Ctx & { begun: string[] }> {
  const ctx = await aContext(db, options)
  const begun: string[] = []
  const session = { uid: null, begin: async (_: Ctx, userUid: string) => void begun.push(userUid), end: async () => {} }
  return { ...ctx, begun, session }
}

/** The two parts of a mailed link. */
export function linkParts(link: string): { userUid64b: string; token: string } {
  const [userUid64b = '', token = ''] = new URL(link).pathname.split('/').slice(2)
  return { userUid64b, token }
}

/** A password-reset link for this person, as in a mail. */
export async function aResetLink(ctx: Ctx, user: Pick<Viewer, 'uid'>): Promise<{ userUid64b: string; token: string }> {
  const { token } = await addToken(ctx, user.uid, 'reset')
  return { userUid64b: encodeUid(user.uid), token }
}
