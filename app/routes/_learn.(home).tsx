import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Home } from '~/components/home/home.tsx'
import { homes } from '~/config/home.ts'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { findLastCourse } from '~/pages/courses.server.ts'
import { viewsOfCards } from '~/pages/modules.server.ts'
import { ownLearningOf } from '~/pages/own-learning.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'

export const meta = pageTitle('Home')

/** Serves both / and /home/. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { lastModuleUid, flags } = await ownLearningOf(ctx, args.context.exchange)
  const cards = lastModuleUid ? await listCardsOfModules(ctx, [lastModuleUid]) : new Map()
  const [last = null] = await viewsOfCards(ctx, [...cards.values()])
  const course = last === null ? await findLastCourse(ctx) : null
  return { home: homes[ctx.site.key], last, course, hasLectures: flags.includes('LECTURES') }
}

export default function HomePage() {
  return <Home {...useLoaderData<typeof loader>()} />
}
