import type { LoaderFunctionArgs } from '@remix-run/node'
import { Link, useLoaderData } from '@remix-run/react'
import { LearningRows } from '~/components/learning/learning-rows.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { ownLearningRows } from '~/pages/own-learning.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  return ownLearningRows(await requireLearner(args), args.request, 'completed')
}

export default function Completed() {
  return (
    <LearningRows
      {...useLoaderData<typeof loader>()}
      foot={
        <p className="mt-6">
          <Link className="btn btn--secondary" to="/my-record/">
            Show a record to print
          </Link>
        </p>
      }
      title="Completed"
      empty={{
        title: 'You have not completed anything yet',
        text: 'A module is listed here when all of its units are done. You can take it again at any time.',
      }}
    />
  )
}
