import { randomUUID } from 'node:crypto'
import { subscriptionLabels } from '~/forms/subscriptions.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { describeAgent } from '~/lib/agent.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import { type AccessToken, listAccessTokens } from '~/services/accounts/access-tokens.server.ts'
import { listOwnSessions } from '~/services/sessions/sessions.server.ts'
import { getOwnMailChoices } from '~/services/users/mail-choices.server.ts'
import { getUser, type User } from '~/services/users/users.server.ts'

/** Reads what My Account shows, with times in the site's time zone. */
export async function ownAccountOf(ctx: SignedIn) {
  const { timeZone } = ctx.site
  const [user, choices, sessions, tokens] = await Promise.all([
    getUser(ctx, { userUid: ctx.viewer.uid }),
    getOwnMailChoices(ctx),
    listOwnSessions(ctx),
    ctx.viewAs ? [] : listAccessTokens(ctx),
  ])
  return {
    email: user.email ?? '',
    institution: user.universityName,
    subscription: subscriptionOf(user, timeZone),
    mailChoices: choices,
    sessions: sessions.map(({ uid, agent, address, lastSeenAt, isCurrent }) => ({
      uid,
      agent: describeAgent(agent),
      address,
      seen: formatMoment(lastSeenAt, timeZone),
      isCurrent,
    })),
    tokens: tokens.map((token) => tokenRow(token, timeZone)),
    newTokenUid: randomUUID(),
    isViewedByAdmin: ctx.viewAs !== undefined,
  }
}

function subscriptionOf({ subscriptionType, planName, validFrom, validTo }: User, timeZone: string) {
  if (!subscriptionType) return null
  return {
    label: subscriptionLabels[subscriptionType] ?? subscriptionType,
    plan: planName ?? '',
    from: validFrom ? formatDay(validFrom, timeZone) : 'Now',
    to: validTo ? formatDay(validTo, timeZone) : 'No end',
  }
}

function tokenRow({ uid, name, hint, scope, expiresAt, lastUsedAt }: AccessToken, timeZone: string) {
  return {
    uid,
    name,
    hint,
    scope: scope === 'read' ? 'Read only' : 'Read and write',
    expires: formatDay(expiresAt, timeZone),
    used: lastUsedAt ? `last used ${formatMoment(lastUsedAt, timeZone)}` : 'never used',
  }
}
