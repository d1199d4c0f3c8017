/**
 * Changes of a user's record. People change their own names. Admins may change anybody of the site, including
 * institution, plan and subscription. The audit entry has the names of the changed fields, but never their values.
 */

import type { AnswerInput } from '~/forms/questionnaire-rules.ts'
import { type UserChanges, updateUserForm } from '~/forms/users.ts'
import { emailKey, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { actsAsAdmin, type Ctx, requireSelfOrAdmin } from '../context.ts'
import { Invalid, NotFound, requireThat } from '../errors.ts'
import { parseInput } from '../input.ts'
import { ensureUniversity } from '../institutions/institutions.server.ts'
import { projectFacets, saveUserAnswers } from '../questionnaire/questionnaire.server.ts'
import { refuseTakenEmail, requireUnreserved } from './addresses.server.ts'
import { findPlanToGive } from './user-state.server.ts'

export type UserUpdate = UserChanges & { userUid: string; answers?: AnswerInput[] | null }

/** The effect on other domains: `emailBefore` is the previous address, or null if the address has not changed. */
type UpdatedUser = { id: number; emailBefore: string | null }

/**
 * Makes all of the changes or none. With `mayChangeEmail` the caller confirms that the address may change: people prove
 * who they are before they change their own, which the accounts domain checks. Throws Conflict if another account of
 * the site has the address.
 */
export async function updateUserRecord(
  ctx: Ctx,
  input: UserUpdate,
  options: { mayChangeEmail: boolean },
): Promise<UpdatedUser> {
  requireSelfOrAdmin(ctx, input.userUid, 'write')
  const changes = parseInput(updateUserForm, input)
  const { university, accessPlanUid, subscriptionType } = changes
  const isStaffOnly = [university, accessPlanUid, subscriptionType].some(
    (value) => value !== undefined && value !== null,
  )
  requireThat(!isStaffOnly || actsAsAdmin(ctx))
  return inTransaction(ctx, async (ctx) => {
    const user = await lockUser(ctx, input.userUid)
    const fields = await writeNames(ctx, user, changes, options)
    if (fields.includes('email')) await requireUnreserved(ctx, { userUids: [user.uid] })
    if (typeof university === 'string' && (await moveToUniversity(ctx, user, university))) fields.push('university')
    fields.push(...(await writeSubscription(ctx, user, { accessPlanUid, subscriptionType })))
    if (input.answers && input.answers.length > 0) {
      await saveUserAnswers(ctx, { userUid: user.uid, answers: input.answers })
      fields.push('answers')
    } else if (isStaffOnly) await projectFacets(ctx, { userUid: user.uid })
    if (fields.length > 0) {
      const revision = await raiseRevision(ctx, user)
      await recordAudit(ctx, {
        action: 'user.updated',
        entity: 'user',
        entityUid: user.uid,
        after: { fields, revision },
      })
    }
    return { id: user.id, emailBefore: fields.includes('email') ? user.email : null }
  }).catch(refuseTakenEmail)
}

/** Somebody who has the person's form open is told of the change when they save. */
async function raiseRevision(ctx: Ctx, user: LockedUser): Promise<number> {
  const { revision } = await ctx.db
    .updateTable('users')
    .set((eb) => ({ revision: eb('revision', '+', 1), updated_at: ctx.now }))
    .where('id', '=', user.id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

type LockedUser = Awaited<ReturnType<typeof lockUser>>
type Changes = ReturnType<typeof updateUserForm.parse>

async function lockUser(ctx: Ctx, userUid: string) {
  const row = isUid(userUid)
    ? await ctx.db
        .selectFrom('users')
        .select(['id', 'uid', 'email', 'first_name as firstName', 'last_name as lastName', 'university_id'])
        .where('site_id', '=', ctx.site.id)
        .where('uid', '=', userUid)
        .where('erased_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  return { ...row, email: row.email ?? '', firstName: row.firstName ?? '', lastName: row.lastName ?? '' }
}

/** Writes names and address. Returns the names of the changed fields. */
async function writeNames(
  ctx: Ctx,
  user: LockedUser,
  changes: Changes,
  { mayChangeEmail }: { mayChangeEmail: boolean },
): Promise<string[]> {
  const names = {
    firstName: changes.firstName ?? user.firstName,
    lastName: changes.lastName ?? user.lastName,
    email: changes.email ?? user.email,
  }
  const fields = (['firstName', 'lastName', 'email'] as const).filter((field) => names[field] !== user[field])
  if (fields.length === 0) return []
  requireThat(mayChangeEmail || !fields.includes('email'))
  const { firstName, lastName, email } = names
  await ctx.db
    .updateTable('users')
    .set({
      first_name: firstName,
      last_name: lastName,
      ...(fields.includes('email') && { email, email_key: emailKey(email) }),
      search_key: searchKey(`${firstName} ${lastName} ${email}`),
      updated_at: ctx.now,
    })
    .where('id', '=', user.id)
    .execute()
  return fields
}

async function moveToUniversity(ctx: Ctx, user: LockedUser, name: string): Promise<boolean> {
  const { uid } = await ensureUniversity(ctx, { name })
  const moved = await ctx.db
    .updateTable('users')
    .from('universities')
    .set((eb) => ({ university_id: eb.ref('universities.id'), updated_at: ctx.now }))
    .where('universities.uid', '=', uid)
    .where('users.id', '=', user.id)
    .where('users.university_id', 'is distinct from', (eb) => eb.ref('universities.id'))
    .executeTakeFirst()
  return moved.numUpdatedRows > 0n
}

/** Writes plan and type. A person without a subscription needs both. */
async function writeSubscription(
  ctx: Ctx,
  user: LockedUser,
  { accessPlanUid, subscriptionType }: Pick<Changes, 'accessPlanUid' | 'subscriptionType'>,
): Promise<string[]> {
  if (!accessPlanUid && !subscriptionType) return []
  const before = await ctx.db
    .selectFrom('subscriptions')
    .select(['access_plan_id as planId', 'type'])
    .where('user_id', '=', user.id)
    .forUpdate()
    .executeTakeFirst()
  const given = accessPlanUid ? await findPlanToGive(ctx, accessPlanUid, { planId: before?.planId }) : null
  const plan = given?.id ?? before?.planId
  const type = subscriptionType ?? before?.type
  if (plan === undefined) throw new Invalid('Access Plan is required', { accessPlanUid: 'Access Plan is required' })
  if (type === undefined) {
    throw new Invalid('Subscription Type is required', { subscriptionType: 'Subscription Type is required' })
  }
  const fields = [
    ...(plan === before?.planId ? [] : ['accessPlanUid']),
    ...(type === before?.type ? [] : ['subscriptionType']),
  ]
  if (fields.length === 0) return []
  await ctx.db
    .insertInto('subscriptions')
    .values({ site_id: ctx.site.id, user_id: user.id, type, access_plan_id: plan })
    .onConflict((oc) =>
      oc.column('user_id').doUpdateSet((eb) => ({
        type: eb.ref('excluded.type'),
        access_plan_id: eb.ref('excluded.access_plan_id'),
        updated_at: ctx.now,
      })),
    )
    .execute()
  return fields
}
