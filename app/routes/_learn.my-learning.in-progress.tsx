import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ModuleRows } from '~/components/learning/module-rows.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { ownModuleRows } from '~/http/own-learning.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  return ownModuleRows(await requireLearner(args), args.request, 'in_progress')
}

export default function InProgress() {
  return (
    <ModuleRows
      {...useLoaderData<typeof loader>()}
      heading="In Progress"
      empty={{
        title: 'You have nothing in progress',
        text: 'What you start is listed here until you complete it. Begin with any module; your place is kept.',
      }}
    />
  )
}
