/** The queries that the addresses of the console's tables of lectures and videos may contain. The service sorts by the same names. */

export const filmSorts = ['name', 'status', 'phases', 'presenter', 'updated'] as const
export type FilmSort = (typeof filmSorts)[number]

export const lecturesTable = {
  prefix: '',
  sorts: filmSorts,
  descendingFirst: ['updated'],
  sizes: [10, 20],
  filters: ['status', 'phase', 'group'],
} as const

export const videosTable = { ...lecturesTable, filters: ['status', 'category', 'phase', 'group'] } as const

/** `soon` is Coming Soon, which only lectures can be. */
export const lectureStates = ['draft', 'published', 'soon'] as const
export const videoStates = ['draft', 'published'] as const
