import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { SavedList } from '~/components/learning/saved-list.tsx'
import { studyUnitTypes } from '~/forms/favorites.ts'
import { requireLearner } from '~/http/context.server.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { getSavedPage } from '~/pages/saved.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { searchParams } = new URL(args.request.url)
  const page = pageNumber(searchParams.get('page'))
  const type = studyUnitTypes.find((known) => known === searchParams.get('type')) ?? null
  const saved = await getSavedPage(ctx, { type, limit: itemsPerPage, offset: (page - 1) * itemsPerPage })
  return { page, size: itemsPerPage, ...saved }
}

export default function Saved() {
  return <SavedList {...useLoaderData<typeof loader>()} />
}
