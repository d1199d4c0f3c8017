/**
 * xAPI: the learning record store. It keeps statements and documents and finds them again; it knows nothing of cmi5,
 * modules or progress. Statements never change: what is stored under an id stays, and a voided one is only no longer
 * shown.
 */
export {
  type Client,
  type ClientResource,
  clientMay,
  createClient,
  findClient,
  touchClient,
} from './clients.server.ts'
export { definitionsOf, mergeDefinitions } from './definitions.server.ts'
export {
  type DocumentContent,
  type DocumentKey,
  type DocumentOwner,
  deleteAllState,
  deleteDocument,
  getDocument,
  listDocumentIds,
  type Preconditions,
  postDocument,
  putDocument,
  type StoredDocument,
  writeLockedDocument,
} from './documents.server.ts'
export { identifierOf, iriKey, isActivity, sha256 } from './identity.ts'
export { consistentThrough, type StatementScope } from './queries.server.ts'
export { listStatementsOfRegistration, type RecordedStatement } from './registration-statements.server.ts'
export {
  getStatement,
  queryMoreStatements,
  queryStatements,
  recordStatements,
  requireNoLooseAttachments,
  type StatementFormat,
  type StatementPage,
  type StatementQuery,
} from './statements.server.ts'
export {
  findKnownStatements,
  type PreparedStatement,
  prepareStatements,
  requireSameContent,
  storedAt,
  storeStatements,
} from './store.server.ts'
export { resolveTerms } from './terms.server.ts'
export type {
  Activity,
  ActivityDefinition,
  Actor,
  Agent,
  Context,
  LanguageMap,
  Result,
  Statement,
  StatementObject,
  StoredStatement,
  XapiVersion,
} from './types.ts'
export { voidedVerb } from './types.ts'
export { checkActor, parseStatements } from './validate.ts'
export {
  formatDuration,
  formatMicros,
  isIri,
  isLanguageTag,
  isUtc,
  isUuid,
  parseDuration,
  parseTimestamp,
} from './values.ts'
export { type StatementWords, secondsInWords, statementInWords } from './words.ts'
