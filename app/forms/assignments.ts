import { z } from 'zod'
import { listField } from './lists.ts'
import { uidField } from './uids.ts'

/** The limit of users times items in one call. */
const mostAssignments = 10_000

const uids = (what: string) =>
  listField(uidField(`There is no such ${what}`), {
    max: 1000,
    tooMany: 'At most 1,000 at once',
    required: `Choose at least one ${what}`,
  })

const action = z.enum(['ASSIGN', 'UNASSIGN'], { errorMap: () => ({ message: 'The action is ASSIGN or UNASSIGN' }) })

/**
 * Assignments of one kind of content: moduleAssignmentAction and courseAssignmentAction of the specification (L-166,
 * L-242, L-243).
 */
export const assignmentForm = z
  .object({ action, userUids: uids('user'), itemUids: uids('item') })
  .refine(
    ({ userUids, itemUids }) => userUids.length * itemUids.length <= mostAssignments,
    'At most 10,000 assignments at once',
  )

export type AssignmentChange = z.output<typeof assignmentForm>
