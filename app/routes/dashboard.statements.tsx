import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { StatementBrowser } from '~/components/console/statements/statement-browser.tsx'
import { pageTitle } from '~/http/meta.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getStatementsPage, statementFiltersOf } from '~/pages/statements.server.ts'

export const meta = pageTitle('Dashboard : Statements')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'statements')
  return getStatementsPage(ctx, {
    filters: statementFiltersOf(new URL(args.request.url).searchParams),
    language: args.request.headers.get('Accept-Language') ?? 'en',
  })
}

export default function Statements() {
  return <StatementBrowser {...useLoaderData<typeof loader>()} />
}
