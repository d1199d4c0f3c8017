import type { TableDefinition } from '~/lib/table-query.ts'

/** The terms of the glossary in the console, by name. `letter` is a capital letter, or `#` for all other characters. */
export const termsTable: TableDefinition = {
  prefix: '',
  sorts: ['name'],
  descendingFirst: [],
  sizes: [100],
  filters: ['letter'],
}
