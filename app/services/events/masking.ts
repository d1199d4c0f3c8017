const addresses = /[^\s@<>"'()]+@[^\s@<>"'()]+/g
const uids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const queries = /[?#][^\s:)'"]*/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: only line breaks belong in a log
const controls = /[\u0000-\u0009\u000b-\u001f\u007f]/g

/** Masks a program's text for the log: removes addresses of people, ids, and queries of urls. */
export function masked(text: string): string {
  return text.replace(controls, ' ').replace(addresses, ':mail').replace(uids, ':id').replace(queries, '')
}
