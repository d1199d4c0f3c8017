/** What a page says after something was done. `success` wears the brand's accent. An undo is a form of one button, posted to `action`. */
export type Notice = {
  id: string
  kind: 'info' | 'success' | 'error'
  text: string
  about?: 'connection'
  undo?: { action: string; label: string }
}

/**
 * The same sentence said again, or another one about the same: a second press must not pile them up. One with an undo stays, since it undoes a
 * thing of its own.
 */
export function takesPlaceOf(later: Notice, earlier: Notice): boolean {
  if (later.undo || earlier.undo) return false
  return later.text === earlier.text || (later.about !== undefined && later.about === earlier.about)
}
