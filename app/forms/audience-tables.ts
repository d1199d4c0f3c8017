/** The queries that the addresses of the console's audiences may contain. */
import type { TableDefinition } from '~/lib/table-query.ts'

export const audiencesTable: TableDefinition = {
  prefix: '',
  sorts: ['name', 'updated'],
  descendingFirst: ['updated'],
  // Each page counts the people of all its audiences.
  sizes: [10],
  filters: [],
}

/** The people of an audience, by name. */
export const audiencePeopleTable: TableDefinition = {
  prefix: '',
  sorts: ['name'],
  descendingFirst: [],
  sizes: [50],
  filters: [],
}
