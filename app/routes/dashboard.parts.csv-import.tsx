import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { type CsvExample, CsvImportExample } from '~/components/console/parts/csv-import.tsx'
import { glossaryTermForm } from '~/forms/glossary.ts'
import { faultsFile, templateFile } from '~/http/csv.server.ts'
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
  return { template: templateFile('Terms.csv', columns) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  const work = async (form: FormData): Promise<CsvExample> => {
    const reading = await readUploadedCsv(ctx, { name: text(form, 'terms'), field: 'terms' }, { columns })
    const { rows, valid, faults } = checkCsv(reading, glossaryTermForm, { unique: ['name'] })
    const { encoding, delimiter, ignored } = reading
    return {
      file: {
        name: text(form, 'terms'),
        originalFileName: text(form, 'terms-fileName'),
        size: Number(text(form, 'terms-fileSize')),
      },
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
