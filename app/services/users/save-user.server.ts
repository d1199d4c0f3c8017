/**
 * A person's form in the console. Saves are merged field by field, like those of other forms that two people can have
 * open. The audit log may not hold values of people, so the form itself brings the state that it was opened with.
 */
import { z } from 'zod'
import { daysOf, type renewals, subscriptionTypes, userForm } from '~/forms/users.ts'
import { formatDay } from '~/lib/dates.ts'
import { searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { listAuditEntries, recordAudit } from '../audit/audit.server.ts'
import { logSecurityEvent } from '../audit/security-events.server.ts'
import { type Ctx, type GroupName, requireAdmin } from '../context.ts'
import { Conflict, type FieldErrors, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { ensureUniversity } from '../institutions/institutions.server.ts'
import { projectFacets } from '../questionnaire/questionnaire.server.ts'
import { ChangedMeanwhile, merge, type Revised } from '../revisions.ts'
import { lockAdmins, requireAnAdmin } from './delete-user.server.ts'
import { findPlan, findPlanToGive, readUserState } from './user-state.server.ts'

type ManagedGroup = Exclude<GroupName, 'pending_users'>

/** What the form shows. `access` is `none` (without an end), `until:` with a time, or `days:` from the first login. */
export type UserState = {
  firstName: string
  lastName: string
  university: string
  groups: ManagedGroup[]
  accessPlanUid: string
  subscriptionType: string
  access: string
}

export type EditedUser = Revised<UserState> & {
  uid: string
  email: string
  isActive: boolean
  isPending: boolean
}

const openedForm = z.object({
  firstName: z.string(),
  lastName: z.string(),
  university: z.string(),
  groups: z.array(z.enum(['learners', 'admins', 'instructors', 'authors'])),
  accessPlanUid: z.string(),
  subscriptionType: z.enum(['', ...subscriptionTypes]),
  access: z.string(),
})

/** Reads a person for the form, for admins. */
export async function getUserToEdit(ctx: Ctx, input: { userUid: string }): Promise<EditedUser> {
  requireAdmin(ctx)
  const { id: _, ...user } = await readUserState(ctx, input.userUid, { isLocked: false })
  return user
}

type SaveInput = Record<string, unknown> & {
  userUid: string
  revision: number
  /** The state that the form was opened with, as JSON. */
  opened: string
}

/** Saves a person's form, for admins. Returns the fields that were changed. */
export async function saveUser(
  ctx: Ctx,
  input: SaveInput,
): Promise<{ name: string; changed: string[]; keptOfOthers: string[] }> {
  requireAdmin(ctx, 'write')
  const form = parseInput(userForm, input)
  return inTransaction(ctx, async (ctx) => {
    await lockAdmins(ctx)
    const user = await readUserState(ctx, input.userUid, { isLocked: true })
    const opened = openedState(input.opened) ?? user.state
    const mine = mineOf(ctx, form, opened, user)
    const { changes, contested, keptOfOthers } = merge<UserState>({ base: opened, mine, now: user.state })
    if (contested.length > 0 && input.revision !== user.revision) {
      const fieldErrors = await explain(ctx, { ...user, contested, opened: input.revision })
      const { state, revision } = user
      const isOwn = Object.values(fieldErrors).every((text) => text.startsWith(ownChange))
      const problem = isOwn
        ? 'You changed this user in another window.'
        : 'Somebody else changed this user while you were editing.'
      throw new ChangedMeanwhile(problem, fieldErrors, {
        now: { state, revision },
        takenOver: keptOfOthers,
      })
    }
    const changed = Object.keys(changes)
    if (changed.length > 0) await write(ctx, user, changes, changed)
    const { firstName, lastName } = { ...user.state, ...changes }
    return { name: `${firstName} ${lastName}`, changed, keptOfOthers }
  })
}

function openedState(json: string): UserState | null {
  try {
    const result = openedForm.safeParse(JSON.parse(json))
    return result.success ? result.data : null
  } catch {
    return null
  }
}

type LockedUser = Awaited<ReturnType<typeof readUserState>>

function mineOf(ctx: Ctx, form: z.output<typeof userForm>, opened: UserState, user: LockedUser): UserState {
  const groups: [ManagedGroup, boolean | undefined][] = [
    ['admins', form.isAdmin],
    ['authors', form.isAuthor],
    ['instructors', form.isInstructor],
    ['learners', form.isLearner],
  ]
  const hasPlan = form.accessPlanUid !== ''
  return {
    firstName: form.firstName,
    lastName: form.lastName,
    university: form.university,
    groups: groups.filter(([, isIn]) => isIn).map(([name]) => name),
    accessPlanUid: form.accessPlanUid.toLowerCase(),
    subscriptionType: hasPlan ? (form.subscriptionType ?? '') : '',
    access: hasPlan ? accessOf(ctx, form, opened, user) : 'none',
  }
}

function accessOf(ctx: Ctx, form: z.output<typeof userForm>, opened: UserState, user: LockedUser): string {
  if (form.renewal === 'keep') return opened.access
  const days = daysOf(form)
  if (days === null) return 'none'
  return user.isPending ? `days:${days}` : `until:${new Date(ctx.now.getTime() + days * 86_400_000).toISOString()}`
}

async function write(ctx: Ctx, user: LockedUser, changes: Partial<UserState>, fields: string[]): Promise<void> {
  const next = { ...user.state, ...changes }
  if (changes.groups) await writeGroups(ctx, user, next.groups)
  if (['accessPlanUid', 'subscriptionType', 'access'].some((field) => fields.includes(field))) {
    await writeAccess(ctx, user, next)
  }
  const university = changes.university === undefined ? null : await ensureUniversity(ctx, { name: changes.university })
  const { revision } = await ctx.db
    .updateTable('users')
    .set((eb) => ({
      first_name: next.firstName,
      last_name: next.lastName,
      search_key: searchKey(`${next.firstName} ${next.lastName} ${user.email}`),
      ...(university && {
        university_id: eb.selectFrom('universities').select('id').where('uid', '=', university.uid),
      }),
      revision: eb('revision', '+', 1),
      updated_at: ctx.now,
    }))
    .where('id', '=', user.id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  await projectFacets(ctx, { userUid: user.uid })
  await recordAudit(ctx, { action: 'user.updated', entity: 'user', entityUid: user.uid, after: { fields, revision } })
}

async function writeGroups(ctx: Ctx, user: LockedUser, groups: ManagedGroup[]): Promise<void> {
  const before = user.state.groups
  const removed = before.filter((name) => !groups.includes(name))
  const added = groups.filter((name) => !before.includes(name))
  if (removed.includes('admins') && user.uid === ctx.viewer?.uid) {
    const message = 'You cannot take away your own admin access. Please ask another admin.'
    throw new Conflict('user.own_account', message, { isAdmin: message })
  }
  if (removed.length > 0) {
    await ctx.db.deleteFrom('user_groups').where('user_id', '=', user.id).where('name', 'in', removed).execute()
  }
  if (added.length > 0) {
    await ctx.db
      .insertInto('user_groups')
      .values(added.map((name) => ({ user_id: user.id, name })))
      .execute()
  }
  if (removed.includes('admins') && user.isActive) await requireAnAdmin(ctx)
  const granted = added.filter((name) => name === 'admins' || name === 'authors')
  if (granted.length > 0) await logSecurityEvent(ctx, 'role.granted', { groups: granted })
}

async function writeAccess(ctx: Ctx, user: LockedUser, next: UserState): Promise<void> {
  if (next.accessPlanUid === '') {
    await ctx.db.deleteFrom('subscriptions').where('user_id', '=', user.id).execute()
    return
  }
  const plan = await findPlanToGive(ctx, next.accessPlanUid, { planUid: user.state.accessPlanUid })
  const [kind, value = ''] = next.access.split(/:(.*)/s)
  const values = {
    type: next.subscriptionType as (typeof subscriptionTypes)[number],
    access_plan_id: plan.id,
    auto_renew: kind === 'none',
    duration_days: kind === 'days' ? Number(value) : null,
    valid_to: kind === 'until' ? new Date(value) : null,
  }
  await ctx.db
    .insertInto('subscriptions')
    .values({ site_id: ctx.site.id, user_id: user.id, ...values })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ ...values, updated_at: ctx.now }))
    .execute()
}

const ownChange = 'You changed this in another window.'

/** The inputs of the form at which a field's message stands. */
const inputOf: Partial<Record<keyof UserState, string>> = { groups: 'isLearner', access: 'renewal' }

async function explain(
  ctx: Ctx,
  { uid, state, contested, opened }: LockedUser & { contested: (keyof UserState)[]; opened: number },
): Promise<FieldErrors> {
  const entries = await ctx.db
    .selectFrom('audit_entries')
    .select(['actor_name as who', 'actor_id as actorId', 'after'])
    .where('entity', '=', 'user')
    .where('entity_uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where('action', '=', 'user.updated')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  const errors: FieldErrors = {}
  for (const field of contested) {
    const entry = entries.find(({ after }) => {
      const { fields = [], revision = 0 } = (after ?? {}) as { fields?: string[]; revision?: number }
      return revision > opened && fields.includes(field)
    })
    const isOwn = ctx.viewer !== null && entry?.actorId === ctx.viewer.id
    const what = isOwn ? ownChange : `${entry?.who ?? 'Somebody'} changed this while you were editing.`
    errors[inputOf[field] ?? field] = `${what} ${await describe(ctx, field, state)} Save again to use yours.`
  }
  return errors
}

async function describe(ctx: Ctx, field: keyof UserState, state: UserState): Promise<string> {
  if (field === 'access') {
    const [kind, value = ''] = state.access.split(/:(.*)/s)
    if (kind === 'none') return 'It does not end now.'
    return kind === 'days'
      ? `It lasts ${value} days now.`
      : `It ends on ${formatDay(new Date(value), ctx.site.timeZone)} now.`
  }
  if (field === 'accessPlanUid') {
    return state.accessPlanUid === ''
      ? 'There is none now.'
      : `It is “${(await findPlan(ctx, state.accessPlanUid)).name}” now.`
  }
  const value = field === 'groups' ? state.groups.join(', ') : state[field]
  return value === '' ? 'It is empty now.' : `It is “${value}” now.`
}

/** The values of the form's inputs for a field, from the stored state. */
export function inputsOf(field: string, state: UserState): Record<string, string | string[]> {
  if (field === 'groups') {
    const ticked = (name: ManagedGroup) => (state.groups.includes(name) ? 'on' : [])
    return {
      isLearner: ticked('learners'),
      isAdmin: ticked('admins'),
      isInstructor: ticked('instructors'),
      isAuthor: ticked('authors'),
    }
  }
  if (field === 'access') return { renewal: 'keep' satisfies (typeof renewals)[number] }
  return { [field]: state[field as 'firstName'] ?? '' }
}

/**
 * Enables an account that was disabled, for admins. Returns whether it was disabled before. With `disabledAt`, in
 * milliseconds, it undoes only the disabling of that time: an account that was disabled again since stays so.
 */
export async function enableUser(
  ctx: Ctx,
  input: { userUid: string; disabledAt?: number },
): Promise<{ isChanged: boolean }> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.userUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const user = await readUserState(ctx, input.userUid, { isLocked: true })
    if (user.isActive) return { isChanged: false }
    if (input.disabledAt !== undefined) {
      const changes = await listAuditEntries(ctx, { entity: 'user', entityUid: user.uid })
      const last = changes.findLast(({ action }) => action === 'user.deactivated')
      if (last?.at.getTime() !== input.disabledAt) return { isChanged: false }
    }
    if (user.isPending) throw new Conflict('user.pending', 'Nobody has opened this account yet.')
    await ctx.db.updateTable('users').set({ is_active: true, updated_at: ctx.now }).where('id', '=', user.id).execute()
    await recordAudit(ctx, { action: 'user.activated', entity: 'user', entityUid: user.uid })
    return { isChanged: true }
  })
}
