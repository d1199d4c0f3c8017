/** The forms of the institutions that people belong to, and their list in the console. */
import { z } from 'zod'
import type { TableDefinition } from '~/lib/table-query.ts'
import { textField } from './text.ts'
import { uidField } from './uids.ts'

export const longestInstitution = 200

export const institutionsTable: TableDefinition = {
  prefix: '',
  sorts: ['name', 'people'],
  descendingFirst: ['people'],
  sizes: [50],
  filters: [],
}

/** `openedName` is the name when the form was opened. A name that somebody has changed since is not overwritten. */
export const renameInstitutionForm = z.object({
  name: textField({ max: longestInstitution, required: 'Institution is required' }),
  openedName: z.string().max(400).optional(),
})

/** The institution to delete, and the one that gets its people (C-108). */
export const replaceInstitutionForm = z
  .object({
    institution: uidField('Choose the institution to delete'),
    replacement: uidField('Choose the institution that replaces it'),
  })
  .refine(({ institution, replacement }) => institution !== replacement, {
    path: ['replacement'],
    message: 'Choose another institution as the replacement.',
  })
