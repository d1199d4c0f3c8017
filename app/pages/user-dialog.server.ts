/** The dialog of a person in the console, for admins. Dates are in the site's time zone. */
import type {
  AddressChangeView,
  DueOfUser,
  ProgressKind,
  ProgressList,
  UserHead,
  UserHistory,
  UserMessages,
  UserProfile,
  UserProgressView,
  UserSessions,
} from '~/components/console/users/view.ts'
import { brands } from '~/config/brands.ts'
import { planLabel } from '~/forms/plans.ts'
import { describeAgent } from '~/lib/agent.ts'
import { formatCalendarDay, formatDay, formatMoment } from '~/lib/dates.ts'
import { dueInWords } from '~/lib/due.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import { findWaitingChange } from '~/services/accounts/address-changes.server.ts'
import { listReceivedMessages } from '~/services/announcements/received.server.ts'
import { listAssignmentsForStaff } from '~/services/assignments/assignments.server.ts'
import { getAssignmentToChange } from '~/services/assignments/change-due.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { listAllUniversities } from '~/services/institutions/institutions.server.ts'
import { userProgress } from '~/services/progress/progress.server.ts'
import { listSessionsOfUser, mayBeViewed } from '~/services/sessions/sessions.server.ts'
import { getUserToEdit, type UserState } from '~/services/users/save-user.server.ts'
import { listUserEntries, type UserEntry } from '~/services/users/table-entries.server.ts'

type Input = { userUid: string }

async function getEntry(ctx: Ctx, { userUid }: Input): Promise<UserEntry> {
  const [entry] = await listUserEntries(ctx, [userUid.toLowerCase()])
  if (!entry) throw new NotFound()
  return entry
}

export async function getUserHead(ctx: Ctx, input: Input): Promise<UserHead> {
  const { uid, firstName, lastName, email, status } = await getEntry(ctx, input)
  return { uid, name: `${firstName} ${lastName}`.trim() || email, email, status }
}

export async function getUserProfile(ctx: Ctx, input: Input): Promise<UserProfile> {
  const [user, entry, waiting] = await Promise.all([
    getUserToEdit(ctx, input),
    getEntry(ctx, input),
    findWaitingChange(ctx, input),
  ])
  const [plans, universities] = await Promise.all([
    listAccessPlans(ctx, { offeredOr: user.state.accessPlanUid }),
    listAllUniversities(ctx),
  ])
  const { state, revision, uid, email, isActive, isPending } = user
  const { firstName, lastName, university, groups, accessPlanUid, subscriptionType } = state
  const day = (date: Date | null) => (date ? formatDay(date, ctx.site.timeZone) : '–')
  return {
    ...{ uid, email, revision, isActive, isPending },
    opened: JSON.stringify(state),
    values: {
      ...{ firstName, lastName, university, accessPlanUid, subscriptionType },
      isLearner: groups.includes('learners'),
      isAdmin: groups.includes('admins'),
      isInstructor: groups.includes('instructors'),
      isAuthor: groups.includes('authors'),
      renewal: accessPlanUid === '' ? 'auto' : 'keep',
    },
    access: accessPlanUid === '' ? null : accessInWords(ctx, state),
    plans: plans.map((plan) => ({ value: plan.uid, label: planLabel(plan) })),
    universities: universities.map(({ name }) => name),
    facts: [
      isPending
        ? { label: 'Invited', value: day(entry.invitedAt) }
        : { label: 'Signed up', value: day(entry.joinedAt) },
      { label: 'Last login', value: entry.lastLoginAt ? formatMoment(entry.lastLoginAt, ctx.site.timeZone) : 'Never' },
      { label: 'Completed modules', value: String(entry.completedModules) },
      { label: 'Completed courses', value: String(entry.completedCourses) },
    ],
    isOwn: uid === ctx.viewer?.uid,
    canBeViewed: isActive && mayBeViewed({ groups }),
    waitingEmail: waiting?.email ?? null,
  }
}

export async function getAddressChangeView(ctx: Ctx, input: Input): Promise<AddressChangeView> {
  const [{ uid, email, isPending, state }, waiting] = await Promise.all([
    getUserToEdit(ctx, input),
    findWaitingChange(ctx, input),
  ])
  return {
    ...{ uid, email, isPending, name: `${state.firstName} ${state.lastName}`.trim() || email },
    waiting: waiting && {
      email: waiting.email,
      askedOn: formatMoment(waiting.createdAt, ctx.site.timeZone),
      until: formatMoment(waiting.expiresAt, ctx.site.timeZone),
      canBeSentAgain: waiting.canBeSentAgain,
    },
  }
}

function accessInWords(ctx: Ctx, { access }: UserState): string {
  const [kind, value = ''] = access.split(/:(.*)/s)
  if (kind === 'none') return 'does not end'
  if (kind === 'days') return `${value} days from the first login`
  return `until ${formatDay(new Date(value), ctx.site.timeZone)}`
}

/** Without a list, shows what is in progress or, if nothing is, what was completed. */
export async function getUserProgressView(
  ctx: Ctx,
  { userUid, kind, list: asked }: Input & { kind: ProgressKind; list: ProgressList | null },
): Promise<UserProgressView> {
  const { assignedLabel, assignVerb } = brands[ctx.site.key]
  const labels = { userUid, kind, assignedLabel, unassignLabel: `Un${assignVerb.toLowerCase()}` }
  if (asked === 'assigned') {
    const items = await listAssignmentsForStaff(ctx, { userUid, kind: kind === 'modules' ? 'module' : 'course' })
    const today = dayOf(ctx.now, ctx.site.timeZone)
    const rows = items.map(({ uid, name, isIncluded, isCompleted, dueOn, note }) =>
      rowOf(uid, name, { isIncluded, note, due: dueOn && dueOrDone(dueOn, { today, isCompleted }) }),
    )
    return { ...labels, list: asked, rows }
  }
  const { modulesProgress, coursesProgress } = await userProgress(ctx, { userUid, allStartedStudyUnits: true })
  const all = kind === 'modules' ? modulesProgress : coursesProgress
  const isAllCompleted = all.length > 0 && all.every(({ progressPercent }) => progressPercent >= 100)
  const list = asked ?? (isAllCompleted ? 'completed' : 'progress')
  const isWanted = (percent: number) => (list === 'completed') === percent >= 100
  const rows =
    kind === 'modules'
      ? modulesProgress
          .filter(({ progressPercent }) => isWanted(progressPercent))
          .map(({ moduleUid, moduleName, progressPercent, highestScore }) =>
            rowOf(moduleUid, moduleName ?? '', {
              percent: progressPercent,
              score: highestScore,
              to: `/dashboard/modules/${moduleUid}/learners/${userUid}/`,
            }),
          )
      : coursesProgress
          .filter(({ progressPercent }) => isWanted(progressPercent))
          .map(({ courseUid, courseName, progressPercent, modulesProgress: parts }) => {
            const scores = parts.flatMap(({ highestScore }) => highestScore ?? [])
            const score = scores.length > 0 ? Math.max(...scores) : null
            return rowOf(courseUid, courseName ?? '', { percent: progressPercent, score })
          })
  return { ...labels, list, rows: rows.sort((one, other) => one.name.localeCompare(other.name, 'en')) }
}

type ProgressRow = UserProgressView['rows'][number]

function rowOf(uid: string, name: string, more: Partial<ProgressRow>): ProgressRow {
  return { uid, name, score: null, percent: null, to: null, isIncluded: true, due: null, note: null, ...more }
}

function dueOrDone(dueOn: string, { today, isCompleted }: { today: string; isCompleted: boolean }): string {
  return isCompleted ? `Due ${formatCalendarDay(dueOn)}, completed` : dueInWords(dueOn, today)
}

/** The due date and the note of one assignment, for the form that changes them. */
export async function getDueOfUser(
  ctx: Ctx,
  input: Input & { kind: ProgressKind; itemUid: string },
): Promise<DueOfUser> {
  const { userUid, kind, itemUid } = input
  const [{ uid, name }, { itemName, dueOn, note }] = await Promise.all([
    getUserHead(ctx, { userUid }),
    getAssignmentToChange(ctx, { userUid, kind: kind === 'modules' ? 'module' : 'course', itemUid }),
  ])
  return {
    ...{ userUid: uid, name, kind },
    what: itemName,
    today: dayOf(ctx.now, ctx.site.timeZone),
    dueOn: dueOn ?? '',
    note: note ?? '',
  }
}

export async function listUserSessions(ctx: Ctx, input: Input): Promise<UserSessions> {
  const sessions = await listSessionsOfUser(ctx, input)
  return sessions.map(({ uid, agent, address, createdAt, lastSeenAt }) => ({
    uid,
    agent: describeAgent(agent),
    address: address ?? '–',
    since: formatMoment(createdAt, ctx.site.timeZone),
    seen: formatMoment(lastSeenAt, ctx.site.timeZone),
  }))
}

export async function listUserMessages(ctx: Ctx, input: Input): Promise<UserMessages> {
  const moment = (date: Date | null) => (date ? formatMoment(date, ctx.site.timeZone) : '–')
  return (await listReceivedMessages(ctx, input)).map(({ uid, subject, channel, state, sentAt, openedAt }) => ({
    ...{ uid, subject },
    channel: channel === 'email' ? 'Email' : 'Dashboard',
    state: `${state.charAt(0).toUpperCase()}${state.slice(1).replace('_', ' ')}`,
    sent: moment(sentAt),
    opened: moment(openedAt),
  }))
}

const actions: Record<string, string> = {
  'user.invited': 'Invited',
  'user.updated': 'Changed',
  'user.deactivated': 'Disabled',
  'user.activated': 'Enabled',
  'user.deleted': 'Deleted',
  'user.restored': 'Restored',
  'user.signed_out': 'Logged out',
  'user.reset_link_sent': 'Link to reset the password sent',
  'user.address_change_requested': 'Change of the email address requested',
  'user.address_link_sent': 'Link to confirm the email address sent again',
  'user.address_change_canceled': 'Change of the email address canceled',
  'user.address_kept': 'Email address kept by an objection',
  'user.view_started': 'An admin began to view the site as this person',
  'user.view_ended': 'An admin stopped viewing the site as this person',
  'user.viewing_started': 'Began to view the site as somebody else',
  'user.viewing_ended': 'Stopped viewing the site as somebody else',
  'user.password_changed': 'Password changed',
  'user.password_reset': 'Password reset',
  'access_token.created': 'Access token created',
  'access_token.revoked': 'Access tokens revoked',
}

const fieldNames: Record<string, string> = {
  firstName: 'first name',
  lastName: 'last name',
  email: 'email address',
  university: 'institution',
  groups: 'groups',
  accessPlanUid: 'access plan',
  accessPlan: 'access plan',
  subscriptionType: 'subscription',
  access: 'expiry',
  answers: 'answers',
  optOutOfEmails: 'messages by email',
  password: 'password',
}

/** The audit log has the names of the changed fields, and no values. */
export async function listUserHistory(ctx: Ctx, { userUid }: Input): Promise<UserHistory> {
  const { uid } = await getEntry(ctx, { userUid })
  const entries = await listAuditEntries(ctx, { entity: 'user', entityUid: uid })
  return entries.reverse().map(({ action, actorName, after, at }) => {
    const fields = Array.isArray(after?.fields)
      ? after.fields.map((field) => fieldNames[String(field)] ?? String(field))
      : []
    const what = actions[action] ?? action
    return {
      what: action === 'user.updated' && fields.length > 0 ? `${what}: ${fields.join(', ')}` : what,
      by: actorName,
      at: formatMoment(at, ctx.site.timeZone),
    }
  })
}
