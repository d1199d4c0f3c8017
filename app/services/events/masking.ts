const addresses = /[^\s@<>"'()]+@[^\s@<>"'()]+/g
const uids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const queries = /[?#][^\s:)'"]*/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: but for line ends they have no place in a log
const controls = /[\u0000-\u0009\u000b-\u001f\u007f]/g

/** A text of a program as it may stand in a log: without addresses of people, ids, and what follows the path of an address. */
export function masked(text: string): string {
  return text.replace(controls, ' ').replace(addresses, ':mail').replace(uids, ':id').replace(queries, '')
}
