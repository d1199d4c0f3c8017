import {
  deleteUnitDocument,
  deleteUnitState,
  findUnitSession,
  getUnitDocument,
  getUnitStatement,
  listUnitDocumentIds,
  queryMoreUnitStatements,
  queryUnitStatements,
  recordAuStatements,
  requireLive,
  requireOwnAgent,
  touchUnitSession,
  type UnitSession,
  unitUserName,
  voidingOfForeign,
  writeUnitDocument,
} from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import {
  type Agent,
  type AttachmentPart,
  type Client,
  consistentThrough,
  type DocumentContent,
  type DocumentKey,
  type DocumentList,
  type DocumentOwner,
  deleteAllState,
  deleteDocument,
  findClient,
  getDocument,
  getStatement,
  listDocumentIds,
  type Preconditions,
  postDocument,
  putDocument,
  queryMoreStatements,
  queryStatements,
  recordStatements,
  requireClientScope,
  type SingleStatement,
  type StatementPage,
  type StatementQuery,
  type StoredDocument,
  touchClient,
  type XapiVersion,
} from '~/services/xapi/xapi.server.ts'
import { unauthorized } from './request.server.ts'

/** What a request stores: statements and their attachments. */
export type Given = { statements: unknown; attachments: AttachmentPart[] }

/**
 * The sender of a request, as the calls that it may make: a unit with the token of its launch, or a client with its
 * key. Each call is one call of a service.
 */
export type Principal = {
  ctx: Ctx
  record(given: Given, version: XapiVersion): Promise<string[]>
  query(query: StatementQuery): Promise<StatementPage>
  queryMore(cursor: string): Promise<StatementPage>
  statement(input: Parameters<typeof getStatement>[1]): Promise<SingleStatement>
  document(key: DocumentKey): Promise<StoredDocument>
  documentIds(owner: DocumentOwner, since?: Date): Promise<DocumentList>
  write(
    method: 'put' | 'post',
    key: DocumentKey,
    document: DocumentContent,
    preconditions: Preconditions,
  ): Promise<void>
  remove(key: DocumentKey, preconditions: Preconditions): Promise<void>
  removeState(owner: Extract<DocumentOwner, { kind: 'state' }>): Promise<void>
  mayLookUp(agent: Agent | null): void
  consistentThrough(): Promise<Date>
  /** Runs after the answer. */
  finish(): Promise<void>
}

/** Both use `Authorization: Basic …`: units send the token from the fetch address unchanged (cmi5 8.2.1). */
export async function authenticate(
  base: Ctx,
  header: string | undefined,
  options: { isReading: boolean },
): Promise<Principal> {
  const token = /^Basic\s+(\S+)$/i.exec(header ?? '')?.[1]
  if (!token) throw unauthorized()
  const [, user = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(token, 'base64').toString('utf8')) ?? []
  if (user === unitUserName) {
    const session = await findUnitSession(base, { token })
    if (!session) throw unauthorized()
    return unitPrincipal({ ...base, site: session.site }, session)
  }
  const client = await findClient(base, { key: user, secret, ...options })
  if (!client) throw unauthorized()
  return clientPrincipal({ ...base, site: client.site, scopes: client.scopes }, client)
}

function unitPrincipal(ctx: Ctx, session: UnitSession): Principal {
  return {
    ctx,
    record: (given, version) => recordAuStatements(ctx, { session, ...given, version }),
    query: (query) => queryUnitStatements(ctx, { session, query }),
    queryMore: (cursor) => queryMoreUnitStatements(ctx, { session, cursor }),
    statement: (input) => getUnitStatement(ctx, { session, ...input }),
    document: (key) => getUnitDocument(ctx, { session, key }),
    documentIds: (owner, since) => listUnitDocumentIds(ctx, { session, owner, ...(since && { since }) }),
    write: (method, key, document, preconditions) =>
      writeUnitDocument(ctx, { session, key, method, document, preconditions }),
    remove: (key, preconditions) => deleteUnitDocument(ctx, { session, key, preconditions }),
    removeState: (owner) => deleteUnitState(ctx, { session, owner }),
    mayLookUp: (agent) => (agent ? requireOwnAgent(session, agent) : requireLive(session)),
    consistentThrough: () => consistentThrough(ctx),
    finish: () => touchUnitSession(ctx, session),
  }
}

/** The services check the key's scopes, which are in the context. */
function clientPrincipal(ctx: Ctx, client: Client): Principal {
  const { authority } = client
  return {
    ctx,
    record: (given, version) => recordStatements(ctx, { ...given, version, authority, onStored: voidingOfForeign }),
    query: (query) => queryStatements(ctx, query),
    queryMore: (cursor) => queryMoreStatements(ctx, { cursor }),
    statement: (input) => getStatement(ctx, input),
    document: (key) => getDocument(ctx, key),
    documentIds: (owner, since) => listDocumentIds(ctx, owner, since),
    // 1.0.3 communication 3.1 has clients send a precondition with every profile. Units may leave it out for a new one,
    // because packages in the field do.
    write: (method, key, document, preconditions) =>
      (method === 'put' ? putDocument : postDocument)(ctx, key, document, {
        ...preconditions,
        isRequiredForNew: key.kind !== 'state',
      }),
    remove: (key, preconditions) => deleteDocument(ctx, key, preconditions),
    removeState: (owner) => deleteAllState(ctx, owner),
    mayLookUp: () => requireClientScope(ctx, 'profile', 'read'),
    consistentThrough: async () => client.consistentThrough ?? consistentThrough(ctx),
    finish: () => touchClient(ctx, client),
  }
}
