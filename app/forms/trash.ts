/** The trash in the console: its kinds, the queries that its addresses may contain, and what is brought back. */
import { z } from 'zod'
import { isUid } from '~/lib/uid.ts'

export const trashKinds = ['course', 'module', 'lecture', 'video', 'term', 'tag', 'message', 'user'] as const
export type TrashKind = (typeof trashKinds)[number]

export const trashKindLabels: Record<TrashKind, string> = {
  course: 'Course',
  module: 'Module',
  lecture: 'Lecture',
  video: 'Video',
  term: 'Glossary term',
  tag: 'Tag',
  message: 'Message',
  user: 'User',
}

export const trashSorts = ['name', 'kind', 'by', 'deleted'] as const
export type TrashSort = (typeof trashSorts)[number]

export const trashTable = {
  prefix: '',
  sorts: trashSorts,
  descendingFirst: ['deleted'],
  sizes: [20, 50, 100],
  filters: ['kind'],
} as const

/** Where deleted accounts are brought back. */
export const deletedUsersPath = '/dashboard/trash/?filter=kind-user'

/** How many things can be brought back at once. */
export const mostRestored = 100

/** Names a row in a form: its kind and uid. */
export function trashKey({ kind, uid }: { kind: TrashKind; uid: string }): string {
  return `${kind}:${uid}`
}

const item = z.string().transform((key, issues) => {
  const [kind = '', uid = ''] = key.split(':')
  if (trashKinds.some((known) => known === kind) && isUid(uid)) {
    return { kind: kind as TrashKind, uid: uid.toLowerCase() }
  }
  issues.addIssue({ code: 'custom', message: 'There is no such item in the trash' })
  return z.NEVER
})

/** The rows to bring back, each once. */
export const restoreForm = z.object({
  items: z
    .array(z.string())
    .min(1, 'Select what you want to restore')
    .max(mostRestored, `At most ${mostRestored} items can be restored at once`)
    .transform((keys) => [...new Set(keys)])
    .pipe(z.array(item)),
})
