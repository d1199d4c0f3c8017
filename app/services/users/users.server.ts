/** Users: names, groups and subscriptions of accounts. Passwords belong to the accounts domain. */
import { sql } from 'kysely'
import { newUserForm } from '~/forms/accounts.ts'
import { caseKey, emailKey, searchKey, storedKeys } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { logSecurityEvent } from '../audit/security-events.server.ts'
import { actsAsAdmin, type Ctx, type GroupName, requireActor, requireAdmin, requireViewer } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { projectFacets } from '../questionnaire/questionnaire.server.ts'
import { requireUnreserved } from './addresses.server.ts'
import { type UserRow, userQuery } from './queries.server.ts'

export type User = UserRow

export type NewUser = {
  email: string
  firstName: string
  lastName: string
  groups: GroupName[]
  universityName?: string
  planName?: string
  subscriptionType?: 'subsidized' | 'free' | 'paid'
  /** How long the plan is valid once the account is open; for good where it is left out. */
  planDays?: number
}

/** Returns the viewer or, for admins, anybody of the site. Throws NotFound for everybody else. */
export async function getUser(ctx: Ctx, input: { userUid: string }): Promise<User> {
  const user = await findUser(ctx, input)
  if (!user) throw new NotFound()
  return user
}

export async function findUser(ctx: Ctx, input: { userUid: string }): Promise<User | null> {
  requireActor(ctx)
  const userUid = input.userUid.toLowerCase()
  if (!isUid(userUid) || (userUid !== ctx.viewer?.uid && !actsAsAdmin(ctx))) return null
  const row = await userQuery(ctx.db)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.uid', '=', userUid)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Creates an account without a password, which is opened with its invitation. For admins. Throws Conflict if the
 * address is in use on this site.
 */
export async function createUser(ctx: Ctx, input: NewUser): Promise<{ uid: string }> {
  requireAdmin(ctx, 'write')
  const { email, firstName, lastName } = parseInput(newUserForm, input)
  return inTransaction(ctx, async (ctx) => {
    const universityId = input.universityName ? await findUniversityId(ctx, input.universityName) : null
    const user = await ctx.db
      .insertInto('users')
      .values({
        site_id: ctx.site.id,
        email,
        email_key: emailKey(email),
        first_name: firstName,
        last_name: lastName,
        search_key: searchKey(`${firstName} ${lastName} ${email}`),
        university_id: universityId,
        created_at: ctx.now,
      })
      .onConflict((oc) => oc.columns(['site_id', 'email_key']).doNothing())
      .returning(['id', 'uid'])
      .executeTakeFirst()
    if (!user) throw new Conflict('user.email_taken', 'A user with this email address already exists.')
    await requireUnreserved(ctx, { userUids: [user.uid] })
    await ctx.db
      .insertInto('user_groups')
      .values([...input.groups, 'pending_users' as const].map((name) => ({ user_id: user.id, name })))
      .execute()
    const groups = input.groups.filter((name) => name === 'admins' || name === 'authors')
    if (groups.length > 0) await logSecurityEvent(ctx, 'role.granted', { groups })
    if (input.planName) await subscribe(ctx, user.id, input.planName, input)
    await projectFacets(ctx, { userUid: user.uid })
    return { uid: user.uid }
  })
}

/**
 * Opens an account: sets the password hash, activates the account, removes it from `pending_users` and starts its
 * subscription.
 */
export async function activateUser(ctx: Ctx, input: { userUid: string; passwordHash: string }): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .updateTable('users')
      .set({ password_hash: input.passwordHash, is_active: true, joined_at: ctx.now, updated_at: ctx.now })
      .where('uid', '=', input.userUid)
      .returning('id')
      .executeTakeFirstOrThrow()
    await ctx.db.deleteFrom('user_groups').where('user_id', '=', user.id).where('name', '=', 'pending_users').execute()
    await ctx.db
      .updateTable('subscriptions')
      .set({
        valid_from: ctx.now,
        valid_to: sql<Date | null>`coalesce(${ctx.now}::timestamptz + make_interval(days => duration_days), valid_to)`,
        updated_at: ctx.now,
      })
      .where('user_id', '=', user.id)
      .execute()
  })
}

/** Sets the hash of a new password. The accounts domain checks whether it may be changed. */
export async function setPasswordHash(ctx: Ctx, input: { userUid: string; passwordHash: string }): Promise<void> {
  await ctx.db
    .updateTable('users')
    .set({ password_hash: input.passwordHash, updated_at: ctx.now })
    .where('uid', '=', input.userUid)
    .execute()
}

export async function recordLogin(ctx: Ctx, input: { userUid: string }): Promise<void> {
  await ctx.db.updateTable('users').set({ last_login_at: ctx.now }).where('uid', '=', input.userUid).execute()
}

/**
 * Records the last viewed module, for `me { activity }`. cmi5 calls it in the transaction of a launch. Does nothing for
 * a module of another site.
 */
export async function recordViewedModule(ctx: Ctx, input: { userUid: string; moduleUid: string }): Promise<void> {
  await ctx.db
    .updateTable('users')
    .from('modules')
    .set((eb) => ({ last_viewed_module_id: eb.ref('modules.id') }))
    .whereRef('modules.site_id', '=', 'users.site_id')
    .where('users.uid', '=', input.userUid)
    .where('modules.uid', '=', input.moduleUid)
    .execute()
}

const watched = {
  lecture: { films: 'lectures', column: 'last_watched_lecture_id' },
  video: { films: 'videos', column: 'last_watched_video_id' },
} as const

/** Records the film that the viewer is watching. Writes nothing while it is still the same one. */
export async function recordWatched(ctx: Ctx, input: { kind: keyof typeof watched; uid: string }): Promise<void> {
  const viewer = requireViewer(ctx, 'write')
  const { films, column } = watched[input.kind]
  await sql`
    update users set ${sql.ref(column)} = film.id from ${sql.table(films)} film
    where film.uid = ${input.uid} and film.site_id = users.site_id and users.id = ${viewer.id}
      and users.${sql.ref(column)} is distinct from film.id`.execute(ctx.db)
}

async function subscribe(
  ctx: Ctx,
  userId: number,
  planName: string,
  { subscriptionType: type = 'subsidized', planDays }: Pick<NewUser, 'subscriptionType' | 'planDays'>,
): Promise<void> {
  const plan = await ctx.db
    .selectFrom('access_plans')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', planName)
    .executeTakeFirst()
  if (!plan)
    throw new Invalid(`There is no access plan "${planName}" on this site.`, { accessPlan: 'No such access plan' })
  await ctx.db
    .insertInto('subscriptions')
    .values({
      site_id: ctx.site.id,
      user_id: userId,
      type,
      access_plan_id: plan.id,
      auto_renew: planDays === undefined,
      duration_days: planDays ?? null,
    })
    .execute()
}

async function findUniversityId(ctx: Ctx, name: string): Promise<number | null> {
  const row = await ctx.db
    .selectFrom('universities')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('name_key', 'in', storedKeys(name))
    .orderBy((eb) => eb('name_key', '=', caseKey(name)))
    .executeTakeFirst()
  return row?.id ?? null
}
