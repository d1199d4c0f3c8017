import type { Ctx } from '../context.ts'
import { definitionsOf } from './definitions.server.ts'
import { toCanonical } from './formats.ts'
import { activitiesOf } from './identity.ts'
import type { Statement } from './types.ts'

/** A stored statement for reading: `json` as it is kept, `statement` with what is known of its activities. */
export type RecordedStatement = {
  seq: number
  occurredAt: Date
  statement: Statement
  json: string
  isVoided: boolean
}

/**
 * Of one registration, newest first, those that were voided too, with the names of activities in the language that suits best.
 * `before` is the `seq` of the last one seen. Callers decide who may ask.
 */
export async function listStatementsOfRegistration(
  ctx: Ctx,
  input: { registration: string; first: number; before?: number; languages?: string[] },
): Promise<{ items: RecordedStatement[]; next: number | null }> {
  let query = ctx.db
    .selectFrom('xapi_statements')
    .select(['seq', 'occurred_at as occurredAt', 'voided_by as voidedBy', 'body'])
    .where('site_id', '=', ctx.site.id)
    .where('registration', '=', input.registration)
    .orderBy('seq', 'desc')
    .limit(input.first + 1)
  if (input.before !== undefined) query = query.where('seq', '<', input.before)
  const rows = await query.execute()
  const shown = rows.slice(0, input.first).map((row) => ({ ...row, statement: JSON.parse(row.body) as Statement }))
  const iris = shown.flatMap(({ statement }) => activitiesOf({ object: statement.object }).map(({ id }) => id))
  const definitions = iris.length > 0 ? await definitionsOf(ctx, iris) : new Map()
  return {
    items: shown.map(({ seq, occurredAt, voidedBy, body, statement }) => ({
      seq,
      occurredAt,
      statement: { ...statement, object: toCanonical(statement, definitions, input.languages ?? []).object },
      json: body,
      isVoided: voidedBy !== null,
    })),
    next: rows.length > input.first ? (shown.at(-1)?.seq ?? null) : null,
  }
}
