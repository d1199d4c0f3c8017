import { isUid } from '~/lib/uid.ts'

/**
 * Returns the uid of the course whose page this address opens, or null. A module opened there counts for that course.
 */
export function courseOfAddress(address: string | null): string | null {
  const uid = /^\/courses\/([^/?#]+)\/?(?:[?#]|$)/.exec(address ?? '')?.[1] ?? ''
  return isUid(uid) ? uid.toLowerCase() : null
}
