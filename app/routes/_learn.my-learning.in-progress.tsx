import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { LearningRows } from '~/components/learning/learning-rows.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { ownLearningRows } from '~/pages/own-learning.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  return ownLearningRows(await requireLearner(args), args.request, 'in_progress')
}

export default function InProgress() {
  return (
    <LearningRows
      {...useLoaderData<typeof loader>()}
      title="In Progress"
      empty={{
        title: 'You have nothing in progress',
        text: 'Everything that you start stays here until you complete it. Begin with any module; your place is kept.',
      }}
    />
  )
}
