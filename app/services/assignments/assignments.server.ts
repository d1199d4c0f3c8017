/**
 * Assignments: content that admins have asked people to learn. They grant no access; the plan decides that. There is
 * one row per person and item, so assigning twice has no further effect.
 */
import { sql } from 'kysely'
import { type AssignedKind, type AssignmentChange, assignmentForm, type DueFields } from '~/forms/assignments.ts'
import { groupBy } from '~/lib/groups.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { isCompleted } from '../access/due-work.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireActor, requireAdmin, requireSelfOrAdmin, requireViewer } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { lockPairs, type Pairs } from './lock-pairs.server.ts'
import { assignmentTables as tables } from './tables.ts'

export type Assignment = { uid: string; assignedAt: Date; userUid: string; itemUid: string; itemName: string }

/**
 * Assigns or unassigns items, for admins. All named people and items must exist, otherwise nothing is written. Returns
 * the assignments of these pairs afterwards or, for UNASSIGN, the assignments that were removed.
 */
export async function changeAssignments(
  ctx: Ctx,
  input: AssignmentChange & { kind: AssignedKind },
): Promise<Assignment[]> {
  requireAdmin(ctx, 'write')
  const { action, userUids, itemUids } = parseInput(assignmentForm, input)
  const { assignments, column } = tables[input.kind]
  return inTransaction(ctx, async (ctx) => {
    const pairs = await lockPairs(ctx, input.kind, { userUids, itemUids })
    const itemIds = pairs.items.map(({ id }) => id)
    const before = action === 'UNASSIGN' ? await selectPairs(ctx, input.kind, pairs) : []
    if (action === 'ASSIGN') {
      await sql`
        insert into ${sql.table(assignments)} (site_id, user_id, ${sql.ref(column)}, assigned_by, assigned_at)
        select ${ctx.site.id}, person, item, ${ctx.viewer?.id ?? null}::bigint, ${ctx.now}::timestamptz
        from unnest(${pairs.userIds}::bigint[]) person, unnest(${itemIds}::bigint[]) item
        order by person, item
        on conflict (user_id, ${sql.ref(column)}) do nothing`.execute(ctx.db)
    } else {
      await sql`
        delete from ${sql.table(assignments)}
        where user_id = any(${pairs.userIds}::bigint[]) and ${sql.ref(column)} = any(${itemIds}::bigint[])`.execute(
        ctx.db,
      )
    }
    const done = action === 'ASSIGN' ? 'assigned' : 'unassigned'
    await recordAudit(
      ctx,
      ...itemUids.map((entityUid) => ({
        action: `${input.kind}.${done}`,
        entity: input.kind,
        entityUid,
        after: { userUids },
      })),
    )
    return action === 'ASSIGN' ? await selectPairs(ctx, input.kind, pairs) : before
  })
}

async function selectPairs(ctx: Ctx, kind: AssignedKind, { userIds, items }: Pairs): Promise<Assignment[]> {
  const { assignments, content, column } = tables[kind]
  const itemIds = items.map(({ id }) => id)
  const { rows } = await sql<Assignment>`
    select assignment.uid, assignment.assigned_at as "assignedAt", users.uid as "userUid", item.uid as "itemUid",
      item.name as "itemName"
    from ${sql.table(assignments)} assignment
    join users on users.id = assignment.user_id
    join ${sql.table(content)} item on item.id = assignment.${sql.ref(column)}
    where assignment.user_id = any(${userIds}::bigint[]) and assignment.${sql.ref(column)} = any(${itemIds}::bigint[])
    order by assignment.id`.execute(ctx.db)
  return rows
}

export type UserAssignments = { userUid: string; modules: AssignedItem[]; courses: AssignedItem[] }
export type AssignedItem = { uid: string; name: string; assignedAt: Date }

const maxUsers = 1000
const mostItems = 20_000

/**
 * Lists the assignments of the viewer or, for admins, of anybody of the site, in the order of the request. Throws
 * NotFound for unknown people, and Invalid if there are too many assignments for one response: a truncated list would
 * look as if nothing else were assigned.
 */
export async function listAssignmentsOfUsers(ctx: Ctx, input: { userUids: string[] }): Promise<UserAssignments[]> {
  requireActor(ctx)
  const userUids = [...new Set(input.userUids.map((uid) => uid.toLowerCase()))]
  if (userUids.length > maxUsers) throw new Invalid('Please ask for at most 1,000 users at once.')
  for (const userUid of userUids) requireSelfOrAdmin(ctx, userUid)
  if (!userUids.every(isUid)) throw new NotFound()
  const known = await ctx.db
    .selectFrom('users')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`uid = any(${userUids}::uuid[])`)
    .where('erased_at', 'is', null)
    .execute()
  if (known.length !== userUids.length) throw new NotFound()
  const [modules, courses] = [await assignedOf(ctx, 'module', userUids), await assignedOf(ctx, 'course', userUids)]
  return userUids.map((userUid) => ({
    userUid,
    modules: modules.get(userUid) ?? [],
    courses: courses.get(userUid) ?? [],
  }))
}

async function assignedOf(ctx: Ctx, kind: AssignedKind, userUids: string[]): Promise<Map<string, AssignedItem[]>> {
  const { assignments, content, column } = tables[kind]
  const { rows } = await sql<AssignedItem & { userUid: string }>`
    select users.uid as "userUid", item.uid, item.name, assignment.assigned_at as "assignedAt"
    from ${sql.table(assignments)} assignment
    join users on users.id = assignment.user_id
    join ${sql.table(content)} item on item.id = assignment.${sql.ref(column)} and item.deleted_at is null
    where users.site_id = ${ctx.site.id} and users.uid = any(${userUids}::uuid[])
    order by item.name, item.id
    limit ${mostItems + 1}`.execute(ctx.db)
  if (rows.length > mostItems)
    throw new Invalid('These users have too many assignments for one response. Please ask for fewer at once.')
  return groupBy(
    rows,
    (row) => row.userUid,
    ({ userUid: _, ...item }) => item,
  )
}

export type OwnAssignment = AssignedItem & {
  kind: AssignedKind
  /** 2026-11-03 */
  dueOn: string | null
  isCompleted: boolean
  /**
   * False if the plan does not include it or it is not published. Such items are listed as disabled, with a warning.
   */
  hasAccess: boolean
  /** True for a module that is announced for the viewer but cannot be opened before it is published. */
  isComingSoon: boolean
}

/**
 * Lists a page of the viewer's assignments, with the total: first what is due and can be opened, by its date, then the
 * rest, newest first, and what is completed last. Takes two queries.
 */
export async function listOwnAssignments(
  ctx: Ctx,
  input: NumberedPageInput,
): Promise<{ items: OwnAssignment[]; total: number }> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const of = (kind: AssignedKind) => {
    const { assignments, content, column } = tables[kind]
    return sql`
      select ${kind} as kind, ${sql.ref(`${content}.uid`)} as uid, ${sql.ref(`${content}.name`)} as name,
        assignment.assigned_at as "assignedAt", assignment.due_on as "dueOn", ${isOpenable(ctx, content)} as "hasAccess",
        ${isCompleted(kind, sql`${viewer.id}::bigint`, sql.ref(`${content}.id`))} as "isCompleted",
        ${kind === 'module' ? sql`(modules.coming_soon and ${isListed(ctx, 'modules')})` : sql`false`} as "isComingSoon"
      from ${sql.table(assignments)} assignment
      join ${sql.table(content)} on ${sql.ref(`${content}.id`)} = assignment.${sql.ref(column)}
        and ${sql.ref(`${content}.deleted_at`)} is null
      where assignment.user_id = ${viewer.id}`
  }
  const assigned = sql`(${of('module')} union all ${of('course')}) assigned`
  const [{ rows: items }, { rows: counts }] = await Promise.all([
    sql<OwnAssignment>`
      select kind, uid, name::text, "assignedAt", "dueOn"::text, "hasAccess", "isCompleted", "isComingSoon"
      from ${assigned}
      order by "isCompleted", case when "hasAccess" and not "isCompleted" then assigned."dueOn" end nulls last,
        "assignedAt" desc, assigned.name, uid
      limit ${limit} offset ${offset}`.execute(ctx.db),
    sql<{ total: number }>`select count(*)::int as total from ${assigned}`.execute(ctx.db),
  ])
  return { items, total: counts[0]?.total ?? 0 }
}

/** `isIncluded` is false if the plan of the person does not include it (L-149). */
export type AssignmentForStaff = AssignedItem & DueFields & { isIncluded: boolean; isCompleted: boolean }

const mostShown = 1000

/** Lists what somebody has been assigned, by name, for admins; at most 1,000. */
export async function listAssignmentsForStaff(
  ctx: Ctx,
  input: { userUid: string; kind: AssignedKind },
): Promise<AssignmentForStaff[]> {
  requireAdmin(ctx)
  if (!isUid(input.userUid)) throw new NotFound()
  const { assignments, content, column } = tables[input.kind]
  const { rows } = await sql<AssignmentForStaff>`
    select item.uid, item.name, assignment.assigned_at as "assignedAt", assignment.due_on::text as "dueOn",
      assignment.note, ${isCompleted(input.kind, sql.ref('users.id'), sql.ref('item.id'))} as "isCompleted", exists (
      select from ${sql.table(`${input.kind}_access_plans`)} granted
        join subscriptions on subscriptions.access_plan_id = granted.access_plan_id
      where granted.${sql.ref(column)} = item.id and subscriptions.user_id = users.id
        and (subscriptions.valid_to is null or subscriptions.valid_to > ${ctx.now})) as "isIncluded"
    from ${sql.table(assignments)} assignment
    join users on users.id = assignment.user_id
    join ${sql.table(content)} item on item.id = assignment.${sql.ref(column)} and item.deleted_at is null
    where users.site_id = ${ctx.site.id} and users.uid = ${input.userUid} and users.erased_at is null
    order by item.name, item.id limit ${mostShown}`.execute(ctx.db)
  return rows
}
