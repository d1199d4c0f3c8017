/**
 * The queries that the addresses of the console's module tables may contain. The services sort and filter by the same
 * names.
 */

export const moduleSorts = ['name', 'status', 'author', 'version', 'updated', 'completions', 'score'] as const
export type ModuleSort = (typeof moduleSorts)[number]

export const modulesTable = {
  prefix: '',
  sorts: moduleSorts,
  descendingFirst: ['version', 'updated', 'completions', 'score'],
  sizes: [10, 20],
  filters: ['status', 'section', 'group', 'author'],
} as const

/** `behind` is a draft while learners still open an earlier version; `soon` is Coming Soon. */
export const moduleStates = ['draft', 'published', 'behind', 'soon'] as const
export type ModuleState = (typeof moduleStates)[number]

export const moduleStatusOptions: { value: ModuleState; label: string }[] = [
  { value: 'published', label: 'Published' },
  { value: 'draft', label: 'Draft' },
  { value: 'behind', label: 'Draft of a published module' },
  { value: 'soon', label: 'Coming Soon' },
]

/** The filter value for modules without a section. */
export const noSection = 'none'

export const moduleLearnerSorts = ['name', 'email', 'started', 'completed', 'progress', 'score'] as const
export type ModuleLearnerSort = (typeof moduleLearnerSorts)[number]

export const moduleLearnersTable = {
  prefix: 'learners.',
  sorts: moduleLearnerSorts,
  descendingFirst: ['started', 'completed', 'progress', 'score'],
  sizes: [10, 20],
  filters: ['state', 'group'],
} as const

/**
 * `open`: the learner has a unit open right now. `failing`: in the last thirty days the learner failed a test that must be
 * passed, and has not passed it.
 */
export const learnerStates = ['progress', 'completed', 'open', 'failing'] as const
export type LearnerState = (typeof learnerStates)[number]

/** How many modules one action may change. */
export const mostAtOnce = 500
