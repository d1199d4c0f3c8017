import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Home } from '~/components/home/home.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { ownLearningOf } from '~/http/own-learning.server.ts'
import { listCardsOfModules, listModuleCards } from '~/services/modules/cards.server.ts'
import { viewsOfCards } from '~/services/read/module-views.server.ts'
import { countModulesBySection } from '~/services/read/own-learning.server.ts'

export const meta = pageTitle('Home')

/** Both / and /home/. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const [learning, phases, cards] = await Promise.all([
    ownLearningOf(ctx, args.context.exchange),
    countModulesBySection(ctx),
    listModuleCards(ctx, { perSection: 4 }),
  ])
  const { lastModuleUid } = learning
  const known = cards.find(({ uid }) => uid === lastModuleUid)
  const last = lastModuleUid && !known ? await listCardsOfModules(ctx, [lastModuleUid]) : new Map()
  const views = await viewsOfCards(ctx, [...cards, ...last.values()])
  return {
    phases,
    modules: views.slice(0, cards.length),
    last: views.find(({ uid }) => uid === lastModuleUid) ?? null,
  }
}

export default function HomePage() {
  return <Home {...useLoaderData<typeof loader>()} />
}
