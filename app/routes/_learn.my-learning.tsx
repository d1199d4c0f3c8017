import type { LoaderFunctionArgs } from '@remix-run/node'
import { Outlet, useLoaderData } from '@remix-run/react'
import { LearningFrame } from '~/components/learning/learning-frame.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { ownLearningOf } from '~/pages/own-learning.server.ts'

export const meta = pageTitle('My Learning')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { percent, inProgressCount, completedCount } = await ownLearningOf(ctx, args.context.exchange)
  return { percent, inProgressCount, completedCount }
}

export default function MyLearning() {
  return (
    <LearningFrame sums={useLoaderData<typeof loader>()}>
      <Outlet />
    </LearningFrame>
  )
}
