/**
 * The schedule: content that is published or unpublished at a set time. A change happens exactly once, in the
 * transaction that marks it as done, under the name of the person who planned it. What its domain refuses at that time is
 * marked as failed, with the reason.
 */
import { type RawBuilder, sql } from 'kysely'
import { type ScheduledAction, type ScheduledKind, scheduledKinds, scheduleForm } from '~/forms/schedule.ts'
import { formatMoment } from '~/lib/dates.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { actsAsStaff, type Ctx, requireStaff } from '../context.ts'
import { Conflict, Invalid, NotFound, ServiceError } from '../errors.ts'
import { parseInput } from '../input.ts'
import { workThroughDue } from '../queue/work-through-due.server.ts'
import { daysAgo } from '../restorable.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { publishers } from './publishers.ts'

type Item = { kind: ScheduledKind; itemUid: string }

export type ScheduledChange = Item & {
  uid: string
  /** The name of the content; null if it is gone. */
  name: string | null
  action: ScheduledAction
  at: Date
  /** Who planned it; empty for the operator and for an account that is gone. */
  plannedBy: string
  endedAt: Date | null
  result: 'done' | 'failed' | 'canceled' | null
  /** Why it failed. */
  problem: string | null
}

/** Plans a change. A waiting change of the same content and action moves to the new time. */
export async function scheduleChange(
  ctx: Ctx,
  input: Item & { action: string; at: string | Date },
): Promise<ScheduledChange> {
  requireStaff(ctx, 'write')
  const at = input.at instanceof Date ? input.at.toISOString() : input.at
  const form = scheduleForm({ timeZone: ctx.site.timeZone, now: ctx.now })
  const values = parseInput(form, { action: input.action, at })
  return inTransaction(ctx, async (ctx) => {
    const { kind } = input
    const itemUid = await lockItem(ctx, input)
    if (values.action === 'unpublish') await requireUnpublishable(ctx, { kind, itemUid })
    const { uid } = await ctx.db
      .insertInto('scheduled_changes')
      .values({
        site_id: ctx.site.id,
        kind,
        item_uid: itemUid,
        action: values.action,
        at: values.at,
        created_by: ctx.viewer?.id ?? null,
        created_at: ctx.now,
      })
      .onConflict((oc) =>
        oc
          .columns(['site_id', 'kind', 'item_uid', 'action'])
          .where('ended_at', 'is', null)
          .doUpdateSet((eb) => ({ at: eb.ref('excluded.at'), created_by: eb.ref('excluded.created_by') })),
      )
      .returning('uid')
      .executeTakeFirstOrThrow()
    await recordAudit(ctx, { action: `${kind}.scheduled`, entity: kind, entityUid: itemUid, after: values })
    return getChange(ctx, uid)
  })
}

/** A draft can be unpublished later only if it is to be published before. */
async function requireUnpublishable(ctx: Ctx, item: Item): Promise<void> {
  if ((await getItemToSchedule(ctx, item)).canUnpublish) return
  const sentence = 'This is a draft. Please schedule first when it is published.'
  throw new Invalid(sentence, { action: sentence })
}

/** Throws NotFound for content that is gone or belongs to another site. Keeps it from being deleted meanwhile. */
async function lockItem(ctx: Ctx, { kind, itemUid }: Item): Promise<string> {
  if (!scheduledKinds.includes(kind) || !isUid(itemUid)) throw new NotFound()
  const { rows } = await sql<{ uid: string }>`
    select uid from ${sql.table(`${kind}s`)}
    where uid = ${itemUid} and site_id = ${ctx.site.id} and deleted_at is null for key share`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0].uid
}

/** Returns the name and the state of content that can be scheduled. For staff. Throws NotFound if it is gone. */
export async function getItemToSchedule(ctx: Ctx, { kind, itemUid }: Item): Promise<ItemToSchedule> {
  requireStaff(ctx)
  if (!isUid(itemUid)) throw new NotFound()
  const isVersioned = kind === 'course' || kind === 'module'
  const isPublished = isVersioned
    ? sql`published_version_id is not null and published_version_id = latest_version_id`
    : sql`status = 'published'`
  const isLive = isVersioned ? sql`published_version_id is not null` : isPublished
  const { rows } = await sql<ItemToSchedule>`
    select uid, name, ${isPublished} as "isPublished", ${isLive} or exists (
      select from scheduled_changes change where change.site_id = item.site_id and change.kind = ${kind}
        and change.item_uid = item.uid and change.ended_at is null) as "canUnpublish"
    from ${sql.table(`${kind}s`)} item
    where uid = ${itemUid} and site_id = ${ctx.site.id} and deleted_at is null`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

/** `canUnpublish`: learners see it, or a change is planned for it. */
type ItemToSchedule = { uid: string; name: string; isPublished: boolean; canUnpublish: boolean }

/**
 * Cancels a change that is waiting. `shownAt` is the time, in milliseconds, that was shown beside the button. Throws
 * Conflict if the change has happened, was canceled, or has another time by now.
 */
export async function cancelScheduledChange(
  ctx: Ctx,
  input: { changeUid: string; shownAt?: number },
): Promise<ScheduledChange> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { uid } = await getChange(ctx, input.changeUid)
    await lockChange(ctx, uid)
    const change = await getChange(ctx, uid)
    const { kind, itemUid, action, at } = change
    if (change.result !== null) throw new Conflict('schedule.ended', 'This has happened already, or was canceled.')
    if (input.shownAt !== undefined && input.shownAt !== at.getTime()) {
      const time = formatMoment(at, ctx.site.timeZone)
      throw new Conflict('schedule.moved', `Somebody has moved this to ${time}. It has not been canceled.`)
    }
    await ctx.db
      .updateTable('scheduled_changes')
      .set({ ended_at: ctx.now, result: 'canceled' })
      .where('uid', '=', uid)
      .execute()
    const before = { action, at }
    await recordAudit(ctx, { action: `${kind}.schedule_canceled`, entity: kind, entityUid: itemUid, before })
    return getChange(ctx, change.uid)
  })
}

/**
 * Plans a canceled change again, at its time and under the name of whoever planned it. Throws Conflict if that time has
 * passed, or if the same has been planned since.
 */
export async function restoreScheduledChange(ctx: Ctx, input: { changeUid: string }): Promise<ScheduledChange> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { uid, kind, itemUid, action } = await getChange(ctx, input.changeUid)
    await lockItem(ctx, { kind, itemUid })
    await lockChange(ctx, uid)
    const change = await getChange(ctx, uid)
    const { at, result } = change
    if (result === null) return change
    if (result !== 'canceled') throw new Conflict('schedule.ended', 'This has happened already.')
    if (at <= ctx.now) throw new Conflict('schedule.late', 'The time of this change has passed. Please plan it again.')
    if (action === 'unpublish') await requireUnpublishable(ctx, { kind, itemUid })
    await ctx.db
      .updateTable('scheduled_changes')
      .set({ ended_at: null, result: null })
      .where('uid', '=', uid)
      .execute()
      .catch((error: { code?: string }) => {
        // Only one change of its kind waits for each content.
        throw error.code === '23505'
          ? new Conflict('schedule.planned', 'This has been planned again since. Please change its time there.')
          : error
      })
    await recordAudit(ctx, { action: `${kind}.scheduled`, entity: kind, entityUid: itemUid, after: { action, at } })
    return getChange(ctx, uid)
  })
}

async function lockChange(ctx: Ctx, uid: string): Promise<void> {
  await sql`select from scheduled_changes where uid = ${uid} for update`.execute(ctx.db)
}

async function getChange(ctx: Ctx, uid: string): Promise<ScheduledChange> {
  const [change] = isUid(uid) ? await readChanges(ctx, sql`change.uid = ${uid}`, sql`limit 1`) : []
  if (!change) throw new NotFound()
  return change
}

/** Returns the changes of one content that are waiting, the next one first. */
export async function listWaitingChanges(ctx: Ctx, { kind, itemUid }: Item): Promise<ScheduledChange[]> {
  requireStaff(ctx)
  if (!isUid(itemUid)) return []
  const ofItem = sql`change.kind = ${kind} and change.item_uid = ${itemUid} and change.ended_at is null`
  return readChanges(ctx, ofItem, sql`order by change.at limit 2`)
}

type SchedulePage = { items: ScheduledChange[]; total: number; page: number }

/** Lists what is waiting, the next change first, and then what ended in the last thirty days, the latest first. */
export async function listScheduledChanges(ctx: Ctx, input: { page: number; size: number }): Promise<SchedulePage> {
  requireStaff(ctx)
  const shown = sql`(change.ended_at is null or change.ended_at > ${daysAgo(ctx, 30)})`
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from scheduled_changes change where change.site_id = ${ctx.site.id} and ${shown}`.execute(
    ctx.db,
  )
  const page = Number.isSafeInteger(input.page) && input.page > 0 ? input.page : 1
  const items = await readChanges(
    ctx,
    shown,
    sql`
      order by change.ended_at is not null, case when change.ended_at is null then change.at end,
        change.ended_at desc, change.id
      limit ${input.size} offset ${(page - 1) * input.size}`,
  )
  return { items, total: rows[0]?.total ?? 0, page }
}

async function readChanges(ctx: Ctx, which: RawBuilder<unknown>, rest: RawBuilder<unknown>) {
  const nameIn = (kind: ScheduledKind) => sql`
    (select item.name from ${sql.table(`${kind}s`)} item
      where change.kind = ${kind} and item.uid = change.item_uid and item.deleted_at is null)`
  const { rows } = await sql<ScheduledChange>`
    select change.uid, change.kind, change.item_uid as "itemUid", change.action, change.at,
      coalesce(${sql.join(scheduledKinds.map(nameIn))}) as name,
      coalesce(trim(users.first_name || ' ' || users.last_name), '') as "plannedBy",
      change.ended_at as "endedAt", change.result, change.problem
    from scheduled_changes change left join users on users.id = change.created_by
    where change.site_id = ${ctx.site.id} and ${which} ${rest}`.execute(ctx.db)
  return rows
}

/** The job: makes the changes of the site whose time has come, in their order. */
export async function runScheduledChanges(ctx: Ctx): Promise<{ done: number; failed: number }> {
  const counts = { done: 0, failed: 0 }
  const failure = 'a scheduled change could not be made'
  for (const result of await workThroughDue(ctx, { take: takeDueChange, run: runChange, failure })) counts[result] += 1
  return counts
}

type DueChange = Item & { id: number; action: ScheduledAction; createdBy: number | null }

async function takeDueChange(ctx: Ctx, except: number[]): Promise<DueChange | undefined> {
  const { rows } = await sql<DueChange>`
    select id, kind, item_uid as "itemUid", action, created_by as "createdBy" from scheduled_changes
    where site_id = ${ctx.site.id} and ended_at is null and at <= ${ctx.now} and id <> all(${except}::bigint[])
    order by at, id limit 1 for update skip locked`.execute(ctx.db)
  return rows[0]
}

async function runChange(ctx: Ctx, change: DueChange): Promise<'done' | 'failed'> {
  const { id, kind, itemUid, action, createdBy } = change
  let problem: string | null = null
  await sql`savepoint scheduled_change`.execute(ctx.db)
  try {
    await publishers[kind](await contextOfPlanner(ctx, createdBy), itemUid, action)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    await sql`rollback to savepoint scheduled_change`.execute(ctx.db)
    problem = error instanceof NotFound ? 'It has been removed.' : error.message
  }
  const result = problem === null ? 'done' : 'failed'
  await ctx.db
    .updateTable('scheduled_changes')
    .set({ ended_at: ctx.now, result, problem: problem?.slice(0, 1000) ?? null })
    .where('id', '=', id)
    .execute()
  return result
}

/** The person who planned a change makes it. If they may no longer do so, the plan still holds, and the operator makes it. */
async function contextOfPlanner(ctx: Ctx, userId: number | null): Promise<Ctx> {
  const viewer = userId === null ? null : await findViewer(ctx, { userId })
  const planner = { ...ctx, viewer }
  return actsAsStaff(planner) ? planner : { ...ctx, viewer: null, isOperator: true }
}
