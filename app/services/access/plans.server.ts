/** Access plans ("Groups with access"). Their names are unique on a site, ignoring case. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { type PlanValues, planForm } from '~/forms/plans.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { changedFields, mergeSave, pickFields } from '../revisions.ts'

type AccessPlan = { uid: string; name: string; isRetired: boolean }

type PlanQuery = {
  publicOnly?: boolean
  /** Leaves out retired plans, which nobody gets any more, except for this one. */
  offeredOr?: string
}

/** Lists the plans of the site by name. They are not secret: every public pricing page shows them. */
export async function listAccessPlans(ctx: Ctx, { publicOnly, offeredOr }: PlanQuery = {}): Promise<AccessPlan[]> {
  let query = ctx.db
    .selectFrom('access_plans')
    .select(['uid', 'name', sql<boolean>`retired_at is not null`.as('isRetired')])
    .where('site_id', '=', ctx.site.id)
    .orderBy('name')
  if (publicOnly) query = query.where('is_public', '=', true).where('retired_at', 'is', null)
  const plans = await query.execute()
  return offeredOr === undefined ? plans : plans.filter(({ uid, isRetired }) => !isRetired || uid === offeredOr)
}

/** A plan as its form shows it, with the revision to send back. */
export type PlanToEdit = PlanValues & { uid: string; revision: number; isRetired: boolean }

/** Returns a plan for its form, for admins. */
export async function getAccessPlan(ctx: Ctx, input: { planUid: string }): Promise<PlanToEdit> {
  requireAdmin(ctx)
  const { id: _, ...plan } = await getRow(ctx, input.planUid)
  return plan
}

/**
 * Creates a plan, for admins. With a `uid` made by the client, a repeated request creates only one plan. What has been
 * typed since the first request, whose answer was lost, is saved as a change of that plan.
 */
export async function createAccessPlan(
  ctx: Ctx,
  input: z.input<typeof planForm> & { uid?: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  const values = parseInput(planForm, input)
  const { name, isPublic } = values
  const uid = newUid(input.uid)
  return inTransaction(ctx, async (ctx) => {
    const inserted = await ctx.db
      .insertInto('access_plans')
      .values({ uid, site_id: ctx.site.id, name, is_public: isPublic, created_at: ctx.now })
      .onConflict((oc) => oc.doNothing())
      .executeTakeFirstOrThrow()
    if (!inserted.numInsertedOrUpdatedRows) {
      const repeated = await findRow(ctx, uid)
      if (repeated) {
        const { name } = await updateAccessPlan(ctx, { ...values, planUid: uid, revision: 0 })
        return { uid, name }
      }
      throw nameIsTaken(name)
    }
    await recordAudit(ctx, {
      action: 'access_plan.created',
      entity: 'access_plan',
      entityUid: uid,
      after: { name, isPublic, revision: 0 },
    })
    return { uid, name }
  })
}

/**
 * Renames a plan, or changes whether it is public, for admins. With the `revision` at which a form was opened, the change
 * is merged with what others have saved since (ChangedMeanwhile).
 */
export async function updateAccessPlan(
  ctx: Ctx,
  input: z.input<typeof planForm> & { planUid: string; revision?: number },
): Promise<{ name: string; keptOfOthers: string[] }> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(planForm, input)
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, revision, name, isPublic } = await getRow(ctx, input.planUid, { isLocked: true })
    const state = { name, isPublic }
    const { changes, keptOfOthers } = await mergeSave<PlanValues>(ctx, {
      entity: 'access_plan',
      entityUid: uid,
      subject: 'this plan',
      now: { state, revision },
      revision: input.revision,
      mine,
      describe: (field, now) =>
        field === 'name' ? `It is now “${now.name}”.` : now.isPublic ? 'It is public now.' : 'It is not public now.',
    })
    const fields = changedFields(state, changes)
    const next = { ...state, ...changes }
    if (fields.length === 0) return { name, keptOfOthers }
    await ctx.db
      .updateTable('access_plans')
      .set({ name: next.name, is_public: next.isPublic, revision: revision + 1 })
      .where('id', '=', id)
      .execute()
      .catch((error: { code?: string }) => {
        throw error.code === '23505' ? nameIsTaken(next.name) : error
      })
    await recordAudit(ctx, {
      action: 'access_plan.updated',
      entity: 'access_plan',
      entityUid: uid,
      before: pickFields(state, fields),
      after: { ...changes, revision: revision + 1 },
    })
    return { name: next.name, keptOfOthers }
  })
}

/**
 * Retires a plan or offers it again, for admins. Nobody gets a retired plan any more. People who have it keep it until
 * their access ends, and content stays in it. The second time, nothing changes.
 */
export async function retireAccessPlan(
  ctx: Ctx,
  input: { planUid: string; isRetired: boolean },
): Promise<{ name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name, isRetired } = await getRow(ctx, input.planUid, { isLocked: true })
    if (isRetired === input.isRetired) return { name }
    await ctx.db
      .updateTable('access_plans')
      .set({ retired_at: input.isRetired ? ctx.now : null })
      .where('id', '=', id)
      .execute()
    await recordAudit(ctx, {
      action: input.isRetired ? 'access_plan.retired' : 'access_plan.offered_again',
      entity: 'access_plan',
      entityUid: uid,
    })
    return { name }
  })
}

type Row = PlanToEdit & { id: number }

async function getRow(ctx: Ctx, planUid: string, options?: { isLocked: boolean }): Promise<Row> {
  const row = isUid(planUid) ? await findRow(ctx, planUid, options) : undefined
  if (!row) throw new NotFound()
  return row
}

async function findRow(ctx: Ctx, uid: string, { isLocked } = { isLocked: false }): Promise<Row | undefined> {
  const query = ctx.db
    .selectFrom('access_plans')
    .select(['id', 'uid', 'name', 'is_public as isPublic', 'revision'])
    .select(sql<boolean>`retired_at is not null`.as('isRetired'))
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
  return (isLocked ? query.forUpdate() : query).executeTakeFirst()
}

function nameIsTaken(name: string): Conflict {
  const problem = `There is already a plan “${name}”.`
  return new Conflict('access_plan.taken', problem, { name: problem })
}
