/** What the viewer is to do by when. */
import { sql } from 'kysely'
import type { AssignedKind, DueFields } from '~/forms/assignments.ts'
import { daysFrom } from '~/lib/due.ts'
import { isUid } from '~/lib/uid.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { isOpenable } from '../access/access.server.ts'
import { isCompleted, openDueWork } from '../access/due-work.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { assignmentTables as tables } from './tables.ts'

export type DueWork = { kind: AssignedKind; uid: string; dueOn: string }

/**
 * Lists what the viewer can open and has not completed, and what is late or due within so many days: the earliest first.
 */
export async function listDueWork(ctx: Ctx, input: { days: number; limit: number }): Promise<DueWork[]> {
  const viewer = requireViewer(ctx)
  const until = daysFrom(dayOf(ctx.now, ctx.site.timeZone), input.days)
  const of = (kind: AssignedKind) => {
    const { content } = tables[kind]
    return sql`(due.kind = ${kind} and exists (
      select from ${sql.table(content)} where ${sql.ref(`${content}.id`)} = due.item_id and ${isOpenable(ctx, content)}))`
  }
  const { rows } = await sql<DueWork>`
    select due.kind, due.uid, due.due_on::text as "dueOn" from ${openDueWork(ctx)} due
    where due.user_id = ${viewer.id} and due.due_on <= ${until}::date and (${of('module')} or ${of('course')})
    order by due.due_on, due.name, due.uid limit ${input.limit}`.execute(ctx.db)
  return rows
}

/** Finds the due date and the note of what the viewer has been assigned and has not completed. */
export async function findOwnDue(ctx: Ctx, input: { kind: AssignedKind; itemUid: string }): Promise<DueFields | null> {
  const viewer = requireViewer(ctx)
  if (!isUid(input.itemUid)) return null
  const { assignments, content, column } = tables[input.kind]
  const { rows } = await sql<DueFields>`
    select assignment.due_on::text as "dueOn", assignment.note
    from ${sql.table(assignments)} assignment
    join ${sql.table(content)} item on item.id = ${sql.ref(`assignment.${column}`)}
    where assignment.user_id = ${viewer.id} and assignment.site_id = ${ctx.site.id} and item.uid = ${input.itemUid}
      and (assignment.due_on is not null or assignment.note is not null)
      and not ${isCompleted(input.kind, sql.ref('assignment.user_id'), sql.ref('item.id'))}`.execute(ctx.db)
  return rows[0] ?? null
}
