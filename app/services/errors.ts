/**
 * The errors of use cases. Two files translate them for transports: http/respond.server.ts and
 * graphql/errors.server.ts.
 */
export type FieldErrors = Record<string, string>

export class ServiceError extends Error {
  /** A stable code for programs, such as `module.coming_soon`. The message is the sentence for people. */
  readonly code: string
  /** Sentences to show next to fields, by the path of the field. */
  readonly fieldErrors: FieldErrors
  constructor(code: string, message: string, fieldErrors: FieldErrors = {}) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.fieldErrors = fieldErrors
  }
}

export class NotFound extends ServiceError {
  constructor(message = 'Not found.', code = 'not_found') {
    super(code, message)
  }
}

/** Visible, but not allowed. If nobody is signed in, the code is `login_required`. */
export class Forbidden extends ServiceError {
  constructor(message = 'You do not have permission to perform this action.', code = 'forbidden') {
    super(code, message)
  }
}

/** The input breaks a rule. */
export class Invalid extends ServiceError {
  constructor(message: string, fieldErrors: FieldErrors = {}, code = 'invalid') {
    super(code, message, fieldErrors)
  }
}

/** The input is larger than a limit, which the sentence names. */
export class TooLarge extends Invalid {
  constructor(message: string, code = 'too_large') {
    super(message, {}, code)
  }
}

/** The input is valid, but does not fit the current state. */
export class Conflict extends ServiceError {}

/** Another thing has the name, and the two can be merged. `otherUid` is null if it was made just now. */
export class NameTaken extends Conflict {
  readonly otherUid: string | null
  constructor(code: string, message: string, { field, otherUid }: { field: string; otherUid: string | null }) {
    super(code, message, { [field]: message })
    this.otherUid = otherUid
  }
}

/** Try again later: a limit was reached, or a part of the system is down. `retryAfter` is in seconds. */
export class Unavailable extends ServiceError {
  readonly retryAfter: number
  constructor(message: string, retryAfter = 30, code = 'unavailable') {
    super(code, message)
    this.retryAfter = retryAfter
  }
}

/** The database or the disk cannot be used at the moment. */
export class Outage extends Unavailable {
  constructor() {
    super('Titrate cannot reach its data at the moment. Please try again in a minute.', 30, 'outage')
  }
}

/** SQLSTATE: no connection, the server stops or starts, is full, is read-only after a failover, or cannot read. */
const databaseCodes = /^(08...|57P0[123]|53[13]00|25006|58030)$/
const systemCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'],
])
/** Errors of pg and its pool that have no code. */
const connectionLost = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
]

/** What people are told about an error if the database or the disk caused it; null for every other error. */
export function outageOf(error: unknown): Outage | null {
  if (error instanceof Outage) return error
  if (!(error instanceof Error)) return null
  const { code } = error as { code?: unknown }
  // Node's word for a client that has gone in the middle of its body; it has the code ECONNRESET.
  if (error.message === 'aborted') return null
  const isOutage =
    (typeof code === 'string' && (databaseCodes.test(code) || systemCodes.has(code))) ||
    connectionLost.some((beginning) => error.message.startsWith(beginning))
  return isOutage ? new Outage() : null
}

export function loginRequired(): Forbidden {
  return new Forbidden('Login required.', 'login_required')
}

/** Mutations of the viewer's own account use this error instead. */
export function notLoggedIn(): Forbidden {
  return new Forbidden('User is not logged in.', 'login_required')
}

/** Throws Forbidden unless a policy allows it. The guards in context.ts check who may call a service at all. */
export function requireThat(allowed: boolean): asserts allowed {
  if (!allowed) throw new Forbidden()
}
