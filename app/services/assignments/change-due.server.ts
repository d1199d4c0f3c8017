/** The due date and the note of what one person has been assigned, as an admin changes them. */
import { sql } from 'kysely'
import { type AssignedKind, type DueFields, dueForm } from '~/forms/assignments.ts'
import { formatCalendarDay } from '~/lib/dates.ts'
import { tidyText } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, type FieldErrors, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { merge } from '../revisions.ts'
import { assignmentTables as tables } from './tables.ts'

type Pair = { userUid: string; kind: AssignedKind; itemUid: string }

/** Reads it for the form, for admins. */
export async function getAssignmentToChange(ctx: Ctx, input: Pair): Promise<DueFields & { itemName: string }> {
  requireAdmin(ctx)
  const { itemName, dueOn, note } = await getRow(ctx, input)
  return { itemName, dueOn, note }
}

/** `opened` is what the form was opened with; without it, both fields are overwritten. */
type Change = Pair & { dueOn?: unknown; note?: unknown; opened?: { dueOn: string; note: string } }

/**
 * Changes or removes the due date and the note, for admins. A field that only one of two admins changed keeps that
 * change. Undoing the operation that has assigned it leaves it as it is from then on. Returns false if nothing changed.
 */
export async function changeAssignment(ctx: Ctx, input: Change): Promise<boolean> {
  requireAdmin(ctx, 'write')
  const { kind, itemUid } = input
  return inTransaction(ctx, async (ctx) => {
    const { id, dueOn, note } = await getRow(ctx, input, { isLocked: true })
    const now: DueFields = { dueOn, note }
    const base = input.opened ? openedWith(input.opened) : now
    const mine = parseInput(dueForm({ today: dayOf(ctx.now, ctx.site.timeZone), stored: base.dueOn }), input)
    const { changes, contested } = merge<DueFields>({ base, mine, now })
    if (contested.length > 0) throw contestedBy(contested, now)
    const fields = Object.keys(changes)
    if (fields.length === 0) return false
    const next = { ...now, ...changes }
    await sql`
      update ${sql.table(tables[kind].assignments)}
      set due_on = ${next.dueOn}::date, note = ${next.note}, operation_uid = null where id = ${id}`.execute(ctx.db)
    await recordAudit(ctx, {
      action: `${kind}.assignment_changed`,
      entity: kind,
      entityUid: itemUid.toLowerCase(),
      after: { userUids: [input.userUid.toLowerCase()], fields },
    })
    return true
  })
}

function openedWith({ dueOn, note }: { dueOn: string; note: string }): DueFields {
  return { dueOn: dueOn === '' ? null : dueOn, note: tidyText(note) || null }
}

/** The form comes back with what is stored now, so that saving again uses what was typed. */
function contestedBy(fields: (keyof DueFields)[], { dueOn, note }: DueFields): Conflict {
  const stored = { dueOn: dueOn === null ? 'There is none now.' : `It is ${formatCalendarDay(dueOn)} now.`, note: '' }
  if (fields.includes('note')) stored.note = note === null ? 'There is none now.' : `It is “${note}” now.`
  const errors: FieldErrors = {}
  for (const field of fields) {
    errors[field] = `Somebody else changed this while you were editing. ${stored[field]} Save again to use yours.`
  }
  return new Conflict('changed_meanwhile', 'Somebody else changed this while you were editing.', errors)
}

type Row = DueFields & { id: number; itemName: string }

async function getRow(ctx: Ctx, input: Pair, { isLocked = false } = {}): Promise<Row> {
  const { userUid, kind, itemUid } = input
  if (!isUid(userUid.toLowerCase()) || !isUid(itemUid.toLowerCase())) throw new NotFound()
  const { assignments, content, column } = tables[kind]
  const { rows } = await sql<Row>`
    select assignment.id, item.name as "itemName", assignment.due_on::text as "dueOn", assignment.note
    from ${sql.table(assignments)} assignment
    join users on users.id = assignment.user_id and users.erased_at is null
    join ${sql.table(content)} item on item.id = ${sql.ref(`assignment.${column}`)} and item.deleted_at is null
    where assignment.site_id = ${ctx.site.id} and users.uid = ${userUid} and item.uid = ${itemUid}
    ${isLocked ? sql`for update of assignment` : sql``}`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new NotFound()
  return row
}
