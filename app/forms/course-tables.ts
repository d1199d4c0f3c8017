/** The queries that the addresses of the console's course table may contain. The service sorts by the same names. */

export const courseSorts = ['name', 'status', 'author', 'version', 'updated'] as const
export type CourseSort = (typeof courseSorts)[number]

export const coursesTable = {
  prefix: '',
  sorts: courseSorts,
  descendingFirst: ['version', 'updated'],
  sizes: [10, 20],
  filters: ['status', 'group', 'author'],
} as const

/** `behind` is a draft while learners still see an earlier version. */
export const courseStates = ['draft', 'published', 'behind'] as const
export type CourseStatus = (typeof courseStates)[number]
