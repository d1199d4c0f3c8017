/**
 * xAPI: the learning record store. It stores and finds statements and documents, and knows nothing of cmi5, modules or
 * progress. Statements never change; a voided statement is only hidden.
 */
export type { AttachmentPart } from './attachment-rules.ts'
export {
  type AttachmentFile,
  type ReceivedAttachments,
  sweepAttachments,
  withAttachments,
} from './attachments.server.ts'
export { type BrowsedStatement, browseStatements } from './browse-statements.server.ts'
export {
  type Client,
  type ClientResource,
  clientScopes,
  createClient,
  findClient,
  listClients,
  requireClientScope,
  revokeClient,
  touchClient,
} from './clients.server.ts'
export {
  type Definer,
  declareActivities,
  definitionsOf,
  findDeclaringModule,
  mergeDefinitions,
} from './definitions.server.ts'
export {
  type DocumentContent,
  type DocumentKey,
  type DocumentList,
  type DocumentOwner,
  deleteAllState,
  deleteDocument,
  getDocument,
  isJson,
  listDocumentIds,
  type Preconditions,
  postDocument,
  putDocument,
  type StoredDocument,
  type UnitAccess,
  writeLockedDocument,
} from './documents.server.ts'
export {
  backfillForwards,
  type Forwarding,
  findForwardingProblem,
  getForwarding,
  retryForwards,
} from './forward-status.server.ts'
export { forwardStatements, queueForwarding } from './forwarding.server.ts'
export { identifierOf, iriKey, isActivity, sha256 } from './identity.ts'
export { consistentThrough, type StatementFilter, type StatementScope } from './queries.server.ts'
export { followLateReferences } from './references.server.ts'
export { listStatementsOfRegistration, type RecordedStatement } from './registration-statements.server.ts'
export {
  getStatement,
  queryMoreStatements,
  queryStatements,
  recordStatements,
  type SingleStatement,
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
export { checkActor, maxBatch, parseStatements } from './validate.ts'
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
export { chosenInWords, type StatementWords, secondsInWords, statementInWords } from './words.ts'
