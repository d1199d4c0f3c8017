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

/** Try again later: a limit was reached, or a part of the system is down. `retryAfter` is in seconds. */
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

/** Mutations of the viewer's own account use this error instead. */
export function notLoggedIn(): Forbidden {
  return new Forbidden('User is not logged in.', 'login_required')
}

/** Throws Forbidden unless a policy allows it. The guards in context.ts check who may call a service at all. */
export function requireThat(allowed: boolean): asserts allowed {
  if (!allowed) throw new Forbidden()
}
