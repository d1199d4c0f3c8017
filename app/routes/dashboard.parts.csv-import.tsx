import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { type CsvExample, CsvImportExample } from '~/components/console/parts/csv-import.tsx'
import { glossaryTermForm } from '~/forms/glossary.ts'
import { faultsFile, mappingOf, templateFile } from '~/http/csv.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { checkCsv } from '~/lib/csv-import.server.ts'
import type { CsvColumn } from '~/lib/csv-import.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { readUploadedCsv } from '~/services/uploads/csv.server.ts'

export const meta = pageTitle('Dashboard : Parts')

const columns: CsvColumn[] = [
  { key: 'name', names: ['Term', 'Name'], isRequired: true },
  { key: 'definition', names: ['Definition'], isRequired: true },
]

export async function loader(args: LoaderFunctionArgs) {
  await requireParts(args)
  return { template: templateFile('Terms.csv', columns), columns }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  const work = async (form: FormData): Promise<CsvExample> => {
    const name = text(form, 'terms')
    const file = {
      name,
      originalFileName: text(form, 'terms-fileName'),
      size: Number(text(form, 'terms-fileSize')),
    }
    const result = await readUploadedCsv(ctx, { name, field: 'terms' }, { columns, mapping: mappingOf(form, columns) })
    if (!result.reading) return { file, found: result.found, problem: result.problem }
    const { reading } = result
    const { rows, valid, faults } = checkCsv(reading, glossaryTermForm, { unique: ['name'] })
    const { encoding, delimiter, ignored, headings, headingOf } = reading
    return {
      file,
      found: { headings, headingOf },
      report: {
        encoding,
        delimiter,
        ignored,
        rows,
        valid: valid.length,
        faults,
        download: faultsFile('Faults_Terms.csv', faults),
      },
    }
  }
  return withForm(args, ctx, work, { files: { terms: 'csv' } })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error checking the file. Please try again later.')
}

export default CsvImportExample
