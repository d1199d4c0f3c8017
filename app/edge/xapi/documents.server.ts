import { Invalid } from '~/services/errors.ts'
import { type Agent, type DocumentOwner, isUuid, type Preconditions } from '~/services/xapi/xapi.server.ts'
import { type Answer, jsonWithEtag, noContent } from './answer.server.ts'
import type { Principal } from './principal.server.ts'
import { allowParams, requireParam, type XapiRequest } from './request.server.ts'
import { agentParam, iriParam, timeParam } from './statements.server.ts'

/** State, agent profile and activity profile (xAPI 1.0.3 communication 2.3, 2.6, 2.7). */
export type DocumentResource = 'activities/state' | 'agents/profile' | 'activities/profile'

const paramsOf: Record<DocumentResource, { id: string; others: string[] }> = {
  'activities/state': { id: 'stateId', others: ['activityId', 'agent', 'registration'] },
  'agents/profile': { id: 'profileId', others: ['agent'] },
  'activities/profile': { id: 'profileId', others: ['activityId'] },
}

export async function answerDocuments(
  resource: DocumentResource,
  request: XapiRequest,
  principal: Principal,
): Promise<Answer> {
  const { id, others } = paramsOf[resource]
  const documentId = request.params.get(id)
  // `since` has no meaning together with an id: 1.0.3 ignores it, 2.0 does not allow it (4.1.6.2).
  const takesSince = request.method === 'GET' && (documentId === undefined || request.version === '1.0.3')
  allowParams(request, [id, ...others, ...(takesSince ? ['since'] : [])])
  const owner = ownerOf(resource, request)
  const since = request.params.has('since') ? new Date(timeParam(request, 'since') / 1000) : undefined
  if (request.method === 'GET' && documentId === undefined) return list(principal, owner, since)
  if (request.method === 'DELETE' && documentId === undefined && owner.kind === 'state') {
    await principal.removeState(owner)
    return noContent
  }
  const key = { ...owner, documentId: requireParam(request, id) }
  switch (request.method) {
    case 'GET': {
      const { content, contentType, etag, updatedAt } = await principal.document(key)
      const headers = { 'Content-Type': contentType, ETag: `"${etag}"`, 'Last-Modified': updatedAt.toUTCString() }
      return { status: 200, headers, body: content }
    }
    case 'PUT':
    case 'POST': {
      const method = request.method === 'PUT' ? 'put' : 'post'
      const document = { content: await request.body(), contentType: contentTypeOf(request) }
      await principal.write(method, key, document, preconditionsOf(request, owner))
      return noContent
    }
    case 'DELETE':
      await principal.remove(key, preconditionsOf(request, owner))
      return noContent
    default:
      throw new Invalid(`${request.method} is not possible here.`, {}, 'xapi.method')
  }
}

async function list(principal: Principal, owner: DocumentOwner, since?: Date): Promise<Answer> {
  const { ids, updatedAt } = await principal.documentIds(owner, since)
  return jsonWithEtag(ids, updatedAt ? { 'Last-Modified': updatedAt.toUTCString() } : {})
}

function ownerOf(resource: DocumentResource, request: XapiRequest): DocumentOwner {
  if (resource === 'agents/profile') return { kind: 'agent_profile', agent: agentOf(request) }
  if (resource === 'activities/profile') {
    return { kind: 'activity_profile', activityIri: iriParam(request, 'activityId') }
  }
  const registration = request.params.get('registration')
  if (registration !== undefined && !isUuid(registration)) {
    throw new Invalid('registration is not a UUID.', {}, 'xapi.parameter')
  }
  return {
    kind: 'state',
    activityIri: iriParam(request, 'activityId'),
    agent: agentOf(request),
    registration: registration?.toLowerCase() ?? null,
  }
}

function agentOf(request: XapiRequest): Agent {
  return agentParam(request, 'agent') as Agent
}

function contentTypeOf(request: XapiRequest): string {
  const type = (request.header('content-type') ?? 'application/octet-stream').trim()
  if (!/^[\x20-\x7e]{1,300}$/.test(type))
    throw new Invalid('The Content-Type is not a media type.', {}, 'xapi.content_type')
  return type
}

/** Overwriting a profile needs a precondition (1.0.3 communication 3.1); in xAPI 2.0 a state does too. */
function preconditionsOf(request: XapiRequest, owner: DocumentOwner): Preconditions {
  const ifMatch = request.header('if-match')
  const ifNoneMatch = request.header('if-none-match')
  return {
    ...(ifMatch !== undefined && { ifMatch }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
    isRequired: owner.kind !== 'state' || request.version === '2.0.0',
  }
}
