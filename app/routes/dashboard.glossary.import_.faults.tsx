import type { LoaderFunctionArgs } from '@remix-run/node'
import { faultsResponse, importOf } from '~/http/csv.server.ts'
import { notFoundPage, throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { checkTermsFile, termsImport } from '~/pages/glossary-manager.server.ts'

/** All faults of the viewer's upload as a CSV file. The upload is read again, because it may have thousands. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const { searchParams } = new URL(args.request.url)
  const { checked } = await checkTermsFile(ctx, importOf(searchParams, termsImport)).catch(throwAsPage)
  if (!checked) throw notFoundPage()
  return faultsResponse(args, { fileName: 'Faults_Glossary.csv', faults: checked.faults })
}
