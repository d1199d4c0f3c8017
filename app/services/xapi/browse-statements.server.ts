import { type Ctx, requireAdmin } from '../context.ts'
import { definitionsOf } from './definitions.server.ts'
import { toCanonical } from './formats.ts'
import { activitiesOf } from './identity.ts'
import { type StatementFilter, selectStatements } from './queries.server.ts'
import { storedAt } from './store.server.ts'
import type { Statement } from './types.ts'

/** A stored statement for display: `json` is the stored text; `statement` names its activities in one language. */
export type BrowsedStatement = { seq: number; storedAt: Date; statement: Statement; json: string }

/**
 * Lists the statements of the site that a query of `/xapi/statements` would find, for admins, newest first. As there,
 * voided statements are left out. `before` is the `seq` of the last one seen.
 */
export async function browseStatements(
  ctx: Ctx,
  input: { filter: StatementFilter; first: number; before?: number; languages?: string[] },
): Promise<{ items: BrowsedStatement[]; next: number | null }> {
  requireAdmin(ctx)
  const { filter, first, before, languages = [] } = input
  const rows = await selectStatements(ctx, filter, { limit: first, ...(before !== undefined && { after: before }) })
  const shown = rows.slice(0, first).map(({ seq, body }) => ({ seq, body, statement: JSON.parse(body) as Statement }))
  const iris = shown.flatMap(({ statement }) => activitiesOf(statement).map(({ id }) => id))
  const definitions = await definitionsOf(ctx, iris)
  return {
    items: shown.map(({ seq, body, statement }) => ({
      seq,
      storedAt: storedAt(seq),
      statement: toCanonical(statement, ({ id, definition }) => definition ?? definitions.get(id), languages),
      json: body,
    })),
    next: rows.length > first ? (shown.at(-1)?.seq ?? null) : null,
  }
}
