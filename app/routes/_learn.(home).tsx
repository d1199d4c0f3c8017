import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { Home } from '~/components/home/home.tsx'
import { homes } from '~/config/home.ts'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { findHomeBand } from '~/pages/home.server.ts'
import { ownLearningOf } from '~/pages/own-learning.server.ts'

export const meta = pageTitle('Home')

/** Serves both / and /home/. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const learning = await ownLearningOf(ctx, args.context.exchange)
  const band = await findHomeBand(ctx, learning)
  return { home: homes[ctx.site.key], band, hasLectures: learning.flags.includes('LECTURES') }
}

export default function HomePage() {
  return <Home {...useLoaderData<typeof loader>()} />
}
