/** Writes assignments: pairs of people and items. */
import { sql } from 'kysely'
import type { AssignedKind } from '~/forms/assignments.ts'
import type { Ctx } from '../context.ts'
import { assignmentTables as tables } from './tables.ts'

export type PairsToWrite = {
  kind: AssignedKind
  /** The bulk operation that assigns them; null for those who join an audience. */
  operationUid: string | null
  userIds: number[]
  itemUids: string[]
  dueOn: string | null
  note: string | null
}

export type Touched = { userId: number; count: number }

/** What is assigned together: some modules and courses. */
export type Plan = { moduleUids: string[]; courseUids: string[]; dueOn: string | null; note: string | null }

/** Inserts what is missing. Items that were removed meanwhile are left out. */
export async function insertPairs(ctx: Ctx, pairs: PairsToWrite): Promise<Touched[]> {
  const { assignments, content, column } = tables[pairs.kind]
  const { rows } = await sql<Touched>`
    with item as materialized (
      select id from ${sql.table(content)}
      where site_id = ${ctx.site.id} and uid = any(${pairs.itemUids}::uuid[]) and deleted_at is null
      order by id for share),
    made as (
      insert into ${sql.table(assignments)}
        (site_id, user_id, ${sql.ref(column)}, assigned_by, assigned_at, due_on, note, operation_uid)
      select ${ctx.site.id}, person, item.id, ${ctx.viewer?.id ?? null}::bigint, ${ctx.now}::timestamptz,
        ${pairs.dueOn}::date, ${pairs.note}, ${pairs.operationUid}::uuid
      from unnest(${pairs.userIds}::bigint[]) person, item
      order by person, item.id
      on conflict (user_id, ${sql.ref(column)}) do nothing
      returning user_id)
    select user_id as "userId", count(*)::int as count from made group by user_id`.execute(ctx.db)
  return rows
}
