import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { isStorable } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Access, Ctx } from '../context.ts'
import { Conflict, Forbidden, Invalid, NotFound, TooLarge } from '../errors.ts'
import { requireClientScope } from './clients.server.ts'
import { identifierOf, iriKey } from './identity.ts'
import { findTerm, resolveTerms } from './terms.server.ts'
import type { Agent } from './types.ts'
import { requireShallow } from './validate-fields.ts'

/** State, agent profile and activity profile documents (xAPI 1.0.3 communication 2.3, 2.6, 2.7). */
export type DocumentOwner =
  | { kind: 'state'; activityIri: string; agent: Agent; registration: string | null }
  | { kind: 'agent_profile'; agent: Agent }
  | { kind: 'activity_profile'; activityIri: string }

export type DocumentKey = DocumentOwner & { documentId: string }
export type DocumentContent = { content: Buffer; contentType: string }
export type StoredDocument = DocumentContent & { etag: string; updatedAt: Date }
export type Preconditions = {
  ifMatch?: string
  ifNoneMatch?: string
  /** Refuses to overwrite a document without a precondition (for profiles; in xAPI 2.0 for all documents). */
  isRequired?: boolean
  /** Refuses to create a document without one, too. */
  isRequiredForNew?: boolean
}

/**
 * The access of a unit. It reaches the documents of its module and those that belong to none; `ownerUid` is null for a
 * document that all modules share. `onResize` is called in the transaction of a change with the number of bytes that it
 * adds or, if negative, frees; it refuses the change by throwing.
 */
export type UnitAccess = { ownerUid: string | null; onResize: (ctx: Ctx, bytes: number) => Promise<void> }

/** What a document takes up besides its content: ids, times and index entries. */
const bytesPerDocument = 1000

const maxIdBytes = 1000

export async function getDocument(
  ctx: Ctx,
  key: DocumentKey,
  unit: Pick<UnitAccess, 'ownerUid'> | null = null,
): Promise<StoredDocument> {
  requireScopeFor(ctx, key, 'read')
  const document = await findDocument(ctx, key, unit)
  if (!document) throw new NotFound('There is no such document.')
  return document
}

async function findDocument(
  ctx: Ctx,
  key: DocumentKey,
  unit: Pick<UnitAccess, 'ownerUid'> | null,
): Promise<StoredDocument | null> {
  const ids = await findOwner(ctx, key)
  if (!ids) return null
  const row = await documentsOf(ctx, ids)
    .where(isReachable(unit))
    .select(['content', 'content_type as contentType', 'etag', 'updated_at as updatedAt'])
    .where('document_id', '=', key.documentId)
    .executeTakeFirst()
  return row ?? null
}

/** `updatedAt` is the time of the latest change (1.0.3 communication 2.2), or null if there are no documents. */
export type DocumentList = { ids: string[]; updatedAt: Date | null }

/** Requires the scope of the key for state or for profiles. */
function requireScopeFor(ctx: Ctx, owner: DocumentOwner, access: Access): void {
  requireClientScope(ctx, owner.kind === 'state' ? 'state' : 'profile', access)
}

/** Lists the ids of an owner's documents or, with `since`, of those changed after it. */
export async function listDocumentIds(
  ctx: Ctx,
  owner: DocumentOwner,
  since?: Date,
  unit: Pick<UnitAccess, 'ownerUid'> | null = null,
): Promise<DocumentList> {
  requireScopeFor(ctx, owner, 'read')
  const ids = await findOwner(ctx, owner)
  if (!ids) return { ids: [], updatedAt: null }
  let query = documentsOf(ctx, ids)
    .where(isReachable(unit))
    .select(['document_id as id', 'updated_at as updatedAt'])
    .orderBy('document_id')
  if (since) query = query.where('updated_at', '>', since)
  const rows = await query.execute()
  const latest = rows.reduce<Date | null>(
    (found, { updatedAt }) => (found && found > updatedAt ? found : updatedAt),
    null,
  )
  return { ids: rows.map((row) => row.id), updatedAt: latest }
}

export async function putDocument(
  ctx: Ctx,
  key: DocumentKey,
  document: DocumentContent,
  preconditions: Preconditions = {},
  unit: UnitAccess | null = null,
): Promise<void> {
  requireScopeFor(ctx, key, 'write')
  // A document sent as JSON must be JSON (1.0.3 communication 3.2).
  if (isJson(document)) parseJson(document, 'The document')
  await write(ctx, key, preconditions, unit, () => document)
}

/** Merges a JSON object into a stored one, top level only. Refuses anything else (1.0.3 communication 2.2). */
export async function postDocument(
  ctx: Ctx,
  key: DocumentKey,
  document: DocumentContent,
  preconditions: Preconditions = {},
  unit: UnitAccess | null = null,
): Promise<void> {
  requireScopeFor(ctx, key, 'write')
  await write(ctx, key, { ...preconditions, isRequired: false, isRequiredForNew: false }, unit, (before) => {
    if (!before) {
      if (isJson(document)) parseObject(document, 'The document')
      return document
    }
    if (!isJson(before) || !isJson(document)) {
      throw new Invalid('Only JSON objects can be merged: both documents must be application/json.', {}, 'xapi.merge')
    }
    const merged = { ...parseObject(before, 'The stored document'), ...parseObject(document, 'The document') }
    const content = Buffer.from(JSON.stringify(merged))
    if (content.length > maxDocumentBytes()) throw tooLarge()
    return { content, contentType: before.contentType }
  })
}

export async function deleteDocument(
  ctx: Ctx,
  key: DocumentKey,
  preconditions: Preconditions = {},
  unit: UnitAccess | null = null,
): Promise<void> {
  requireScopeFor(ctx, key, 'write')
  const optional = { ...preconditions, isRequired: false }
  const ids = await findOwner(ctx, key)
  if (!ids) return checkPreconditions(null, optional)
  await inTransaction(ctx, async (ctx) => {
    const found = await lock(ctx, ids, key.documentId)
    // For a unit, the document of another module is not there.
    const before = found && isOfOther(unit, found) ? null : found
    checkPreconditions(before, optional)
    if (before?.isLocked) throw lockedDocument()
    if (!before) return
    await ctx.db.deleteFrom('xapi_documents').where('id', '=', before.id).execute()
    await unit?.onResize(ctx, -(before.content.length + bytesPerDocument))
  })
}

/** Deletes all state of an owner, except documents that the system keeps there. */
export async function deleteAllState(
  ctx: Ctx,
  owner: Extract<DocumentOwner, { kind: 'state' }>,
  unit: UnitAccess | null = null,
): Promise<void> {
  requireScopeFor(ctx, owner, 'write')
  const ids = await findOwner(ctx, owner)
  if (!ids) return
  await inTransaction(ctx, async (ctx) => {
    const found = documentsOf(ctx, ids).select('id').where('is_locked', '=', false).where(isReachable(unit))
    const deleted = await ctx.db
      .deleteFrom('xapi_documents')
      .where('id', 'in', (eb) => eb.selectFrom(found.orderBy('id').forUpdate().as('found')).select('found.id'))
      .returning(sql<number>`octet_length(content)`.as('bytes'))
      .execute()
    const freed = deleted.reduce((sum, { bytes }) => sum + bytes + bytesPerDocument, 0)
    if (freed > 0) await unit?.onResize(ctx, -freed)
  })
}

/**
 * Writes a document of the system, which clients may only read. Runs in the caller's transaction; its terms must be
 * resolved before.
 */
export async function writeLockedDocument(ctx: Ctx, key: DocumentKey, document: DocumentContent): Promise<void> {
  const ids = await resolveOwner(ctx, key)
  const values = { ...document, etag: etagOf(document.content), is_locked: true }
  const { contentType: content_type, ...row } = values
  await ctx.db
    .insertInto('xapi_documents')
    .values({ ...columns(ctx, ids), document_id: key.documentId, content_type, ...row, updated_at: writtenAt })
    .onConflict((oc) =>
      oc
        .columns(['site_id', 'kind', 'activity_id', 'agent_id', 'registration', 'document_id'])
        .doUpdateSet({ content_type, ...row, updated_at: laterThanBefore }),
    )
    .execute()
}

type OwnerIds = { kind: string; activityId: number | null; agentId: number | null; registration: string | null }
type LockedDocument = StoredDocument & { id: number; isLocked: boolean; ownerUid: string | null }

/**
 * The time of writing, read from the database's clock while the row is locked. The start of the request would be too
 * early: a client that asks for changes since then could miss this one. The time never goes back.
 */
const writtenAt = sql<Date>`clock_timestamp()`
const laterThanBefore = sql<Date>`greatest(xapi_documents.updated_at, ${writtenAt})`

async function write(
  ctx: Ctx,
  key: DocumentKey,
  preconditions: Preconditions,
  unit: UnitAccess | null,
  change: (before: LockedDocument | null) => DocumentContent,
): Promise<void> {
  checkDocumentId(key.documentId)
  const ids = await resolveOwner(ctx, key)
  // A request that loses the race to create the document finds it on the next try, and its preconditions are checked
  // again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const isWritten = await inTransaction(ctx, async (ctx) => {
      const before = await lock(ctx, ids, key.documentId)
      if (before && isOfOther(unit, before)) throw documentOfOther()
      checkPreconditions(before, preconditions)
      if (before?.isLocked) throw lockedDocument()
      const { content, contentType } = change(before)
      const values = { content, content_type: contentType, etag: etagOf(content) }
      if (before) {
        await ctx.db
          .updateTable('xapi_documents')
          .set({ ...values, updated_at: laterThanBefore, ...(unit?.ownerUid && { owner_uid: unit.ownerUid }) })
          .where('id', '=', before.id)
          .execute()
        await unit?.onResize(ctx, content.length - before.content.length)
        return true
      }
      const inserted = await ctx.db
        .insertInto('xapi_documents')
        .values({
          ...columns(ctx, ids),
          document_id: key.documentId,
          ...values,
          owner_uid: unit?.ownerUid ?? null,
          updated_at: writtenAt,
        })
        .onConflict((oc) => oc.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (inserted) await unit?.onResize(ctx, content.length + bytesPerDocument)
      return inserted !== undefined
    })
    if (isWritten) return
  }
  throw new Conflict('xapi.document_busy', 'Somebody else is changing this document. Try again.')
}

async function lock(ctx: Ctx, ids: OwnerIds, documentId: string): Promise<LockedDocument | null> {
  const row = await documentsOf(ctx, ids)
    .select([
      'id',
      'content',
      'content_type as contentType',
      'etag',
      'updated_at as updatedAt',
      'is_locked as isLocked',
      'owner_uid as ownerUid',
    ])
    .where('document_id', '=', documentId)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

function isReachable(unit: Pick<UnitAccess, 'ownerUid'> | null): RawBuilder<boolean> {
  return unit === null ? sql<boolean>`true` : sql<boolean>`(owner_uid is null or owner_uid = ${unit.ownerUid}::uuid)`
}

function isOfOther(unit: Pick<UnitAccess, 'ownerUid'> | null, { ownerUid }: LockedDocument): boolean {
  return unit !== null && ownerUid !== null && ownerUid !== unit.ownerUid
}

function documentsOf(ctx: Ctx, ids: OwnerIds) {
  return ctx.db
    .selectFrom('xapi_documents')
    .where('site_id', '=', ctx.site.id)
    .where('kind', '=', ids.kind)
    .where('activity_id', ids.activityId === null ? 'is' : '=', ids.activityId)
    .where('agent_id', ids.agentId === null ? 'is' : '=', ids.agentId)
    .where('registration', ids.registration === null ? 'is' : '=', ids.registration)
}

function columns(ctx: Ctx, ids: OwnerIds) {
  return {
    site_id: ctx.site.id,
    kind: ids.kind,
    activity_id: ids.activityId,
    agent_id: ids.agentId,
    registration: ids.registration,
  }
}

async function findOwner(ctx: Ctx, owner: DocumentOwner): Promise<OwnerIds | null> {
  const [activityId, agentId] = await Promise.all([
    'activityIri' in owner ? findTerm(ctx, 'activities', iriKey(owner.activityIri)) : undefined,
    'agent' in owner ? findTerm(ctx, 'agents', identifierOf(owner.agent)) : undefined,
  ])
  if (activityId === null || agentId === null) return null
  return idsOf(owner, activityId ?? null, agentId ?? null)
}

async function resolveOwner(ctx: Ctx, owner: DocumentOwner): Promise<OwnerIds> {
  const activity = 'activityIri' in owner ? iriKey(owner.activityIri) : null
  const agent = 'agent' in owner ? identifierOf(owner.agent) : null
  const terms = await resolveTerms(ctx, {
    verbs: [],
    activities: activity ? [activity] : [],
    agents: agent ? [agent] : [],
  })
  return idsOf(owner, activity ? terms.activities.get(activity) : null, agent ? terms.agents.get(agent) : null)
}

function idsOf(owner: DocumentOwner, activityId: number | null, agentId: number | null): OwnerIds {
  return { kind: owner.kind, activityId, agentId, registration: owner.kind === 'state' ? owner.registration : null }
}

function checkDocumentId(id: string): void {
  if (id === '' || !isStorable(id) || Buffer.byteLength(id) > maxIdBytes) {
    throw new Invalid(`The id of a document must have 1 to ${maxIdBytes} bytes.`, {}, 'xapi.document_id')
  }
}

/** Checks the preconditions of RFC 7232, as xAPI 1.0.3 communication 3.1 requires. */
function checkPreconditions(before: StoredDocument | null, preconditions: Preconditions): void {
  const { ifMatch, ifNoneMatch, isRequired, isRequiredForNew } = preconditions
  const failed = () => new Conflict('xapi.precondition', 'The document has changed since it was read.')
  if (ifMatch !== undefined && !(before && matches(ifMatch, before.etag))) throw failed()
  if (ifNoneMatch !== undefined && before && matches(ifNoneMatch, before.etag)) throw failed()
  if (ifMatch !== undefined || ifNoneMatch !== undefined) return
  if (isRequiredForNew && !before) {
    throw new Invalid('Send If-None-Match: * to create a profile.', {}, 'xapi.precondition_missing')
  }
  if (isRequired && before) {
    throw new Conflict(
      'xapi.precondition_missing',
      'This document exists. Read it first and send its ETag in If-Match, or send If-None-Match: * to create new documents only.',
    )
  }
}

function matches(header: string, etag: string): boolean {
  return header
    .split(',')
    .map((part) => part.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
    .some((part) => part === '*' || part === etag)
}

function etagOf(content: Buffer): string {
  return createHash('sha1').update(content).digest('hex')
}

export function isJson({ contentType }: { contentType: string }): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType)
}

function parseJson({ content }: DocumentContent, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content))
  } catch {
    throw new Invalid(`${what} is not JSON, although its Content-Type says so.`, {}, 'xapi.content_type')
  }
}

function parseObject(document: DocumentContent, what: string): object {
  const value = parseJson(document, what)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Invalid(`${what} is not a JSON object.`, {}, 'xapi.merge')
  }
  requireShallow(value, what)
  return value
}

/** The transport limits what is sent. This limits what several POSTs merge into one document. */
function maxDocumentBytes(): number {
  return env().XAPI_MAX_MB * 1024 * 1024
}

function tooLarge(): TooLarge {
  return new TooLarge(`The merged document would be larger than ${env().XAPI_MAX_MB} MB.`, 'xapi.too_large')
}

function documentOfOther(): Forbidden {
  return new Forbidden('A document with this id belongs to another module.', 'xapi.owner')
}

function lockedDocument(): Forbidden {
  return new Forbidden('This document belongs to the learning platform and cannot be changed.', 'xapi.locked')
}
