import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ImportTerms } from '~/components/console/glossary/import-dialog.tsx'
import type { TermsCheck } from '~/components/console/glossary/view.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { faultsOnPage, importOf, templateFile } from '~/http/csv.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { checkTermsFile, importPlanView, termsImport } from '~/pages/glossary-manager.server.ts'
import { importGlossaryTerms } from '~/services/glossary/import-terms.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Glossary')

export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'glossary')
  const { columns } = termsImport
  return { template: templateFile('Glossary.csv', columns), columns }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const work = async (form: FormData): Promise<TermsCheck | Response> => {
    const wanted = importOf(form, termsImport)
    const file = {
      name: wanted.name,
      originalFileName: text(form, 'terms-fileName'),
      size: Number(text(form, 'terms-fileSize')),
    }
    const result = await checkTermsFile(ctx, wanted)
    if (!result.checked) return { file, found: result.found, problem: result.problem }
    const { reading, checked, plan } = result
    const view = importPlanView(plan, wanted)
    const isSeen = text(form, 'intent') === 'import' && text(form, 'seen') === view.seen
    if (isSeen && checked.faults.length === 0) {
      const done = await importGlossaryTerms(ctx, { rows: checked.valid })
      return redirectWithNotice(args, '/dashboard/glossary/', { kind: 'success', text: importInWords(done) })
    }
    const { encoding, delimiter, ignored, headings, headingOf } = reading
    const path = '/dashboard/glossary/import/faults/'
    return {
      file,
      found: { headings, headingOf },
      report: {
        ...{ encoding, delimiter, ignored },
        rows: checked.rows,
        valid: checked.valid.length,
        ...faultsOnPage(checked.faults, { path, field: termsImport.field, ...wanted }),
      },
      plan: view,
    }
  }
  return withForm(args, ctx, work, { files: { terms: 'csv' } })
}

function importInWords({ created, changed }: { created: number; changed: number }): string {
  if (created + changed === 0) return 'The file has been imported. It changed nothing.'
  const parts = [
    created > 0 && `${created.toLocaleString('en')} added`,
    changed > 0 && `${changed.toLocaleString('en')} changed`,
  ]
  return `The file has been imported: ${parts.filter(Boolean).join(', ')}.`
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error importing the file. Please try again later.')
}

export default function ImportGlossary() {
  return <ImportTerms {...useLoaderData<typeof loader>()} />
}
