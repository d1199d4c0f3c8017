import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { dayField } from './dates.ts'
import { listField } from './lists.ts'
import { tick } from './optional-fields.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

/** The limit of users times items in one call, and of what one transaction of a job assigns. */
export const mostAssignments = 10_000

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

export type AssignedKind = 'module' | 'course'

/** How many people the dialog assigns to. The boxes of the table select fewer; a filter can find as many. */
export const mostAssignees = 10_000

/** The learners whom somebody has selected in the table, or whom its filters find. */
export const assigneesForm = z.object({
  userUids: listField(uidField('There is no such user'), {
    max: mostAssignees,
    tooMany: 'At most 10,000 users at once',
    required: 'Select one or more learners in the table first.',
  }),
})

/** How many items the dialog assigns at once. */
export const mostItemsAtOnce = 20

export const longestNote = 500

export type DueFields = { dueOn: string | null; note: string | null }

/**
 * The due date and the note of an assignment; both may be empty. `today` is the day of the site. A day before it is
 * refused, unless it is the stored one: a note can be changed after the date has passed.
 */
export function dueForm({ today, stored = null }: { today: string; stored?: string | null }) {
  return z.object({
    dueOn: dayField({}).refine(
      (day) => day === null || day >= today || day === stored,
      'Please choose today or a later day.',
    ),
    note: z
      .preprocess((value) => value ?? '', textField({ max: longestNote, tidy: tidyText }))
      .transform((value): string | null => (value === '' ? null : value)),
  })
}

/**
 * The same for many assignments at once. An empty field keeps what people have, so a box says that they no longer have a
 * due date.
 */
export function dueOfManyForm({ today }: { today: string }) {
  return dueForm({ today })
    .extend({ removesDue: tick.transform((value) => value ?? false) })
    .refine(({ dueOn, removesDue }) => dueOn === null || !removesDue, {
      path: ['removesDue'],
      message: 'Choose a due date or remove it, not both.',
    })
}

/** An item that is ticked in the dialog: `module:{uid}`. */
export type TickedItem = { kind: AssignedKind; uid: string }

export function writeTicked({ kind, uid }: TickedItem): string {
  return `${kind}:${uid}`
}

/** Reads ticked items from a form or an address, each once. Invalid ones are left out, and so is what exceeds a list. */
export function readTicked(values: readonly string[]): TickedItem[] {
  return [...new Set(values)].slice(0, mostTicked).flatMap((value) => {
    const [, kind, uid = ''] = /^(module|course):([0-9a-f-]{36})$/.exec(value) ?? []
    return kind && isUid(uid) ? [{ kind: kind as AssignedKind, uid }] : []
  })
}

const mostTicked = 100

/** Kind and name of an item of the dialog, "module: Assay", as its form sends them for sentences about failures. */
export function nameIn(form: FormData, value: string): string {
  return String(form.get(`name:${value}`) ?? 'item')
}

/** "Unassigned module: Assay" (L-256). `verb` is that of the brand; `what` is kind and name, "module: Assay". */
export function unassignedInWords(verb: string, what: string): string {
  return `Un${verb.toLowerCase()}ed ${what}`
}

/** "“Assay” is assigned again." */
export function assignedAgainInWords(verb: string, name: string): string {
  return `“${name}” is ${verb.toLowerCase()}ed again.`
}

/** "Error Assigning module: Assay" (C-272). */
export function assignFailure(verb: string, what: string): string {
  return `Error ${verb}ing ${what}`
}

/** "Error Unassigning module: Assay" (C-271, L-255). */
export function unassignFailure(verb: string, what: string): string {
  return assignFailure(`Un${verb.toLowerCase()}`, what)
}

/** "Assigned 2 items to 3 people.", and how many had them already with another due date or note. */
export function assignedInWords(
  verb: string,
  { items, people, changed }: { items: number; people: number; changed: number },
): string {
  const done = `${verb}ed ${items === 1 ? '1 item' : `${items} items`} to ${people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}.`
  return changed === 0 ? done : `${done} ${changedInWords(changed)}`
}

/** What happened to those who had an item already. */
export function changedInWords(changed: number): string {
  return changed === 1
    ? 'The due date or note of 1 earlier assignment was changed.'
    : `The due date or note of ${changed.toLocaleString('en')} earlier assignments was changed.`
}
