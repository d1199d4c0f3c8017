/**
 * Renewing access in bulk: everybody on a plan whose access ends soon, or has ended lately, gets some more days. They
 * count from the present end, or from today where access has ended. A job works through the people by id, a hundred in
 * one transaction, so each gets the days once, whatever happens to the job.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import { durationInDays } from '~/forms/access-duration.ts'
import { type RenewalWindow, renewAccessForm } from '~/forms/plans.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import {
  endBulkOperation,
  findBulkOperation,
  findBulkWork,
  lockBulkWork,
  startBulkOperation,
} from '../bulk/bulk.server.ts'
import { recordBulkItems } from '../bulk/work-through-items.server.ts'
import { actsAsAdmin, type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { queue } from '../queue/queue.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { daysBefore, isOfSite, tabConditions } from './table-entries.server.ts'

const kind = 'renew-access'
const batch = 100
const endedWithin = 90

/** Whom a renewal is for: access that ends in this period. */
type Period = { endsAfter: Date; endsUntil: Date }

function periodOf(ctx: Ctx, window: RenewalWindow): Period {
  return window === 'ended'
    ? { endsAfter: daysBefore(ctx, endedWithin), endsUntil: ctx.now }
    : { endsAfter: ctx.now, endsUntil: daysBefore(ctx, -Number(window)) }
}

export type PlannedRenewal = { plan: { uid: string; name: string }; learners: number; days: number }

/** Counts whom a renewal would be for, for admins. */
export async function planRenewal(
  ctx: Ctx,
  input: z.input<typeof renewAccessForm> & { planUid: string },
): Promise<PlannedRenewal> {
  requireAdmin(ctx)
  const { window, duration, unit } = parseInput(renewAccessForm, input)
  const { id, ...plan } = await getPlan(ctx, input.planUid)
  const { rows } = await sql<{ learners: number }>`
    select count(*)::int as learners from users join subscriptions on subscriptions.user_id = users.id
    where ${isToBeRenewed(ctx, id, periodOf(ctx, window))}`.execute(ctx.db)
  return { plan, learners: rows[0]?.learners ?? 0, days: durationInDays(duration, unit) }
}

/**
 * Begins a renewal as a bulk operation, for admins. While one runs for the plan, they get that one. With a `uid` made by
 * the client, a request that is sent again renews nothing again.
 */
export async function renewAccess(
  ctx: Ctx,
  input: z.input<typeof renewAccessForm> & { planUid: string; uid?: string },
): Promise<{ operationUid: string }> {
  requireAdmin(ctx, 'write')
  const { window } = parseInput(renewAccessForm, input)
  const renewalUid = newUid(input.uid)
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name } = await getPlan(ctx, input.planUid, { isLocked: true })
    const latest = await findBulkOperation(ctx, { kind, subjectUid: uid })
    if (latest && (latest.status === 'running' || (await isRepeated(ctx, { uid: renewalUid, planId: id })))) {
      return { operationUid: latest.uid }
    }
    const { learners, days } = await planRenewal(ctx, input)
    if (learners === 0) throw new Conflict('access_plan.nobody', 'Nobody is left whose access could be renewed.')
    await writeRenewal(ctx, { uid: renewalUid, planId: id, days, ...periodOf(ctx, window) })
    const operation = await startBulkOperation(ctx, { kind, subjectUid: uid, total: learners })
    await queueBatch(ctx, operation.uid)
    await recordAudit(ctx, {
      action: 'access_plan.renewed',
      entity: 'access_plan',
      entityUid: uid,
      after: { name, learners, days },
    })
    return { operationUid: operation.uid }
  })
}

async function isRepeated(ctx: Ctx, { uid, planId }: { uid: string; planId: number }): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('access_renewals')
    .select('uid')
    .where('uid', '=', uid)
    .where('access_plan_id', '=', planId)
    .executeTakeFirst()
  return row !== undefined
}

/** A plan has one renewal at a time, so the newest one is the one that its running operation is about. */
async function writeRenewal(ctx: Ctx, renewal: Period & { uid: string; planId: number; days: number }): Promise<void> {
  const { uid, planId, days, endsAfter, endsUntil } = renewal
  const { numInsertedOrUpdatedRows } = await ctx.db
    .insertInto('access_renewals')
    .values({
      uid,
      site_id: ctx.site.id,
      access_plan_id: planId,
      ends_after: endsAfter,
      ends_until: endsUntil,
      days,
      created_at: ctx.now,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .executeTakeFirstOrThrow()
  // Another plan has a renewal with this uid.
  if (!numInsertedOrUpdatedRows) throw new NotFound()
}

/** Job: renews the access of the next people and queues itself again. `most` is for tests. */
export async function renewNextPeople(
  ctx: Ctx,
  input: { operationUid: string; most?: number },
): Promise<{ renewed: number; isDone: boolean }> {
  const { operationUid, most = batch } = input
  const nothing = { renewed: 0, isDone: true }
  const begun = await findBulkWork(ctx, { operationUid })
  if (begun?.kind !== kind) return nothing
  const viewer = begun.createdById === null ? null : await findViewer(ctx, { userId: begun.createdById })
  const acting = { ...ctx, viewer }
  if (!viewer || !actsAsAdmin(acting)) {
    await endBulkOperation(ctx, { operationUid, status: 'canceled' })
    return nothing
  }
  return inTransaction(acting, async (ctx) => {
    const work = await lockBulkWork(ctx, { operationUid })
    const renewal = work && (await findRenewal(ctx, work.subjectUid))
    if (!work || !renewal) return nothing
    const people = await renewBatch(ctx, renewal, { after: work.cursor, most })
    await recordAudit(
      ctx,
      ...people.map(({ uid, revision }) => ({
        action: 'user.updated',
        entity: 'user',
        entityUid: uid,
        after: { fields: ['access'], revision },
      })),
    )
    const items = people.map(({ uid, label }) => ({ uid, label, outcome: 'changed' as const }))
    await recordBulkItems(ctx, { operationUid, after: work.cursor, items })
    const isDone = people.length < most
    if (isDone) await endBulkOperation(ctx, { operationUid, status: 'done' })
    else await queueBatch(ctx, operationUid)
    return { renewed: people.length, isDone }
  })
}

type Renewal = Period & { planId: number; days: number }

async function findRenewal(ctx: Ctx, planUid: string): Promise<Renewal | undefined> {
  return await ctx.db
    .selectFrom('access_renewals as r')
    .innerJoin('access_plans as p', 'p.id', 'r.access_plan_id')
    .select(['r.access_plan_id as planId', 'r.ends_after as endsAfter', 'r.ends_until as endsUntil', 'r.days'])
    .where('p.site_id', '=', ctx.site.id)
    .where('p.uid', '=', planUid)
    .orderBy('r.number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Renews the access of the next people behind `after`, by id, and returns them in that order. */
async function renewBatch(
  ctx: Ctx,
  { planId, days, ...period }: Renewal,
  { after, most }: { after: string | null; most: number },
): Promise<{ uid: string; label: string; revision: number }[]> {
  const { rows } = await sql<{ uid: string; label: string; revision: number }>`
    with chosen as materialized (
      select users.id from users join subscriptions on subscriptions.user_id = users.id
      where ${isToBeRenewed(ctx, planId, period)}
        and users.id > coalesce((select id from users where uid = ${after}::uuid), 0)
      order by users.id limit ${most} for update of users),
    renewed as (
      update subscriptions
      set valid_to = greatest(valid_to, ${ctx.now}) + make_interval(days => ${days}), updated_at = ${ctx.now}
      from chosen where subscriptions.user_id = chosen.id)
    update users set revision = revision + 1, updated_at = ${ctx.now} from chosen where users.id = chosen.id
    returning users.uid, users.revision, users.id,
      coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email) as label`.execute(
    ctx.db,
  )
  return (rows as ((typeof rows)[number] & { id: number })[])
    .sort((one, other) => one.id - other.id)
    .map(({ id: _, ...person }) => person)
}

function isToBeRenewed(ctx: Ctx, planId: number, { endsAfter, endsUntil }: Period): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isOfSite(ctx)} and ${tabConditions.learners} and subscriptions.access_plan_id = ${planId}
    and subscriptions.valid_to > ${endsAfter} and subscriptions.valid_to <= ${endsUntil})`
}

async function getPlan(ctx: Ctx, planUid: string, { isLocked } = { isLocked: false }) {
  const query = ctx.db
    .selectFrom('access_plans')
    .select(['id', 'uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', planUid)
  const plan = isUid(planUid) ? await (isLocked ? query.forUpdate() : query).executeTakeFirst() : undefined
  if (!plan) throw new NotFound()
  return plan
}

async function queueBatch(ctx: Ctx, operationUid: string): Promise<void> {
  await queue(ctx, kind, { operationUid }, { key: `${kind}:${operationUid}` })
}
