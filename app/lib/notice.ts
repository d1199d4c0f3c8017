/**
 * A page's message after an action. `success` has the brand's accent color. An undo is a form with one button, posted
 * to `action`.
 */
export type Notice = {
  id: string
  kind: 'info' | 'success' | 'error'
  text: string
  /** What got no answer: a page or form, or a change that the page goes on without. */
  about?: 'connection' | 'unsaved'
  /** The uid of the thing whose state it tells. The next notice about that thing takes its place. */
  subject?: string
  undo?: { action: string; label: string }
}

export const doubledCookieText =
  'Your browser had two log-in cookies for this site, and one of them was not ours. Both have been removed. Log in to continue.'

/**
 * True if the later notice replaces the earlier one: the same sentence, or another one about a missing answer, so that
 * repeated clicks do not pile up; or a newer state of the same thing. Any other notice with an undo stays, since each
 * undo is for a different action.
 */
export function takesPlaceOf(later: Notice, earlier: Notice): boolean {
  if (later.subject !== undefined && later.subject === earlier.subject) return true
  if (later.undo || earlier.undo) return false
  return later.text === earlier.text || (later.about !== undefined && earlier.about !== undefined)
}
