import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { AccessQuestion } from '~/components/console/groups/access-question.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getAccessQuestion } from '~/pages/groups.server.ts'

export const meta = pageTitle('Dashboard : Groups')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'groups')
  return getAccessQuestion(ctx, new URL(args.request.url).searchParams).catch(throwAsPage)
}

export default function WhySee() {
  return <AccessQuestion {...useLoaderData<typeof loader>()} />
}
