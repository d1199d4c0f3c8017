/**
 * Assigning content to learners who were selected in the console. The selection is stored, so that the dialog has an
 * address and works without JavaScript: as a bulk operation that stays prepared, because the assignments of one
 * selection are few enough for one request.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type AssignedKind, assigneesForm, mostItemsAtOnce, type TickedItem } from '~/forms/assignments.ts'
import { containsPattern, isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { getBulkOperation, prepareBulkOperation } from '../bulk/bulk.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { type Assignment, changeAssignments } from './assignments.server.ts'

/** Stores to whom content will be assigned, for admins. People who no longer exist are left out. */
export async function prepareAssignment(ctx: Ctx, input: { userUids: string[] }): Promise<{ operationUid: string }> {
  requireAdmin(ctx, 'write')
  const { userUids } = parseInput(assigneesForm, input)
  const people = await ctx.db
    .selectFrom('users')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('erased_at', 'is', null)
    .where(sql<boolean>`uid = any(${userUids}::uuid[])`)
    .orderBy('name_key')
    .orderBy('id')
    .execute()
  if (people.length === 0) throw new NotFound('None of these users exists any more.')
  // Names are read when they are shown, so that no copies of them are kept.
  const items = people.map(({ uid }) => ({ uid, label: 'A learner' }))
  const { uid } = await prepareBulkOperation(ctx, { kind: 'assign-content', items })
  return { operationUid: uid }
}

export type Assignee = { uid: string; name: string }

/** Lists to whom content will be assigned, by name, for admins. People who no longer exist are left out. */
export async function listAssignees(ctx: Ctx, input: { operationUid: string }): Promise<Assignee[]> {
  const operation = await requireSelection(ctx, input)
  const { rows } = await sql<Assignee>`
    select users.uid, coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email) as name
    from ${selectedPeople(ctx, operation)} selected join users on users.id = selected.id
    order by users.name_key, users.id`.execute(ctx.db)
  return rows
}

async function requireSelection(ctx: Ctx, input: { operationUid: string }): Promise<string> {
  requireAdmin(ctx)
  const { uid, kind } = await getBulkOperation(ctx, input)
  if (kind !== 'assign-content') throw new NotFound()
  return uid
}

function selectedPeople(ctx: Ctx, operationUid: string): RawBuilder<unknown> {
  return sql`(
    select users.id from bulk_operations operation
    join bulk_items chosen on chosen.operation_id = operation.id
    join users on users.uid = chosen.item_uid and users.site_id = operation.site_id and users.erased_at is null
    where operation.site_id = ${ctx.site.id} and operation.uid = ${operationUid})`
}

export type AssignableItem = {
  uid: string
  name: string
  /** How many of the selected people have it already. */
  assigned: number
  /** How many have no valid plan that includes it (C-097). */
  outside: number
}

const tables = {
  module: { content: 'modules', assignments: 'module_assignments', plans: 'module_access_plans', column: 'module_id' },
  course: { content: 'courses', assignments: 'course_assignments', plans: 'course_access_plans', column: 'course_id' },
} as const

type Selected = { operationUid: string; kind: AssignedKind }

/** Lists a page of the site's published modules or courses whose names contain `search`, for admins. */
export async function listAssignableItems(
  ctx: Ctx,
  input: Selected & { search: string } & NumberedPageInput,
): Promise<{ items: AssignableItem[]; total: number }> {
  const operation = await requireSelection(ctx, input)
  if (!isStorable(input.search)) return { items: [], total: 0 }
  const { content } = tables[input.kind]
  const { limit, offset } = limitsOfPage(input)
  const matches = sql<SqlBool>`item.search_key like ${containsPattern(searchKey(input.search))}`
  const [{ rows: counts }, items] = await Promise.all([
    sql<{ total: number }>`
      select count(*)::int as total from ${sql.table(content)} item where ${isAssignable(ctx)} and ${matches}`.execute(
      ctx.db,
    ),
    selectItems(ctx, operation, input.kind, sql`${matches} order by name_key, id limit ${limit} offset ${offset}`),
  ])
  return { items, total: counts[0]?.total ?? 0 }
}

/** Finds assignable items by uid, by name. What is gone or no longer published is left out. For admins. */
export async function findAssignableItems(ctx: Ctx, input: Selected & { uids: string[] }): Promise<AssignableItem[]> {
  const operation = await requireSelection(ctx, input)
  const uids = input.uids.filter(isUid)
  if (uids.length === 0) return []
  return selectItems(ctx, operation, input.kind, sql`uid = any(${uids}::uuid[]) order by name_key, id`)
}

function isAssignable(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`item.site_id = ${ctx.site.id} and item.deleted_at is null and item.published_version_id is not null`
}

async function selectItems(
  ctx: Ctx,
  operationUid: string,
  kind: AssignedKind,
  found: RawBuilder<unknown>,
): Promise<AssignableItem[]> {
  const { content, assignments, plans, column } = tables[kind]
  const { rows } = await sql<AssignableItem>`
    with people as materialized (select id from ${selectedPeople(ctx, operationUid)} selected),
    included as materialized (
      select people.id, subscriptions.access_plan_id from people join subscriptions on subscriptions.user_id = people.id
      where subscriptions.valid_to is null or subscriptions.valid_to > ${ctx.now}),
    found as materialized (select * from ${sql.table(content)} item where ${isAssignable(ctx)} and ${found})
    select found.uid, found.name,
      (select count(*)::int from ${sql.table(assignments)} assignment join people on people.id = assignment.user_id
        where assignment.${sql.ref(column)} = found.id) as assigned,
      (select count(*)::int from people) - (
        select count(distinct included.id)::int from included
        join ${sql.table(plans)} granted on granted.access_plan_id = included.access_plan_id
        where granted.${sql.ref(column)} = found.id) as outside
    from found order by found.name_key, found.id`.execute(ctx.db)
  return rows
}

/**
 * Assigns published items to the selected people, for admins: all of them or none. Assigning again changes nothing.
 * Returns how many items were assigned to how many people.
 */
export async function assignToSelected(
  ctx: Ctx,
  input: { operationUid: string; items: TickedItem[] },
): Promise<{ items: number; people: number }> {
  requireAdmin(ctx, 'write')
  const { operationUid, items } = input
  if (items.length === 0) throw new Invalid('Please tick one or more modules or courses.')
  if (items.length > mostItemsAtOnce) throw new Invalid(`Please tick at most ${mostItemsAtOnce} at once.`)
  const userUids = await requireAssignees(ctx, { operationUid })
  await inTransaction(ctx, async (ctx) => {
    for (const kind of ['module', 'course'] as const) {
      const uids = items.filter((item) => item.kind === kind).map(({ uid }) => uid)
      if (uids.length === 0) continue
      const known = await findAssignableItems(ctx, { operationUid, kind, uids })
      if (known.length !== uids.length) throw new NotFound(`One of the ${kind}s is no longer published.`)
      await changeAssignments(ctx, { kind, action: 'ASSIGN', userUids, itemUids: uids })
    }
  })
  return { items: items.length, people: userUids.length }
}

/** Takes an item back from all selected people, for admins. Returns what was removed, nothing the second time. */
export async function unassignFromSelected(
  ctx: Ctx,
  input: { operationUid: string; item: TickedItem },
): Promise<Assignment[]> {
  requireAdmin(ctx, 'write')
  const userUids = await requireAssignees(ctx, input)
  const { kind, uid } = input.item
  return changeAssignments(ctx, { kind, action: 'UNASSIGN', userUids, itemUids: [uid] })
}

async function requireAssignees(ctx: Ctx, input: { operationUid: string }): Promise<string[]> {
  const people = await listAssignees(ctx, input)
  if (people.length === 0) throw new NotFound('None of these users exists any more.')
  return people.map(({ uid }) => uid)
}
