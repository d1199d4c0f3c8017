import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { AllContent } from '~/components/learning/all-content.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { listContentItems } from '~/pages/all-content.server.ts'
import { contentKinds } from '~/services/read/all-content.server.ts'

export const meta = pageTitle('All Content')

/** The site's flag hides only the link to this page. The page itself stays. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { searchParams } = new URL(args.request.url)
  const page = pageNumber(searchParams.get('page'))
  const kind = contentKinds.find((known) => known === searchParams.get('type')) ?? null
  const content = await listContentItems(ctx, { kind, limit: itemsPerPage, offset: (page - 1) * itemsPerPage })
  return { page, size: itemsPerPage, kind, ...content }
}

export default function AllContentPage() {
  return <AllContent {...useLoaderData<typeof loader>()} />
}
