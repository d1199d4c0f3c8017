import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { AuditLog } from '~/components/console/audit/audit-log.tsx'
import { pageTitle } from '~/http/meta.ts'
import { auditFiltersOf, getAuditLogPage } from '~/pages/audit-log.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const meta = pageTitle('Dashboard : Audit Log')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'audit-log')
  return getAuditLogPage(ctx, auditFiltersOf(new URL(args.request.url).searchParams))
}

export default function AuditLogSection() {
  return <AuditLog {...useLoaderData<typeof loader>()} />
}
