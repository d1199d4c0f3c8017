import { isUid } from '~/lib/uid.ts'

export type NodeType =
  | 'Module'
  | 'Section'
  | 'User'
  | 'University'
  | 'Tag'
  | 'Course'
  | 'CourseCatalogItem'
  | 'Lecture'
  | 'Video'
  | 'GlossaryTerm'
  | 'Announcement'

export function toGlobalId(type: NodeType, uid: string): string {
  return Buffer.from(`${type}:${uid}`).toString('base64url')
}

/** Returns null if `id` is not a global id. The uid is lower case, as in the database and in every comparison. */
export function fromGlobalId(id: string): { type: string; uid: string } | null {
  const [type, uid, ...rest] = Buffer.from(id, 'base64url').toString('utf8').split(':')
  return type && isUid(uid) && rest.length === 0 ? { type, uid: uid.toLowerCase() } : null
}
