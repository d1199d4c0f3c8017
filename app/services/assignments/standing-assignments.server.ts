/**
 * Standing assignments of audiences: whoever joins an audience later gets what was assigned to its people. A job looks for
 * them every ten minutes. Each person has one turn.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { findAudience, getAudienceRule } from '../audiences/audiences.server.ts'
import { peopleOfAudience } from '../audiences/people.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { insertPairs, type Plan } from './pairs.server.ts'

/** Begins to assign to whoever joins the audience from now on. Those who were selected have had their turn. */
export async function recordStanding(
  ctx: Ctx,
  input: Plan & { operationUid: string; audienceUid: string },
): Promise<void> {
  requireAdmin(ctx, 'write')
  const { uid } = await getAudienceRule(ctx, input)
  const { rows } = await sql<{ id: number }>`
    insert into standing_assignments
      (site_id, audience_id, operation_uid, module_uids, course_uids, due_on, note, created_by, created_at)
    select site_id, id, ${input.operationUid}::uuid, ${input.moduleUids}::uuid[], ${input.courseUids}::uuid[],
      ${input.dueOn}::date, ${input.note}, ${ctx.viewer?.id ?? null}::bigint, ${ctx.now}::timestamptz
    from audiences where uid = ${uid} and site_id = ${ctx.site.id}
    returning id`.execute(ctx.db)
  await sql`
    insert into standing_assignment_people (standing_id, user_id, site_id)
    select ${rows[0]?.id}::bigint, users.id, users.site_id from bulk_operations operation
    join bulk_items chosen on chosen.operation_id = operation.id
    join users on users.uid = chosen.item_uid and users.site_id = operation.site_id
    where operation.site_id = ${ctx.site.id} and operation.uid = ${input.operationUid}`.execute(ctx.db)
  await recordAudit(ctx, {
    action: 'audience.assigning_begun',
    entity: 'audience',
    entityUid: uid,
    after: { moduleUids: input.moduleUids, courseUids: input.courseUids },
  })
}

export type StandingAssignment = {
  uid: string
  createdAt: Date
  dueOn: string | null
  /** The names of what is still there. */
  items: string[]
  /** How many people have joined since and got it. */
  joined: number
}

const mostListed = 100

/** Lists what whoever joins an audience gets, the newest first, for admins. */
export async function listStandingAssignments(ctx: Ctx, input: { audienceUid: string }): Promise<StandingAssignment[]> {
  requireAdmin(ctx)
  if (!isUid(input.audienceUid)) throw new NotFound()
  const { rows } = await sql<StandingAssignment>`
    select standing.uid, standing.created_at as "createdAt", standing.due_on::text as "dueOn", standing.joined,
      array(
        select name::text from (
          select name, name_key from modules where uid = any(standing.module_uids) and deleted_at is null
          union all
          select name, name_key from courses where uid = any(standing.course_uids) and deleted_at is null) item
        order by name_key) as items
    from standing_assignments standing join audiences on audiences.id = standing.audience_id
    where standing.site_id = ${ctx.site.id} and audiences.uid = ${input.audienceUid}
    order by standing.created_at desc, standing.id desc limit ${mostListed}`.execute(ctx.db)
  return rows
}

/** Stops assigning to whoever joins, for admins. What people have got stays. */
export async function stopStandingAssignment(
  ctx: Ctx,
  input: { audienceUid: string; standingUid: string },
): Promise<void> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.audienceUid) || !isUid(input.standingUid)) throw new NotFound()
  await inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string }>`
      delete from standing_assignments standing using audiences
      where audiences.id = standing.audience_id and audiences.uid = ${input.audienceUid}
        and standing.uid = ${input.standingUid} and standing.site_id = ${ctx.site.id}
      returning audiences.uid`.execute(ctx.db)
    const [audience] = rows
    if (!audience) throw new NotFound('This has been stopped already.')
    await recordAudit(ctx, { action: 'audience.assigning_stopped', entity: 'audience', entityUid: audience.uid })
  })
}

/** Stops what an operation has begun for whoever joins, as part of undoing it. */
export async function stopStandingOf(ctx: Ctx, input: { operationUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  await ctx.db
    .deleteFrom('standing_assignments')
    .where('site_id', '=', ctx.site.id)
    .where('operation_uid', '=', input.operationUid)
    .execute()
}

const peopleAtOnce = 500

/**
 * Job: assigns to whoever has joined an audience. Each standing assignment is a query of its own, because each audience
 * is another rule. `most` is for tests.
 */
export async function assignToJoined(ctx: Ctx, input: { most?: number } = {}): Promise<{ joined: number }> {
  const { most = peopleAtOnce } = input
  const standing = await ctx.db
    .selectFrom('standing_assignments')
    .innerJoin('audiences', 'audiences.id', 'standing_assignments.audience_id')
    .select(['standing_assignments.uid', 'audiences.uid as audienceUid'])
    .where('standing_assignments.site_id', '=', ctx.site.id)
    .where('audiences.deleted_at', 'is', null)
    .orderBy('standing_assignments.id')
    .execute()
  let joined = 0
  for (const { uid, audienceUid } of standing) {
    // One audience that takes too long to find may not keep the others waiting.
    try {
      for (;;) {
        const count = await assignToNext(ctx, { uid, audienceUid, most })
        joined += count
        if (count < most) break
      }
    } catch (error) {
      ctx.log.error({ err: error, standing: uid }, 'a standing assignment failed')
    }
  }
  return { joined }
}

type Next = { uid: string; audienceUid: string; most: number }

/** One transaction: a job that is killed has given everything to these people, or nothing. */
async function assignToNext(ctx: Ctx, { uid, audienceUid, most }: Next): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const standing = await lockStanding(ctx, uid)
    const audience = standing && (await findAudience(ctx, { audienceUid }))
    if (!standing || !audience) return 0
    const { rows } = await sql<{ id: number; uid: string }>`
      with fresh as materialized (
        select users.id, users.uid from users
        where users.id in (${peopleOfAudience(ctx, audience)}) and not exists (
          select from standing_assignment_people done
          where done.standing_id = ${standing.id} and done.user_id = users.id)
        order by users.id limit ${most} for share of users),
      noted as (
        insert into standing_assignment_people (standing_id, user_id, site_id)
        select ${standing.id}, id, ${ctx.site.id} from fresh)
      select id, uid from fresh`.execute(ctx.db)
    if (rows.length === 0) return 0
    const plan = {
      ...standing,
      dueOn: dueFor(ctx, standing.dueOn),
      operationUid: null,
      userIds: rows.map(({ id }) => id),
    }
    for (const kind of ['module', 'course'] as const) {
      const itemUids = standing[`${kind}Uids`]
      if (itemUids.length === 0) continue
      await insertPairs(ctx, { ...plan, kind, itemUids })
      await recordAudit(
        ctx,
        ...itemUids.map((entityUid) => ({
          action: `${kind}.assigned`,
          entity: kind,
          entityUid,
          after: { audience: audienceUid, userUids: rows.map((person) => person.uid) },
        })),
      )
    }
    await ctx.db
      .updateTable('standing_assignments')
      .set((eb) => ({ joined: eb('joined', '+', rows.length) }))
      .where('id', '=', standing.id)
      .execute()
    return rows.length
  })
}

/** Whoever joins after the due date gets the items without one: nobody is late from the beginning. */
function dueFor(ctx: Ctx, dueOn: string | null): string | null {
  return dueOn !== null && dueOn < dayOf(ctx.now, ctx.site.timeZone) ? null : dueOn
}

async function lockStanding(ctx: Ctx, uid: string): Promise<(Plan & { id: number }) | undefined> {
  return await ctx.db
    .selectFrom('standing_assignments')
    .select(['id', 'module_uids as moduleUids', 'course_uids as courseUids', 'note'])
    .select(sql<string | null>`due_on::text`.as('dueOn'))
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .forUpdate()
    .executeTakeFirst()
}
