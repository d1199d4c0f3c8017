/** What a use-case may refuse with. Transports translate: http/respond.server.ts and graphql/errors.server.ts. */
export type FieldErrors = Record<string, string>

export class ServiceError extends Error {
  /** Stable, for programs: `module.coming_soon`. The message is the sentence for people. */
  readonly code: string
  /** The sentence beside the field that it is about, by the field's path. */
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

/** Visible, but not allowed. Signed out is `login_required`. */
export class Forbidden extends ServiceError {
  constructor(message = 'You do not have permission to perform this action.', code = 'forbidden') {
    super(code, message)
  }
}

/** What was sent breaks a rule. */
export class Invalid extends ServiceError {
  constructor(message: string, fieldErrors: FieldErrors = {}, code = 'invalid') {
    super(code, message, fieldErrors)
  }
}

/** Right in itself, but not in the state that things are in. */
export class Conflict extends ServiceError {}

/** Try again later: a limit was reached or a part is away. `retryAfter` is in seconds. */
export class Unavailable extends ServiceError {
  readonly retryAfter: number
  constructor(message: string, retryAfter = 30, code = 'unavailable') {
    super(code, message)
    this.retryAfter = retryAfter
  }
}

export function loginRequired(): Forbidden {
  return new Forbidden('Login required.', 'login_required')
}

/** What mutations of one's own account say instead (decisions, learner Q-72). */
export function notLoggedIn(): Forbidden {
  return new Forbidden('User is not logged in.', 'login_required')
}

/** `requireThat(canEditModule(viewer, module))`: the decision of a policy, as an error. */
export function requireThat(allowed: boolean): asserts allowed {
  if (!allowed) throw new Forbidden()
}
