import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { openCursor, sealCursor } from './cursor.server.ts'
import { definitionsOf, mergeDefinitions } from './definitions.server.ts'
import { toCanonical, toIds } from './formats.ts'
import { activitiesOf } from './identity.ts'
import { type StatementFilter, type StatementScope, selectStatement, selectStatements } from './queries.server.ts'
import { prepareStatements, storeStatements } from './store.server.ts'
import type { Actor, Statement, XapiVersion } from './types.ts'
import { parseStatements } from './validate.ts'

export type StatementFormat = 'exact' | 'ids' | 'canonical'

/** Above what any client needs at once; `limit=0` means this too. */
export const maxPage = 500
const defaultPage = 100

/**
 * Stores what a client with a key sent: all or nothing. Sending the same statements again is a success. Returns the ids
 * in the order given.
 */
export async function recordStatements(
  ctx: Ctx,
  input: { statements: unknown; authority: Actor; version: XapiVersion },
): Promise<string[]> {
  const statements = parseStatements(input.statements, input.version)
  requireNoLooseAttachments(statements)
  const prepared = await prepareStatements(ctx, statements, input)
  await inTransaction(ctx, (ctx) => storeStatements(ctx, prepared))
  await mergeDefinitions(ctx, statements)
  return prepared.map((one) => one.id)
}

/** Attachments arrive as multipart/mixed, which is refused so far; one that names its `fileUrl` needs no bytes here. */
export function requireNoLooseAttachments(statements: Statement[]): void {
  for (const { attachments } of statements) {
    if (attachments?.some((attachment) => !attachment.fileUrl)) {
      throw new Invalid('Attachments without a fileUrl are not accepted yet.', {}, 'xapi.attachments')
    }
  }
}

export type StatementQuery = StatementFilter & {
  format?: StatementFormat
  limit?: number
  languages?: string[]
  scope?: StatementScope
}

/** `statements` are JSON texts, since `exact` hands on what is stored without parsing it. */
export type StatementPage = { statements: string[]; more: string | null }

type Cursor = { after: number; query: Omit<StatementQuery, 'scope'> }

export async function queryStatements(ctx: Ctx, query: StatementQuery): Promise<StatementPage> {
  return page(ctx, query, query.scope)
}

/** The next page of a walk. The reader's scope is applied again, so a cursor gives nobody more than they may see. */
export async function queryMoreStatements(
  ctx: Ctx,
  input: { cursor: string; scope?: StatementScope },
): Promise<StatementPage> {
  const { after, query } = await openCursor<Cursor>(ctx.db, input.cursor)
  return page(ctx, query, input.scope, after)
}

async function page(
  ctx: Ctx,
  { scope: _scope, ...query }: StatementQuery,
  scope: StatementScope | undefined,
  after?: number,
): Promise<StatementPage> {
  const limit = Math.min(query.limit === 0 ? maxPage : (query.limit ?? defaultPage), maxPage)
  const rows = await selectStatements(ctx, query, { limit, after, scope })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    statements: await format(
      ctx,
      shown.map((row) => row.body),
      query,
    ),
    more: rows.length > limit && last ? await sealCursor(ctx.db, { after: last.seq, query } satisfies Cursor) : null,
  }
}

/** NotFound where it is not there, is voided (or, asked for as voided, is not), or lies outside the reader's scope. */
export async function getStatement(
  ctx: Ctx,
  input: { id: string; isVoided?: boolean; format?: StatementFormat; languages?: string[]; scope?: StatementScope },
): Promise<{ statement: string; seq: number }> {
  const row = await selectStatement(ctx, { ...input, isVoided: input.isVoided ?? false })
  if (!row) throw new NotFound('There is no such statement.')
  const [statement = ''] = await format(ctx, [row.body], input)
  return { statement, seq: row.seq }
}

async function format(
  ctx: Ctx,
  bodies: string[],
  { format = 'exact', languages = [] }: { format?: StatementFormat; languages?: string[] },
): Promise<string[]> {
  if (format === 'exact') return bodies
  const statements = bodies.map((body) => JSON.parse(body) as Statement)
  if (format === 'ids') return statements.map((statement) => JSON.stringify(toIds(statement)))
  const definitions = await definitionsOf(
    ctx,
    statements.flatMap((statement) => activitiesOf(statement).map(({ id }) => id)),
  )
  return statements.map((statement) => JSON.stringify(toCanonical(statement, definitions, languages)))
}
