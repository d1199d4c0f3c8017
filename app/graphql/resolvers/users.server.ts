import { isAdmin, type Viewer } from '~/services/context.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'
import { getUser, type User } from '~/services/users/users.server.ts'
import type { GraphqlContext } from '../context.ts'
import { toGlobalId } from '../ids.ts'

/**
 * A user as a viewer may see it: every field for that person and for admins, only the name for others, who meet people
 * only as authors.
 */
export function userNode(user: User, viewer: { isOwn: boolean; isAdmin: boolean }) {
  const base = { __typename: 'User', id: toGlobalId('User', user.uid), uid: user.uid }
  const names = { firstName: user.firstName ?? '', lastName: user.lastName ?? '' }
  if (!viewer.isOwn && !viewer.isAdmin) return { ...base, ...names }
  return {
    ...base,
    ...names,
    isOwn: viewer.isOwn,
    email: user.email,
    university: user.universityUid && {
      id: toGlobalId('University', user.universityUid),
      uid: user.universityUid,
      name: user.universityName,
    },
    isActive: user.isActive,
    joinedTs: user.joinedAt,
    allQuestionsAnswered: user.allQuestionsAnswered,
    optOutOfEmails: user.optOutOfEmails,
    groups: user.groups.map((name) => ({ name })),
    subscription: user.subscriptionType && {
      type: user.subscriptionType,
      validFrom: user.validFrom,
      validTo: user.validTo,
      accessPlan: { uid: user.planUid, name: user.planName },
    },
    invitation: user.invitedAt && {
      createdTs: user.invitedAt,
      lastAttemptedSendDatetime: user.invitationAttemptedAt,
    },
    activity: {
      lastViewedModuleUid: user.lastViewedModuleUid,
      lastWatchedVideoUid: user.lastWatchedVideoUid,
      lastWatchedLectureUid: user.lastWatchedLectureUid,
    },
    numUnreadAnnouncements: user.numUnreadAnnouncements,
  }
}

export function relationTo(viewer: Viewer | null, userUid: string) {
  return { isOwn: viewer?.uid === userUid, isAdmin: isAdmin(viewer) }
}

export const userResolvers = {
  Query: {
    me: async (_: unknown, _input: unknown, { ctx }: GraphqlContext) => {
      if (!ctx.viewer) return null
      const user = await getUser(ctx, { userUid: ctx.viewer.uid })
      return userNode(user, relationTo(ctx.viewer, user.uid))
    },
    featureFlags: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => listFeatureFlags(ctx),
  },
}
