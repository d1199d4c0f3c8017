/**
 * Our own IRIs for units, blocks and courses. Publisher ids are unique only within one course structure, and authors
 * copy courses. Our IRIs contain the module, stay the same across its versions and registrations, and never equal a
 * publisher id (cmi5, 8.1.5).
 */
import { createHash } from 'node:crypto'

/** `base` is the installation's iri_base, which ends with a slash. */
export function courseIri(base: string, moduleUid: string): string {
  return `${base}${moduleUid}/course`
}

/** Returns the IRI of a unit or a block. */
export function activityIri(base: string, moduleUid: string, publisherId: string): string {
  return `${base}${moduleUid}/${createHash('sha256').update(publisherId).digest('hex')}`
}
