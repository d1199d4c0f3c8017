/** What a page shows beside its form after an action refused it (http/respond.server.ts). */
export type Refused = {
  message: string
  fieldErrors: Record<string, string>
  values: Record<string, string>
  /** The session has ended. The person logs in in another tab, so that this page keeps what was typed. */
  isSignedOut?: boolean
}
