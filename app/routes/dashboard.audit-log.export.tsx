import type { LoaderFunctionArgs } from '@remix-run/node'
import { csvResponse } from '~/http/csv.server.ts'
import { auditFiltersOf, auditParts } from '~/pages/audit-log.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

/** What the filters of the audit log find, as a CSV file. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audit-log')
  return csvResponse(args, {
    fileName: 'AuditLog.csv',
    parts: auditParts(ctx, auditFiltersOf(new URL(args.request.url).searchParams)),
  })
}
