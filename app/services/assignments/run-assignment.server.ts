/**
 * Assigning content to many people, as a bulk operation, and undoing that. A transaction assigns all items to the next
 * people and records how far it is, so a job that is killed leaves nobody out and assigns nothing twice. What fits into
 * one transaction is done in the request that asks for it; the queued job then finds nothing to do.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import {
  type AssignedKind,
  dueOfManyForm,
  mostAssignments,
  mostItemsAtOnce,
  type TickedItem,
} from '~/forms/assignments.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import {
  type BulkItem,
  type BulkOperation,
  endBulkOperation,
  findBulkOperation,
  findBulkWork,
  getBulkOperation,
  lockBulkWork,
  startBulkOperation,
  startPreparedOperation,
} from '../bulk/bulk.server.ts'
import { type BulkOutcome, listBulkItems, listNextItems, recordBulkItems } from '../bulk/work-through-items.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { actingAsAdmin } from '../invitations/invite-list.server.ts'
import { queue } from '../queue/queue.server.ts'
import { countAssignees, requireAssignable, requireSelection } from './assign-content.server.ts'
import { insertPairs, type PairsToWrite, type Plan, type Touched } from './pairs.server.ts'
import { recordStanding, stopStandingOf } from './standing-assignments.server.ts'
import { assignmentTables as tables } from './tables.ts'

const assignJob = 'assign-content'
const undoJob = 'unassign-content'
const kinds = ['module', 'course'] as const
/** How many people one transaction is for, whatever the number of items. */
const peopleAtOnce = mostAssignments / mostItemsAtOnce

type NewAssignment = {
  operationUid: string
  items: TickedItem[]
  dueOn?: unknown
  note?: unknown
  /** True to remove the due date from people who already have an item. */
  removesDue?: unknown
  /** The audience whose people were selected, if whoever joins it later gets the items, too. */
  joiningUid?: string
}

/**
 * Assigns published items to the selected people, for the admin who has selected them. A due date or a note also
 * replaces that of people who already have an item; an empty one replaces nothing, unless `removesDue` removes the date.
 * A second call starts nothing. Returns the operation, which is still running if there are many people.
 */
export async function startAssignment(ctx: Ctx, input: NewAssignment): Promise<BulkOperation> {
  requireAdmin(ctx, 'write')
  const { items } = input
  if (items.length === 0) throw new Invalid('Select one or more modules or courses.')
  if (items.length > mostItemsAtOnce) throw new Invalid(`Select at most ${mostItemsAtOnce} at once.`)
  const { dueOn, note, removesDue } = parseInput(dueOfManyForm({ today: dayOf(ctx.now, ctx.site.timeZone) }), input)
  const operationUid = await requireSelection(ctx, input)
  const people = await countAssignees(ctx, operationUid)
  if (people === 0) throw new NotFound('None of these users exists anymore.')
  await inTransaction(ctx, async (ctx) => {
    const uidsOf = (kind: AssignedKind) => items.filter((item) => item.kind === kind).map(({ uid }) => uid)
    const plan = { moduleUids: uidsOf('module'), courseUids: uidsOf('course'), dueOn, note, removesDue }
    if (!(await startPreparedOperation(ctx, { operationUid }))) {
      if (isDeepStrictEqual(await getPlan(ctx, operationUid), plan)) return
      throw new Conflict('assignment.used', 'These people were assigned something already. Please select them again.')
    }
    await requireAssignable(ctx, { items })
    await ctx.db
      .insertInto('assignment_operations')
      .values({
        operation_uid: operationUid,
        site_id: ctx.site.id,
        module_uids: plan.moduleUids,
        course_uids: plan.courseUids,
        due_on: sql<Date | null>`${dueOn}::date`,
        note,
        removes_due: removesDue,
        created_at: ctx.now,
      })
      .execute()
    if (input.joiningUid) await recordStanding(ctx, { operationUid, audienceUid: input.joiningUid, ...plan })
    // The names of many are in the operation, which is kept for thirty days.
    const userUids = people <= peopleAtOnce ? await listUidsOf(ctx, operationUid) : undefined
    await recordAudit(
      ctx,
      ...items.map((item) => ({
        action: `${item.kind}.assigned`,
        entity: item.kind,
        entityUid: item.uid,
        after: {
          operation: operationUid,
          ...(dueOn && { dueOn }),
          ...(removesDue && { removesDue }),
          ...(userUids ? { userUids } : { people }),
        },
      })),
    )
    await queue(ctx, assignJob, { operationUid }, { key: `${assignJob}:${operationUid}` })
  })
  return doAtOnce(ctx, operationUid, people, () => assignToPeople(ctx, { operationUid }))
}

async function listUidsOf(ctx: Ctx, operationUid: string): Promise<string[]> {
  return (await listBulkItems(ctx, { operationUid })).map(({ uid }) => uid)
}

/** Does work that fits into one transaction. If that fails, the queued job does it. */
async function doAtOnce(ctx: Ctx, operationUid: string, people: number, work: () => Promise<unknown>) {
  if (people <= peopleAtOnce) {
    await work().catch((error) => ctx.log.warn({ err: error, operation: operationUid }, 'left to the queued job'))
  }
  return getBulkOperation(ctx, { operationUid })
}

type JobInput = { operationUid: string; most?: number }
type JobResult = { changed: number; isDone: boolean }

/**
 * Job: assigns to the next people and queues itself again. Acts as the person who began it, and stops if that person is
 * no admin any more, or if somebody cancels the operation. `most` is for tests.
 */
export async function assignToPeople(ctx: Ctx, input: JobInput): Promise<JobResult> {
  return workOnPeople(ctx, assignJob, input, async (ctx, { operationUid, userIds }) => {
    const plan = await getPlan(ctx, operationUid)
    if (!plan) throw new NotFound()
    const touched = new Set<number>()
    const counts = { assigned: 0, changed: 0 }
    for (const kind of kinds) {
      const pairs = { ...plan, kind, operationUid, userIds, itemUids: plan[`${kind}Uids`] }
      if (pairs.itemUids.length === 0) continue
      for (const { userId, count } of await insertPairs(ctx, pairs)) {
        touched.add(userId)
        counts.assigned += count
      }
      if (plan.dueOn === null && plan.note === null && !plan.removesDue) continue
      for (const { userId, count } of await replaceDue(ctx, pairs)) {
        touched.add(userId)
        counts.changed += count
      }
    }
    await ctx.db
      .updateTable('assignment_operations')
      .set((eb) => ({
        assigned: eb('assigned', '+', counts.assigned),
        changed: eb('changed', '+', counts.changed),
      }))
      .where('operation_uid', '=', operationUid)
      .execute()
    return touched
  })
}

type PlanOfOperation = Plan & { removesDue: boolean }

/** What an operation assigns; null if it was canceled before it began. */
async function getPlan(ctx: Ctx, operationUid: string): Promise<PlanOfOperation | null> {
  const row = await ctx.db
    .selectFrom('assignment_operations')
    .select([
      'module_uids as moduleUids',
      'course_uids as courseUids',
      sql<string | null>`due_on::text`.as('dueOn'),
      'note',
      'removes_due as removesDue',
    ])
    .where('site_id', '=', ctx.site.id)
    .where('operation_uid', '=', operationUid)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Gives the due date and the note to those who had an item already, or removes the date, and keeps what they had, for
 * Undo.
 */
async function replaceDue(ctx: Ctx, pairs: PairsToWrite & { removesDue: boolean }): Promise<Touched[]> {
  const { assignments, content, column } = tables[pairs.kind]
  const { operationUid, dueOn, note, removesDue } = pairs
  const due = removesDue ? sql`null::date` : sql`coalesce(${dueOn}::date, own.due_on)`
  const { rows } = await sql<Touched>`
    with earlier as materialized (
      select own.* from ${sql.table(assignments)} own
      join ${sql.table(content)} item on item.id = ${sql.ref(`own.${column}`)} and item.deleted_at is null
      where own.user_id = any(${pairs.userIds}::bigint[]) and item.uid = any(${pairs.itemUids}::uuid[])
        and own.operation_uid is distinct from ${operationUid}::uuid
        and (own.due_on is distinct from ${due}
          or own.note is distinct from coalesce(${note}, own.note))
      order by own.user_id, own.id for update of own),
    kept as (
      insert into replaced_assignments
        (operation_uid, kind, user_id, item_id, site_id, due_on, note, operation_before)
      select ${operationUid}::uuid, ${pairs.kind}, user_id, ${sql.ref(column)}, site_id, due_on, note, operation_uid
      from earlier),
    given as (
      update ${sql.table(assignments)} own
      set due_on = ${due}, note = coalesce(${note}, own.note),
        operation_uid = ${operationUid}::uuid
      from earlier where earlier.id = own.id
      returning own.user_id)
    select user_id as "userId", count(*)::int as count from given group by user_id`.execute(ctx.db)
  return rows
}

/**
 * Starts to undo an operation, for admins: what it has assigned is taken back, and the due dates and notes that it has
 * replaced come back. What somebody has changed or assigned again since stays. Whoever joins the audience from now on gets
 * nothing of it. While that runs, it returns the running operation.
 */
export async function undoAssignment(ctx: Ctx, input: { operationUid: string }): Promise<BulkOperation> {
  requireAdmin(ctx, 'write')
  const begun = await inTransaction(ctx, async (ctx) => {
    const operation = await getAssigning(ctx, input)
    if (operation.status === 'running') {
      throw new Conflict('assignment.running', 'This is still running. Cancel the rest of it first.')
    }
    const subject = { kind: undoJob, subjectUid: operation.uid } as const
    await stopStandingOf(ctx, { operationUid: operation.uid })
    const latest = await findBulkOperation(ctx, subject)
    if (latest?.status === 'running') return latest
    const started = await startBulkOperation(ctx, { ...subject, items: touchedPeople(ctx, operation.uid) })
    if (!started.isNew) return started
    if (started.total === 0) throw new Conflict('assignment.nothing_to_undo', 'There is nothing left to undo.')
    await recordAudit(ctx, {
      action: 'bulk_operation.undone',
      entity: 'bulk_operation',
      entityUid: operation.uid,
      before: { kind: operation.kind, subjectUid: operation.subjectUid },
      after: { people: started.total },
    })
    await queue(ctx, undoJob, { operationUid: started.uid }, { key: `${undoJob}:${started.uid}` })
    return started
  })
  return doAtOnce(ctx, begun.uid, begun.total, () => unassignFromPeople(ctx, { operationUid: begun.uid }))
}

/** Returns an operation that assigns, for admins. */
export async function getAssigning(ctx: Ctx, input: { operationUid: string }): Promise<BulkOperation> {
  requireAdmin(ctx)
  const operation = await getBulkOperation(ctx, input)
  if (operation.kind !== assignJob || operation.status === 'prepared') throw new NotFound()
  return operation
}

/** Selects who has something from an operation that nobody has changed since. */
function touchedPeople(ctx: Ctx, operationUid: string) {
  return sql<BulkItem>`
    select users.uid, 'A learner' as label from users
    where users.site_id = ${ctx.site.id} and users.erased_at is null and users.id in (
      select user_id from module_assignments where operation_uid = ${operationUid}
      union select user_id from course_assignments where operation_uid = ${operationUid})
    order by users.name_key, users.id`
}

/** Job: undoes an operation for the next people and queues itself again. `most` is for tests. */
export async function unassignFromPeople(ctx: Ctx, input: JobInput): Promise<JobResult> {
  return workOnPeople(ctx, undoJob, input, async (ctx, { subjectUid, userIds }) => {
    const touched = new Set<number>()
    for (const kind of kinds) {
      const { assignments, column } = tables[kind]
      const { rows } = await sql<{ userId: number }>`
        with own as materialized (
          select own.id, own.user_id, ${sql.ref(`own.${column}`)} as item_id from ${sql.table(assignments)} own
          where own.operation_uid = ${subjectUid} and own.user_id = any(${userIds}::bigint[])
          order by own.user_id, own.id for update),
        brought as (
          update ${sql.table(assignments)} back
          set due_on = before.due_on, note = before.note, operation_uid = before.operation_before
          from own join replaced_assignments before on before.operation_uid = ${subjectUid} and before.kind = ${kind}
            and before.user_id = own.user_id and before.item_id = own.item_id
          where back.id = own.id
          returning back.id),
        taken as (
          delete from ${sql.table(assignments)} gone using own
          where gone.id = own.id and not exists (
            select from replaced_assignments before where before.operation_uid = ${subjectUid} and before.kind = ${kind}
              and before.user_id = own.user_id and before.item_id = own.item_id))
        select distinct user_id as "userId" from own`.execute(ctx.db)
      for (const { userId } of rows) touched.add(userId)
    }
    return touched
  })
}

type Batch = { operationUid: string; subjectUid: string; userIds: number[] }

const gone = 'This person is no longer there.'

/**
 * Does `work` for the next people of an operation and records it, in one transaction. `work` returns for whom it has
 * changed something. The lock keeps a second job waiting, which then finds the people behind these.
 */
async function workOnPeople(
  ctx: Ctx,
  jobKind: typeof assignJob | typeof undoJob,
  { operationUid, most = peopleAtOnce }: JobInput,
  work: (ctx: Ctx, batch: Batch) => Promise<Set<number>>,
): Promise<JobResult> {
  const nothing = { changed: 0, isDone: true }
  const begun = await findBulkWork(ctx, { operationUid })
  if (begun?.kind !== jobKind) return nothing
  const acting = await actingAsAdmin(ctx, begun.createdById)
  if (!acting) {
    await endBulkOperation(ctx, { operationUid, status: 'canceled' })
    return nothing
  }
  return inTransaction(acting, async (ctx) => {
    const place = await lockBulkWork(ctx, { operationUid })
    if (!place) return nothing
    const next = await listNextItems(ctx, { operationUid, after: place.cursor, most: most + 1 })
    const people = next.slice(0, most)
    const ids = await lockPeople(ctx, people)
    const touched = await work(ctx, { operationUid, subjectUid: place.subjectUid, userIds: [...ids.values()] })
    const items = people.map((person) => {
      const id = ids.get(person.uid)
      const outcome: BulkOutcome = id === undefined ? { problem: gone } : touched.has(id) ? 'changed' : 'unchanged'
      return { ...person, outcome }
    })
    await recordBulkItems(ctx, { operationUid, after: place.cursor, items })
    const isDone = next.length <= most
    if (isDone) await endBulkOperation(ctx, { operationUid, status: 'done' })
    else await queue(ctx, jobKind, { operationUid }, { key: `${jobKind}:${operationUid}` })
    return { changed: touched.size, isDone }
  })
}

/** Locks the people who are still there, so that nobody is erased meanwhile. Returns their ids by uid. */
async function lockPeople(ctx: Ctx, people: BulkItem[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ uid: string; id: number }>`
    select uid, id from users
    where site_id = ${ctx.site.id} and uid = any(${people.map(({ uid }) => uid)}::uuid[]) and erased_at is null
    order by id for share`.execute(ctx.db)
  return new Map(rows.map(({ uid, id }) => [uid, id]))
}
