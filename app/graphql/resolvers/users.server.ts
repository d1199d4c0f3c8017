import { resentInWords as resent } from '~/forms/user-tables.ts'
import type { InviteUserInput } from '~/forms/users.ts'
import { isUid } from '~/lib/uid.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { isAdmin, type Viewer } from '~/services/context.ts'
import { Forbidden, NotFound, ServiceError, Unavailable } from '~/services/errors.ts'
import { listAllUniversities } from '~/services/institutions/institutions.server.ts'
import { inviteUser, inviteUsers, resendInvitations } from '~/services/invitations/invite-users.server.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'
import { restoreUser } from '~/services/users/delete-user.server.ts'
import { countUsers, listUsers } from '~/services/users/list-users.server.ts'
import { deleteUniversity } from '~/services/users/replace-university.server.ts'
import { listUserReportFields } from '~/services/users/report-fields.server.ts'
import { getUser, type User } from '~/services/users/users.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'

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
    lastLogin: user.lastLoginAt,
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
      sentTs: user.invitationSentAt,
      accessPlan: user.invitationPlanName === null ? null : { name: user.invitationPlanName },
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
    users: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) => {
      const { items, ...page } = await listUsers(ctx, { first, after })
      const nodes = items.map((user) => userNode(user, relationTo(ctx.viewer, user.uid)))
      return connection({ ...page, items: nodes }, () => countUsers(ctx))
    },
    userReportFields: (_: unknown, _input: unknown, { ctx }: GraphqlContext) => listUserReportFields(ctx),
  },
  Mutation: {
    deleteUser: (_: unknown, { userId }: { userId: string }, { ctx }: GraphqlContext) =>
      resultOf(deleteUser(ctx, { userUid: userUidOf(userId) })),
    restoreUser: (_: unknown, { userId }: { userId: string }, { ctx }: GraphqlContext) =>
      resultOf(restoreUser(ctx, { userUid: userUidOf(userId) })),
    inviteUser: async (_: unknown, { data }: { data: InviteUserInput }, { ctx }: GraphqlContext) => {
      const { value, refusal } = await expectRefusal(inviteUser(ctx, data))
      if (!value) return { invitation: null, status: false, msg: refusal }
      const { userUid } = value
      const recipient = userNode(await getUser(ctx, { userUid }), relationTo(ctx.viewer, userUid))
      return { invitation: { recipient }, status: true, msg: null }
    },
    inviteUsers: (_: unknown, { data }: { data: { csvPath: string } }, { ctx }: GraphqlContext) =>
      resultOf(inviteUsers(ctx, data), ({ count }) => invited(count)),
    resendUserInvitations: (_: unknown, { inviteeUids }: { inviteeUids: string[] }, { ctx }: GraphqlContext) =>
      resultOf(resendInvitations(ctx, { userUids: inviteeUids }), resent),
    deleteUniversity: async (_: unknown, input: DeletedUniversity, { ctx }: GraphqlContext) => {
      await deleteUniversity(ctx, {
        institution: input.universityToDeleteUid,
        replacement: input.universityToReplaceWithUid,
      })
      const universities = await listAllUniversities(ctx)
      return { universities: universities.map((one) => ({ id: toGlobalId('University', one.uid), ...one })) }
    },
  },
  User: {
    completedUnits: (user: { uid: string; email?: string }, _: unknown, { loaders }: GraphqlContext) =>
      user.email === undefined ? null : loaders.completedUnits.load(user.uid),
  },
}

type DeletedUniversity = { universityToDeleteUid: string; universityToReplaceWithUid: string }

const invited = (count: number) => (count === 1 ? 'One person has been invited.' : `${count} people have been invited.`)

/** A user is named by the global id or the uid. */
export function userUidOf(id: string): string {
  if (isUid(id)) return id.toLowerCase()
  const key = fromGlobalId(id)
  if (key?.type !== 'User') throw new NotFound()
  return key.uid
}

/** What the contract expects to fail is no error, but status false with the sentence. Who may not ask gets an error. */
async function resultOf<T>(work: Promise<T>, inWords: (value: T) => string | null = () => null) {
  const { value, refusal } = await expectRefusal(work)
  return value === undefined ? { status: false, msg: refusal } : { status: true, msg: inWords(value) }
}

async function expectRefusal<T>(work: Promise<T>): Promise<{ value?: T; refusal: string | null }> {
  try {
    return { value: await work, refusal: null }
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof Forbidden || error instanceof Unavailable) throw error
    return { refusal: error.message }
  }
}
