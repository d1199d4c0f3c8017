import { encodeUid } from '~/lib/uid.ts'
import { addToken } from '~/services/accounts/tokens.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import type { Database } from '~db/client.server.ts'
import { aContext } from './context.ts'

/** A context whose session port records what was begun, as a transport would turn into cookies. */
export async function aSignInContext(
  db: Database,
  options: Parameters<typeof aContext>[1] = {},
): Promise<Ctx & { begun: string[] }> {
  const ctx = await aContext(db, options)
  const begun: string[] = []
  const session = { uid: null, begin: async (_: Ctx, userUid: string) => void begun.push(userUid), end: async () => {} }
  return { ...ctx, begun, session }
}

/** The two parts of a link of a mail. */
export function linkParts(link: string): { userUid64b: string; token: string } {
  const [userUid64b = '', token = ''] = new URL(link).pathname.split('/').slice(2)
  return { userUid64b, token }
}

/** A link to reset the password of this person, as a mail would hold it. */
export async function aResetLink(ctx: Ctx, user: Pick<Viewer, 'uid'>): Promise<{ userUid64b: string; token: string }> {
  const { token } = await addToken(ctx, user.uid, 'reset')
  return { userUid64b: encodeUid(user.uid), token }
}
