/** What was assigned to many people, as the console shows it for thirty days. */
import type { AssigningLine, AssigningView } from '~/components/console/users/assign-view.ts'
import { formatCalendarDay, formatMoment } from '~/lib/dates.ts'
import {
  getAssignmentOperation,
  type AssigningLine as Line,
  listAssignmentOperations,
} from '~/services/assignments/list-operations.server.ts'
import type { BulkOperation } from '~/services/bulk/bulk.server.ts'
import type { Ctx } from '~/services/context.ts'
import { wholeViewOf } from './bulk-operation.server.ts'

export async function getAssigningView(ctx: Ctx, input: { operationUid: string }): Promise<AssigningView> {
  const { operation, undo, left, dueOn, ...made } = await getAssignmentOperation(ctx, input)
  return {
    ...made,
    operation: await wholeViewOf(ctx, operation),
    undo: undo && (await wholeViewOf(ctx, undo)),
    canUndo: operation.status !== 'running' && undo?.status !== 'running' && left > 0,
    dueOn: dueOn && formatCalendarDay(dueOn),
  }
}

const states: Record<BulkOperation['status'], string> = {
  prepared: 'Not started',
  running: 'Running',
  done: 'Done',
  canceled: 'Canceled',
  failed: 'Stopped by an error',
}

export const linesPerPage = 20

export async function listAssigningLines(
  ctx: Ctx,
  input: { page: number },
): Promise<{ lines: AssigningLine[]; page: number; total: number }> {
  const { items, total } = await listAssignmentOperations(ctx, { ...input, size: linesPerPage })
  const lines = items.map((line) => ({
    uid: line.uid,
    what: namesOf(line),
    people: line.people,
    createdOn: formatMoment(line.createdAt, ctx.site.timeZone),
    by: line.by ?? '–',
    state: line.isUndone ? 'Undone' : states[line.status],
  }))
  return { lines, page: input.page, total }
}

function namesOf({ first, items }: Line): string {
  if (first === null) return items === 1 ? 'One item, removed since' : `${items} items, removed since`
  return items === 1 ? first : `${first} and ${items - 1} more`
}
