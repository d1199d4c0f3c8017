/**
 * The recipients of a message: the table to choose them from, and the steps of a choice that is not saved yet. A step
 * names people, or what finds them, so that the browser never has to hold the uids of everybody.
 */
import { z } from 'zod'
import { longestSearch } from '~/lib/search-query.ts'
import { isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { userTables, userTabs } from './user-tables.ts'

/** How many people can be chosen by hand. Filters and audiences can find more. */
export const mostRecipients = 10_000
export const noRecipients = 'Please choose at least one recipient'

/** How many rows can be ticked at once. */
export const mostTicked = 500

export const recipientSorts = ['name', 'email', 'status', 'group', 'position', 'region'] as const
export type RecipientSort = (typeof recipientSorts)[number]

/** Its page sizes are 20, 50 and 100, of which 100 is the usual one (C-050). */
export const recipientsTable = {
  prefix: 'people.',
  sorts: recipientSorts,
  descendingFirst: [],
  sizes: [100, 50, 20],
  filters: ['status', 'group', 'institution', 'position', 'research', 'modality', 'region', 'due'],
} as const

/** The people who have been chosen, by name. Each has a button, which the keyboard skips on its way to the list. */
export const chosenTable = {
  prefix: 'chosen.',
  sorts: ['name'],
  descendingFirst: [],
  sizes: [20],
  filters: [],
} as const

/** The filters by the answers of the questionnaire, with the keys of their questions (C-054). */
export const answerFilters = {
  institution: { key: 'institution_type', label: 'Institution or company' },
  position: { key: 'position', label: 'Current position' },
  research: { key: 'research_type', label: 'Type of research engaged in' },
  modality: { key: 'modality', label: 'Modality your translational research focuses on' },
  region: { key: 'region', label: 'Geographical region' },
} as const
export type AnswerFilter = keyof typeof answerFilters

/** Whoever has given an answer of their own (C-055). */
export const otherAnswer = 'other'

export const recipientStatuses = ['active', 'inactive', 'invited'] as const
export type RecipientStatus = (typeof recipientStatuses)[number]

/** C-135. An account that is disabled is inactive too. */
export const recipientStatusLabels: Record<RecipientStatus, string> = {
  active: 'Registered and Active',
  inactive: 'Registered and Inactive',
  invited: 'Non-Registered',
}

export const recipientGroups = ['site', 'university', 'external'] as const
export type RecipientGroup = (typeof recipientGroups)[number]

const listOf = (isKnown: (value: string) => boolean) =>
  z
    .array(z.string())
    .max(200)
    .transform((values) => values.filter(isKnown))
/** Part of a query that would be missed: without it, more people would be found. */
const unknownFilter = 'The list has a filter that is not known here. Choose the filters again.'
const search = z.string({ invalid_type_error: unknownFilter }).max(longestSearch, unknownFilter).default('')
const filtersFound = z
  .record(
    z.string().max(30, unknownFilter),
    z.array(z.string().max(longestSearch, unknownFilter)).min(1, unknownFilter).max(200, unknownFilter),
    { invalid_type_error: unknownFilter },
  )
  .default({})
const storedFilters = z
  .record(
    z.string().max(30),
    listOf((value) => value.length <= 100),
  )
  .catch({})
export const unknownRecipient = 'One of the recipients does not exist.'
export const tooManyChosen = 'At most 10,000 people can be chosen by hand. Filters and audiences can find more.'
const uids = z
  .array(z.string().toLowerCase().refine(isUid, unknownRecipient))
  .max(mostRecipients, tooManyChosen)
  .transform((list) => [...new Set(list)])

const anyStep = z.discriminatedUnion('kind', [
  /** People by uid. */
  z.object({ kind: z.literal('add'), uids }),
  /** Everybody whom a query of the table to choose from finds, when the message is saved. */
  z.object({ kind: z.literal('found'), search, filters: filtersFound }),
  /** Everybody whom a query of the console's table of users finds, when the message is saved. */
  z.object({ kind: z.literal('users'), tab: z.enum(userTabs), search, filters: filtersFound }),
  z.object({ kind: z.literal('remove'), uids }),
  /** Removes everybody, and all audiences. */
  z.object({ kind: z.literal('clear') }),
  /** An audience; its people are found when the message is sent. */
  z.object({ kind: z.literal('addAudience'), uid: z.string().toLowerCase().refine(isUid) }),
  z.object({ kind: z.literal('removeAudience'), uid: z.string().toLowerCase().refine(isUid) }),
])

/** Nobody asks for a whole tab, so an address without search and filters has lost them. */
const unfilteredUsers = 'Search or choose a filter in the table of users first. Then write to everybody found.'

/**
 * One step of a choice. Steps are taken in their order. A query with an unknown filter is refused, and so is one of the table
 * of users with neither search nor filter.
 */
export const recipientStep = anyStep.superRefine((step, issues) => {
  if (step.kind !== 'found' && step.kind !== 'users') return
  const isSearched = !isStorable(step.search) || searchKey(step.search) !== ''
  if (step.kind === 'users' && !isSearched && Object.keys(step.filters).length === 0) {
    issues.addIssue({ code: 'custom', path: ['filters'], message: unfilteredUsers })
  }
  const { filters: known }: { filters: readonly string[] } =
    step.kind === 'found' ? recipientsTable : userTables[step.tab]
  if (Object.keys(step.filters).every((name) => known.includes(name))) return
  issues.addIssue({ code: 'custom', path: ['filters'], message: unknownFilter })
})
export type RecipientStep = z.output<typeof recipientStep>

/** Where a button on another page begins a new message. The choice and the message get their uids there. */
export const newMessageFor = '/dashboard/messages/choices/begin/new/message/'

/** More steps than anybody takes before saving. Each takes its time when the message is saved. */
export const mostSteps = 100
export const tooManySteps = 'These are many changes at once. Please save the message, and then go on.'

/** Adds a step to a choice: what a later step undoes is left out, and people who are added in a row are one step. */
export function withStep(steps: RecipientStep[], step: RecipientStep): RecipientStep[] {
  if (step.kind === 'clear') return [step]
  const last = steps.at(-1)
  if (last && (last.kind === 'add' || last.kind === 'remove') && last.kind === step.kind) {
    return [...steps.slice(0, -1), { ...last, uids: [...new Set([...last.uids, ...step.uids])] }]
  }
  return [...steps, step]
}

/** Reads stored steps; what is not a step is left out. */
export function readSteps(text: string): RecipientStep[] {
  try {
    const list = JSON.parse(text)
    return Array.isArray(list) ? list.flatMap((one) => recipientStep.safeParse(one).data ?? []) : []
  } catch {
    return []
  }
}

/** Reads the filters that a message was saved with. A program may have saved something else there. */
export function readRecipientFilters(stored: unknown): Record<string, string[]> {
  const parsed = storedFilters.parse(stored ?? {})
  const known: readonly string[] = recipientsTable.filters
  return Object.fromEntries(Object.entries(parsed).filter(([name, list]) => known.includes(name) && list.length > 0))
}
