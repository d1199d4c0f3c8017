import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { ModuleRows } from '~/components/learning/module-rows.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { ownModuleRows } from '~/http/own-learning.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  return ownModuleRows(await requireLearner(args), args.request, 'completed')
}

export default function Completed() {
  return (
    <ModuleRows
      {...useLoaderData<typeof loader>()}
      heading="Completed"
      empty={{
        title: 'You have not completed anything yet',
        text: 'A module comes here when all of its units are done. You can take it again at any time.',
      }}
    />
  )
}
