import { isUid } from '~/lib/uid.ts'

/** The course whose page an address is, or null: a module that is opened there is taken as a part of that course. */
export function courseOfAddress(address: string | null): string | null {
  const uid = /^\/courses\/([^/?#]+)\/?(?:[?#]|$)/.exec(address ?? '')?.[1] ?? ''
  return isUid(uid) ? uid.toLowerCase() : null
}
