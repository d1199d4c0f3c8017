import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Glossary } from '~/components/glossary/glossary.tsx'
import { contextFor } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { cutText } from '~/lib/text.ts'
import { getGlossaryPage } from '~/services/glossary/glossary.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => {
  const term = data?.glossary.selected
  return term
    ? titleFrom(matches, `Glossary : ${term.name}`, `${term.name}: ${cutText(term.definition, 300)}`)
    : titleFrom(matches, 'Glossary')
}

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  return { glossary: await getGlossaryPage(ctx, { slug: args.params.slug ?? '' }).catch(throwAsPage) }
}

/** Shows the list at this term, or just the list if the term no longer exists. */
export default function GlossaryAtTerm() {
  const { glossary } = useLoaderData<typeof loader>()
  return <Glossary glossary={glossary} search="" letter={null} />
}
