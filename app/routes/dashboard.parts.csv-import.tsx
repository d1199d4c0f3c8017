import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { type CsvExample, CsvImportExample } from '~/components/console/parts/csv-import.tsx'
import { faultsOnPage, importOf, templateFile } from '~/http/csv.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { checkTerms, termsImport } from '~/pages/terms-import.server.ts'

export const meta = pageTitle('Dashboard : Parts')

export async function loader(args: LoaderFunctionArgs) {
  await requireParts(args)
  const { columns } = termsImport
  return { template: templateFile('Terms.csv', columns), columns }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  const work = async (form: FormData): Promise<CsvExample> => {
    const wanted = importOf(form, termsImport)
    const file = {
      name: wanted.name,
      originalFileName: text(form, 'terms-fileName'),
      size: Number(text(form, 'terms-fileSize')),
    }
    const result = await checkTerms(ctx, wanted)
    if (!result.checked) return { file, found: result.found, problem: result.problem }
    const { reading, checked } = result
    const { encoding, delimiter, ignored, headings, headingOf } = reading
    const path = '/dashboard/parts/csv-import/faults/'
    return {
      file,
      found: { headings, headingOf },
      report: {
        encoding,
        delimiter,
        ignored,
        rows: checked.rows,
        valid: checked.valid.length,
        ...faultsOnPage(checked.faults, { path, field: termsImport.field, ...wanted }),
      },
    }
  }
  return withForm(args, ctx, work, { files: { terms: 'csv' } })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error checking the file. Please try again later.')
}

export default CsvImportExample
