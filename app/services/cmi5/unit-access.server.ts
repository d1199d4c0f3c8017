import { env } from '~/config/env.server.ts'
import type { Ctx } from '../context.ts'
import { Forbidden } from '../errors.ts'
import { moduleUidOf } from '../packages/iris.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import {
  type Actor,
  type Agent,
  type DocumentContent,
  type DocumentKey,
  type DocumentList,
  type DocumentOwner,
  deleteAllState,
  deleteDocument,
  findDeclaringModule,
  getDocument,
  getStatement,
  identifierOf,
  isJson,
  isLanguageTag,
  listDocumentIds,
  type Preconditions,
  postDocument,
  putDocument,
  queryMoreStatements,
  queryStatements,
  type SingleStatement,
  type StatementPage,
  type StatementQuery,
  type StatementScope,
  type StoredDocument,
  type UnitAccess,
} from '../xapi/xapi.server.ts'
import { addStoredBytes } from './quota.server.ts'
import { recordPreferencesRead, type UnitSession } from './unit-sessions.server.ts'
import { launchDataId, preferencesId } from './vocabulary.ts'

/*
 * What a unit's token gives access to besides its own statements: documents of its learner and statements of its
 * registration (cmi5 8.1.3, 10, 11). Once the session has ended, it gives access to nothing (cmi5 9.3.6, 9.3.8).
 */
type UnitDocument = { session: UnitSession; key: DocumentKey }

export async function getUnitDocument(ctx: Ctx, { session, key }: UnitDocument): Promise<StoredDocument> {
  await requireOwner(ctx, session, key, 'read')
  if (isPreferences(key)) await recordPreferencesRead(ctx, session)
  return getDocument(ctx, key, accessOf(session, key))
}

export async function listUnitDocumentIds(
  ctx: Ctx,
  input: { session: UnitSession; owner: DocumentOwner; since?: Date },
): Promise<DocumentList> {
  await requireOwner(ctx, input.session, input.owner, 'read')
  return listDocumentIds(ctx, input.owner, input.since, accessOf(input.session, input.owner))
}

export async function writeUnitDocument(
  ctx: Ctx,
  input: UnitDocument & { method: 'put' | 'post'; document: DocumentContent; preconditions: Preconditions },
): Promise<void> {
  const { session, key, document } = input
  await requireOwner(ctx, session, key, 'write')
  requireChangeable(key)
  if (isPreferences(key)) requirePreferences(document)
  const write = input.method === 'put' ? putDocument : postDocument
  await write(ctx, key, document, input.preconditions, accessOf(session, key))
}

export async function deleteUnitDocument(
  ctx: Ctx,
  { session, key, preconditions }: UnitDocument & { preconditions: Preconditions },
): Promise<void> {
  await requireOwner(ctx, session, key, 'write')
  requireChangeable(key)
  await deleteDocument(ctx, key, preconditions, accessOf(session, key))
}

/** Deletes all state except the launch data, which stays (cmi5 10.2.1). For requests without a stateId. */
export async function deleteUnitState(
  ctx: Ctx,
  { session, owner }: { session: UnitSession; owner: Extract<DocumentOwner, { kind: 'state' }> },
): Promise<void> {
  await requireOwner(ctx, session, owner, 'write')
  await deleteAllState(ctx, owner, accessOf(session, owner))
}

/** Throws Forbidden unless the agent is the learner of the launch. */
export function requireOwnAgent(session: UnitSession, agent: Actor): void {
  requireLive(session)
  if (identifierOf(agent) !== identifierOf(session.actor)) refuse('The agent is not the learner of this launch')
}

export function requireLive(session: UnitSession): void {
  if (session.isEnded) throw new Forbidden('The session has ended (cmi5 9.3.8).', 'cmi5.ended')
}

export async function queryUnitStatements(
  ctx: Ctx,
  { session, query }: { session: UnitSession; query: StatementQuery },
): Promise<StatementPage> {
  requireLive(session)
  if (query.agent) requireOwnAgent(session, query.agent)
  if (query.registration && query.registration !== session.registrationUid) {
    refuse('The registration is not the registration of this launch')
  }
  return queryStatements(ctx, { ...query, scope: scopeOf(session) })
}

export async function queryMoreUnitStatements(
  ctx: Ctx,
  { session, cursor }: { session: UnitSession; cursor: string },
): Promise<StatementPage> {
  requireLive(session)
  return queryMoreStatements(ctx, { cursor, scope: scopeOf(session) })
}

export async function getUnitStatement(
  ctx: Ctx,
  { session, ...input }: Parameters<typeof getStatement>[1] & { session: UnitSession },
): Promise<SingleStatement> {
  requireLive(session)
  return getStatement(ctx, { ...input, scope: scopeOf(session) })
}

function scopeOf(session: UnitSession): StatementScope {
  return { actor: session.actor, registration: session.registrationUid }
}

/**
 * All documents that a unit writes count toward the quota of its attempt. They belong to its module, except the learner's
 * preferences and profiles of activities, which others read.
 */
function accessOf(session: UnitSession, owner: DocumentOwner | DocumentKey): UnitAccess {
  const isShared = owner.kind === 'activity_profile' || ('documentId' in owner && isPreferences(owner))
  return {
    ownerUid: isShared ? null : session.moduleUid,
    onResize: (ctx, bytes) => addStoredBytes(ctx, session.registrationId, bytes),
  }
}

async function requireOwner(
  ctx: Ctx,
  session: UnitSession,
  owner: DocumentOwner,
  act: 'read' | 'write',
): Promise<void> {
  requireLive(session)
  if ('agent' in owner) requireOwnAgent(session, owner.agent as Agent)
  if (owner.kind === 'state' && owner.registration !== null && owner.registration !== session.registrationUid) {
    refuse('The registration is not the registration of this launch')
  }
  if (owner.kind === 'state') await requireOwnActivity(ctx, session, owner)
  // All learners share the profile of an activity, so a unit may write only the profiles that belong to it.
  if (owner.kind === 'activity_profile' && act === 'write') {
    if (![session.unitIri, session.publisherId].includes(owner.activityIri)) {
      refuse('A unit may write only the profile of its own activity')
    }
    await requireOwnActivity(ctx, session, { ...owner, registration: null })
  }
}

/** Keeps units away from activities that belong to other modules, by our ids or by what packages declare. */
async function requireOwnActivity(
  ctx: Ctx,
  session: UnitSession,
  { activityIri, registration }: { activityIri: string; registration: string | null },
): Promise<void> {
  if (activityIri === session.unitIri) return
  const named = moduleUidOf(await getInstallationValue(ctx.db, 'iri_base'), activityIri)
  const owner = named ?? (await findDeclaringModule(ctx, activityIri))
  if (owner === null || owner === session.moduleUid) return
  // Two modules may come from the same package. With a registration, their states are apart anyway.
  if (activityIri === session.publisherId && registration !== null) return
  refuse('A unit reaches only the state of activities of its own module')
}

/**
 * Units cannot write launch data. With CMI5_FIXED_PREFERENCES, they cannot write the learner's preferences either (cmi5
 * 11.0).
 */
function requireChangeable(key: DocumentKey): void {
  if (key.kind === 'state' && key.documentId === launchDataId)
    refuse('A unit cannot change its launch data (cmi5 10.2.1)')
  if (isPreferences(key) && env().CMI5_FIXED_PREFERENCES) {
    refuse('Units cannot change learner preferences here (cmi5 11)')
  }
}

function isPreferences(key: DocumentKey): boolean {
  return key.kind === 'agent_profile' && key.documentId === preferencesId
}

/**
 * Requires both preferences, well formed (cmi5 11). Otherwise throws Forbidden (403, not 400). Requires JSON, because a
 * document of another type could not be changed by a POST later.
 */
function requirePreferences(document: DocumentContent): void {
  const { content } = document
  if (!isJson(document)) refuse('Learner preferences must have the type application/json (cmi5 11)')
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8'))
  } catch {
    refuse('Learner preferences must be a JSON object (cmi5 11)')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('Learner preferences must be a JSON object (cmi5 11)')
  }
  const { languagePreference: languages, audioPreference: audio } = value as Record<string, unknown>
  const tags = typeof languages === 'string' ? languages.split(',').map((tag) => tag.trim()) : []
  if (tags.length === 0 || !tags.every(isLanguageTag)) {
    refuse('languagePreference must be a list of language tags separated by commas (cmi5 11.1)')
  }
  if (audio !== 'on' && audio !== 'off') refuse('audioPreference must be "on" or "off" (cmi5 11.2)')
}

function refuse(problem: string): never {
  throw new Forbidden(`${problem}.`, 'cmi5.scope')
}
