import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Glossary } from '~/components/glossary/glossary.tsx'
import { contextFor } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { longestSearch } from '~/lib/search-query.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { getGlossaryPage } from '~/services/glossary/glossary.server.ts'

export const meta = pageTitle('Glossary', 'The words of drug development, each explained in a sentence or two.')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { searchParams } = new URL(args.request.url)
  const search = [...(searchParams.get('query') ?? '').trim()].slice(0, longestSearch).join('')
  const letter = search ? null : searchParams.get('letter')
  const page = pageNumber(searchParams.get('page'))
  const glossary = await getGlossaryPage(ctx, { search, letter, page }).catch(throwAsPage)
  const chosen = glossary.letters.find((entry) => entry.letter === letter?.toUpperCase())?.letter ?? null
  return { glossary, search, letter: chosen }
}

export default function GlossaryList() {
  return <Glossary {...useLoaderData<typeof loader>()} />
}
