import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { definitionsOf } from './definitions.server.ts'
import { toCanonical } from './formats.ts'
import { activitiesOf } from './identity.ts'
import type { Statement } from './types.ts'

/**
 * A stored statement for display: `json` is the stored text; `statement` includes what is known about its activities.
 */
export type RecordedStatement = {
  seq: number
  occurredAt: Date
  statement: Statement
  json: string
  isVoided: boolean
}

/** A page ends early at this size. A single statement may have 10 MB, and its sender may be hostile. */
const pageBytes = 2_000_000

/**
 * Lists the statements of a registration, newest first, including voided ones, with activity names in the best matching
 * language. `before` is the `seq` of the last one seen. Callers decide who may ask.
 */
export async function listStatementsOfRegistration(
  ctx: Ctx,
  input: { registration: string; first: number; before?: number; languages?: string[] },
): Promise<{ items: RecordedStatement[]; next: number | null }> {
  let latest = ctx.db
    .selectFrom('xapi_statements')
    .select(['seq', sql<number>`octet_length(body)`.as('bytes')])
    .where('site_id', '=', ctx.site.id)
    .where('registration', '=', input.registration)
    .orderBy('seq', 'desc')
    .limit(input.first + 1)
  if (input.before !== undefined) latest = latest.where('seq', '<', input.before)
  const sized = ctx.db
    .selectFrom(latest.as('latest'))
    .select([
      'seq',
      sql<number>`sum(bytes) over (order by seq desc) - bytes`.as('bytesBefore'),
      sql<boolean>`lead(seq) over (order by seq desc) is not null`.as('isFollowed'),
    ])
  const rows = await ctx.db
    .selectFrom(sized.as('sized'))
    .innerJoin('xapi_statements', 'xapi_statements.seq', 'sized.seq')
    .select(['sized.seq', 'isFollowed', 'occurred_at as occurredAt', 'voided_by as voidedBy', 'body'])
    .where('site_id', '=', ctx.site.id)
    .where('bytesBefore', '<', pageBytes)
    .orderBy('sized.seq', 'desc')
    .limit(input.first)
    .execute()
  const shown = rows.map((row) => ({ ...row, statement: JSON.parse(row.body) as Statement }))
  // A statement says itself what it is about. Only one that does not takes the definition from the package.
  const iris = shown.flatMap(({ statement }) =>
    activitiesOf({ object: statement.object }).flatMap(({ id, definition }) => (definition ? [] : [id])),
  )
  const definitions = await definitionsOf(ctx, iris, input.registration)
  const languages = input.languages ?? []
  return {
    items: shown.map(({ seq, occurredAt, voidedBy, body, statement }) => ({
      seq,
      occurredAt,
      statement: {
        ...statement,
        object: toCanonical(statement, ({ id, definition }) => definition ?? definitions.get(id), languages).object,
      },
      json: body,
      isVoided: voidedBy !== null,
    })),
    next: shown.at(-1)?.isFollowed ? (shown.at(-1)?.seq ?? null) : null,
  }
}
