/** The example of a CSV import: glossary terms that are checked and not written. */
import { glossaryTermForm } from '~/forms/glossary.ts'
import type { CsvImport } from '~/http/csv.server.ts'
import { checkCsv } from '~/lib/csv-import.server.ts'
import type { CsvColumn } from '~/lib/csv-import.ts'
import type { Ctx } from '~/services/context.ts'
import { readUploadedCsv } from '~/services/uploads/csv.server.ts'

const columns: CsvColumn[] = [
  { key: 'name', names: ['Term', 'Name'], isRequired: true },
  { key: 'definition', names: ['Definition'], isRequired: true },
]

export const termsImport = { field: 'terms', columns }

/** Reads and checks an uploaded file of terms. `checked` is null if its columns must be chosen first. */
export async function checkTerms(ctx: Ctx, { name, mapping }: CsvImport) {
  const result = await readUploadedCsv(ctx, { name, field: termsImport.field }, { columns, mapping })
  if (!result.reading) return { ...result, checked: null }
  return { ...result, checked: checkCsv(result.reading, glossaryTermForm, { unique: ['name'] }) }
}
