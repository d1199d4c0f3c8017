import type { LoaderFunctionArgs } from '@remix-run/node'
import { csvResponse } from '~/http/csv.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { termParts } from '~/pages/glossary-manager.server.ts'

/** The whole glossary as a CSV file that can be imported again. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  return csvResponse(args, { fileName: 'Glossary.csv', parts: termParts(ctx) })
}
