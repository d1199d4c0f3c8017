/** Assignments with a due date, for lists, filters and reminders: they agree on what is still to be done. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'

type Kind = 'module' | 'course'

type DueWork = {
  user_id: number
  kind: Kind
  item_id: number
  uid: string
  name: string
  due_on: string
  note: string | null
}

/** Selects what has a due date and is published and not completed, of everybody of the site. */
export function openDueWork(ctx: Pick<Ctx, 'site'>): RawBuilder<DueWork> {
  const of = (kind: Kind) => sql`
    select assignment.user_id, ${sql.lit(kind)} as kind, item.id as item_id, item.uid, item.name::text as name,
      assignment.due_on, assignment.note
    from ${sql.table(`${kind}_assignments`)} assignment
    join ${sql.table(`${kind}s`)} item on item.id = ${sql.ref(`assignment.${kind}_id`)}
      and item.deleted_at is null and item.published_version_id is not null
    where assignment.site_id = ${ctx.site.id} and assignment.due_on is not null
      and not ${isCompleted(kind, sql.ref('assignment.user_id'), sql.ref('item.id'))}`
  return sql`(${of('module')} union all ${of('course')})`
}

/** SQL condition: the person has completed the item, also if it is being retaken. */
export function isCompleted(kind: Kind, userId: RawBuilder<unknown>, itemId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from ${sql.table(`${kind}_progress`)} done
    where done.user_id = ${userId} and ${sql.ref(`done.${kind}_id`)} = ${itemId} and done.completed_at is not null)`
}
