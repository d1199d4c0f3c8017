/**
 * Choosing what to assign to learners who were selected in the console. The selection is stored, so that the dialog has
 * an address and works without JavaScript: as a bulk operation that stays prepared until run-assignment.server.ts begins
 * it.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type AssignedKind, assigneesForm, mostAssignees, type TickedItem } from '~/forms/assignments.ts'
import { isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type BulkItem, getBulkOperation, prepareBulkOperation } from '../bulk/bulk.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { assignmentTables as tables } from './tables.ts'

/** `people` is for other services: a query that selects the ids of users of the site. */
type Assignees = { userUids: string[] } | { people: RawBuilder<unknown> }

/** Stores to whom content will be assigned, for admins. People who no longer exist are left out. */
export async function prepareAssignment(ctx: Ctx, input: Assignees): Promise<{ operationUid: string }> {
  requireAdmin(ctx, 'write')
  const chosen =
    'people' in input
      ? sql<SqlBool>`users.id = any(array(${input.people}))`
      : sql<SqlBool>`users.uid = any(${parseInput(assigneesForm, input).userUids}::uuid[])`
  // Names are read when they are shown, so that no copies of them are kept.
  const items = sql<BulkItem>`
    select users.uid, 'A learner' as label from users
    where users.site_id = ${ctx.site.id} and users.erased_at is null and ${chosen}
    order by users.name_key, users.id limit ${mostAssignees + 1}`
  return inTransaction(ctx, async (ctx) => {
    const { uid, total } = await prepareBulkOperation(ctx, { kind: 'assign-content', items })
    if (total === 0) throw new NotFound('None of these users exists anymore.')
    if (total > mostAssignees) throw new Invalid('Content can be assigned to at most 10,000 people at once.')
    return { operationUid: uid }
  })
}

export type Assignee = { uid: string; name: string }

const mostNamed = 100

/**
 * Lists to whom content will be assigned, for admins: how many people, and the first of them by name. People who no
 * longer exist are left out.
 */
export async function listAssignees(
  ctx: Ctx,
  input: { operationUid: string },
): Promise<{ people: Assignee[]; total: number }> {
  const operation = await requireSelection(ctx, input)
  const [{ rows }, total] = await Promise.all([
    sql<Assignee>`
      select users.uid,
        coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email) as name
      from ${selectedPeople(ctx, operation)} selected join users on users.id = selected.id
      order by users.name_key, users.id limit ${mostNamed}`.execute(ctx.db),
    countAssignees(ctx, operation),
  ])
  return { people: rows, total }
}

/** Counts those of a selection who still exist. */
export async function countAssignees(ctx: Ctx, operationUid: string): Promise<number> {
  requireAdmin(ctx)
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from ${selectedPeople(ctx, operationUid)} selected`.execute(ctx.db)
  return rows[0]?.total ?? 0
}

/** Returns the uid of a selection, for admins. */
export async function requireSelection(ctx: Ctx, input: { operationUid: string }): Promise<string> {
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
  const matches = isFoundBy(sql`item.search_key`, input.search)
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

/** Throws NotFound unless all of these are published, for admins. */
export async function requireAssignable(ctx: Ctx, input: { items: TickedItem[] }): Promise<void> {
  requireAdmin(ctx)
  for (const kind of ['module', 'course'] as const) {
    const uids = input.items.filter((item) => item.kind === kind).map(({ uid }) => uid)
    if (uids.length === 0) continue
    const { rows } = await sql`
      select item.id from ${sql.table(tables[kind].content)} item where ${isAssignable(ctx)} and uid = any(${uids}::uuid[])`.execute(
      ctx.db,
    )
    if (rows.length !== uids.length) throw new NotFound(`One of the ${kind}s is no longer published.`)
  }
}

/**
 * Takes an item back from all selected people, for admins. Returns its name and from how many people it was taken;
 * null if nobody had it any more.
 */
export async function unassignFromSelected(
  ctx: Ctx,
  input: { operationUid: string; item: TickedItem },
): Promise<{ name: string; people: number } | null> {
  requireAdmin(ctx, 'write')
  const operation = await requireSelection(ctx, input)
  const { kind, uid } = input.item
  const { content, assignments, column } = tables[kind]
  return inTransaction(ctx, async (ctx) => {
    const { rows: items } = await sql<{ id: number; name: string }>`
      select id, name from ${sql.table(content)} item
      where item.site_id = ${ctx.site.id} and item.uid = ${uid} and item.deleted_at is null for share`.execute(ctx.db)
    const [item] = items
    if (!item) throw new NotFound(`One of the ${kind}s does not exist.`)
    const { numAffectedRows } = await sql`
      delete from ${sql.table(assignments)}
      where ${sql.ref(column)} = ${item.id} and user_id in ${selectedPeople(ctx, operation)}`.execute(ctx.db)
    const people = Number(numAffectedRows ?? 0)
    if (people === 0) return null
    await recordAudit(ctx, {
      action: `${kind}.unassigned`,
      entity: kind,
      entityUid: uid,
      after: { people, operation },
    })
    return { name: item.name, people }
  })
}
