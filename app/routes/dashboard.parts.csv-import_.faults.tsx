import type { LoaderFunctionArgs } from '@remix-run/node'
import { faultsResponse, importOf } from '~/http/csv.server.ts'
import { notFoundPage, throwAsPage } from '~/http/respond.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { checkTerms, termsImport } from '~/pages/terms-import.server.ts'

/** All faults of the viewer's upload as a CSV file. The upload is read again, because it may have thousands. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireParts(args)
  const { searchParams } = new URL(args.request.url)
  const { checked } = await checkTerms(ctx, importOf(searchParams, termsImport)).catch(throwAsPage)
  if (!checked) throw notFoundPage()
  return faultsResponse('Faults_Terms.csv', checked.faults)
}
