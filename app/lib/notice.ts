/** What a page says after something was done. `success` wears the brand's accent. An undo is a form of one button, posted to `action`. */
export type Notice = {
  id: string
  kind: 'info' | 'success' | 'error'
  text: string
  undo?: { action: string; label: string }
}
