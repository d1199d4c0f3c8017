import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import type { AttachmentPart } from './attachment-rules.ts'
import { type AttachmentFile, listAttachments, withAttachments } from './attachments.server.ts'
import { requireClientScope } from './clients.server.ts'
import { openCursor, sealCursor } from './cursor.server.ts'
import { definitionsOf, mergeDefinitions } from './definitions.server.ts'
import { toCanonical, toIds } from './formats.ts'
import { activitiesOf } from './identity.ts'
import {
  maxPage,
  type StatementFilter,
  type StatementScope,
  selectStatement,
  selectStatements,
} from './queries.server.ts'
import { type PreparedStatement, prepareStatements, storeAtOnce, storeStatements } from './store.server.ts'
import type { Activity, Actor, Statement, XapiVersion } from './types.ts'
import { parseStatements } from './validate.ts'

export type StatementFormat = 'exact' | 'ids' | 'canonical'

const defaultPage = 100

type Recording = {
  statements: unknown
  attachments?: AttachmentPart[]
  authority: Actor
  version: XapiVersion
  /**
   * `find` selects statements to act on. `queueJob` receives those of them that are new, in the transaction that stores
   * them.
   */
  onStored?: {
    find: (ctx: Ctx, statements: PreparedStatement[]) => Promise<string[]>
    queueJob: (ctx: Ctx, ids: string[]) => Promise<void>
  }
}

/**
 * Stores the statements that a client with a key sent, all or none. Sending the same statements again succeeds. Returns
 * the ids in the given order.
 */
export async function recordStatements(ctx: Ctx, input: Recording): Promise<string[]> {
  requireClientScope(ctx, 'statements', 'write')
  const { authority, version } = input
  const statements = parseStatements(input.statements, version)
  const given = { statements, attachments: input.attachments ?? [], version }
  const { prepared, seqs } = await withAttachments(ctx, given, async (attachments) => {
    const prepared = await prepareStatements(ctx, statements, { authority, version, attachments })
    const found = (await input.onStored?.find(ctx, prepared)) ?? []
    const stored = found.length === 0 ? await storeAtOnce(ctx, prepared) : null
    if (stored) return { prepared, seqs: stored }
    return inTransaction(ctx, async (ctx) => {
      const seqs = await storeStatements(ctx, prepared)
      const newIds = found.filter((id) => seqs.has(id))
      if (newIds.length > 0) await input.onStored?.queueJob(ctx, newIds)
      return { prepared, seqs }
    })
  })
  // Statements that were already stored change nothing when sent again (1.0.3 communication 2.1.1, 2.1.2).
  const fresh = prepared.filter((one) => seqs.has(one.id))
  await mergeDefinitions(
    ctx,
    fresh.map((one) => one.statement),
  )
  return prepared.map((one) => one.id)
}

export type StatementQuery = StatementFilter & {
  format?: StatementFormat
  limit?: number
  languages?: string[]
  withAttachments?: boolean
  scope?: StatementScope
}

/**
 * `statements` are JSON texts, because `exact` returns stored texts without parsing them. `attachments` is null unless
 * requested. `lastSeq` belongs to the statement stored last, null if there is none.
 */
export type StatementPage = {
  statements: string[]
  more: string | null
  attachments: AttachmentFile[] | null
  lastSeq: number | null
}

type Cursor = { after: number; query: Omit<StatementQuery, 'scope'> }

export async function queryStatements(ctx: Ctx, query: StatementQuery): Promise<StatementPage> {
  requireClientScope(ctx, 'statements', 'read')
  return page(ctx, query, query.scope)
}

/** Returns the next page. The client's scope is applied again, so a cursor never shows more than the client may see. */
export async function queryMoreStatements(
  ctx: Ctx,
  input: { cursor: string; scope?: StatementScope },
): Promise<StatementPage> {
  requireClientScope(ctx, 'statements', 'read')
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
  const seqs = shown.map((row) => row.seq)
  return {
    statements: await format(
      ctx,
      shown.map((row) => row.body),
      query,
    ),
    more: rows.length > limit && last ? await sealCursor(ctx.db, { after: last.seq, query } satisfies Cursor) : null,
    attachments: query.withAttachments ? await listAttachments(ctx, seqs) : null,
    lastSeq: seqs.length > 0 ? Math.max(...seqs) : null,
  }
}

export type SingleStatement = { statement: string; seq: number; attachments: AttachmentFile[] | null }

/**
 * Returns a statement. Throws NotFound if it does not exist, is voided (or, if requested as voided, is not), or lies
 * outside the client's scope.
 */
export async function getStatement(
  ctx: Ctx,
  input: Pick<StatementQuery, 'format' | 'languages' | 'withAttachments' | 'scope'> & {
    id: string
    isVoided?: boolean
  },
): Promise<SingleStatement> {
  requireClientScope(ctx, 'statements', 'read')
  const row = await selectStatement(ctx, { ...input, isVoided: input.isVoided ?? false })
  if (!row) throw new NotFound('There is no such statement.')
  const [statement = ''] = await format(ctx, [row.body], input)
  return { statement, seq: row.seq, attachments: input.withAttachments ? await listAttachments(ctx, [row.seq]) : null }
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
  const definitionOf = ({ id, definition }: Activity) => definitions.get(id) ?? definition
  return statements.map((statement) => JSON.stringify(toCanonical(statement, definitionOf, languages)))
}
