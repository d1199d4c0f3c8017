/** The forms of the glossary: their limits, texts and columns. */
import { z } from 'zod'
import type { CsvColumn } from '~/lib/csv-import.ts'
import { tidyText } from '~/lib/text.ts'
import { textField } from './text.ts'

export const glossaryLimits = { headline: 65, description: 250, name: 65, definition: 250 } as const

/** The heading of the glossary (C-180, C-181). */
export const glossarySettingsForm = z.object({
  headline: textField({ max: glossaryLimits.headline, required: 'Headline is required' }),
  description: textField({ max: glossaryLimits.description, required: 'Description is required', tidy: tidyText }),
})

/** A term (C-182, C-183). */
export const glossaryTermForm = z.object({
  name: textField({ max: glossaryLimits.name, required: 'Term is required' }),
  definition: textField({ max: glossaryLimits.definition, required: 'Definition is required', tidy: tidyText }),
})

/** A row of an imported file. The slug finds a term that was renamed in the file. */
export const importedTermForm = glossaryTermForm.extend({
  slug: z.preprocess((value) => value ?? '', textField({ max: 200 })),
})

export type TermValues = z.output<typeof glossaryTermForm>
export type ImportedTerm = z.output<typeof importedTermForm>

/** The columns of the files that are exported and imported. */
export const termColumns: CsvColumn[] = [
  { key: 'name', names: ['Term', 'Name'], isRequired: true },
  { key: 'definition', names: ['Definition'], isRequired: true },
  { key: 'slug', names: ['Slug', 'Address'] },
]

/** Returns the name of a term's form. Each stored state has its own name. */
export function termFormId(term: string, revision: string | number): string {
  return `term-${term}-${revision}`
}

export function settingsFormId(revision: string | number): string {
  return `glossary-${revision}`
}
