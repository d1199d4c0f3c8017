/**
 * Our own IRIs for units, blocks and courses. Publisher ids are unique only within one course structure, and authors
 * copy courses. Our IRIs contain the module, stay the same across its versions and registrations, and never equal a
 * publisher id (cmi5, 8.1.5).
 */
import { createHash } from 'node:crypto'
import { isUid } from '~/lib/uid.ts'

/** `base` is the installation's iri_base, which ends with a slash. */
export function courseIri(base: string, moduleUid: string): string {
  return `${base}${moduleUid}/course`
}

/** Returns the IRI of a unit or a block. */
export function activityIri(base: string, moduleUid: string, publisherId: string): string {
  return `${base}${moduleUid}/${createHash('sha256').update(publisherId).digest('hex')}`
}

/** Returns the module that one of our IRIs names, or null for any other IRI. */
export function moduleUidOf(base: string, iri: string): string | null {
  if (!iri.startsWith(base)) return null
  const [uid = '', rest] = iri.slice(base.length).split('/', 2)
  return rest !== undefined && isUid(uid) ? uid.toLowerCase() : null
}

/** The types of activities that cmi5 names (cmi5 9.6.2.3). */
export const activityTypes = {
  block: 'https://w3id.org/xapi/cmi5/activitytype/block',
  course: 'https://w3id.org/xapi/cmi5/activitytype/course',
} as const
