import { type ActionFunctionArgs, type LoaderFunctionArgs, replace } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { BulkProgress } from '~/components/console/bulk/bulk-progress.tsx'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { CloseLink, dialogHandle, RouteDialog } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { findBulkView } from '~/pages/bulk-operation.server.ts'
import { countLearnersToMove, queueMoveOfLearners } from '~/services/cmi5/cmi5.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '', versionUid = '' } = args.params
  const found = await countLearnersToMove(ctx, { moduleUid: uid, moduleVersionUid: versionUid }).catch(throwAsPage)
  return { ...found, operation: await findBulkView(ctx, { kind: 'move-learners', subjectUid: versionUid }) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '', versionUid = '' } = args.params
  return withForm(args, ctx, async () => {
    await queueMoveOfLearners(ctx, { moduleUid: uid, moduleVersionUid: versionUid })
    // The dialog shows the progress of the operation.
    const search = tableSearch(new URL(args.request.url).search)
    return replace(`/dashboard/modules/${uid}/versions/${versionUid}/move/${search}`)
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error moving learners. Please try again later.')
}

export default function MoveLearners() {
  const { module, version, learners, operation } = useLoaderData<typeof loader>()
  const title = `Move Learners to v${version}`
  const closeTo = `/dashboard/modules/${module.uid}/`
  const progress = operation && <BulkProgress operation={operation} />
  if (learners === 0 || operation?.status === 'running') {
    return (
      <RouteDialog title={title} size="md" closeTo={closeTo} footer={<CloseLink closeTo={closeTo} />}>
        {progress ?? <p>No learner is in the middle of another version right now.</p>}
      </RouteDialog>
    )
  }
  return (
    <ConfirmRoute
      title={title}
      question={
        <>
          {progress && <div className="mb-4">{progress}</div>}
          <p className="dlg-question">
            Do you want to move {learners === 1 ? 'the 1 learner' : `all ${learners.toLocaleString('en')} learners`} who
            {learners === 1 ? ' is' : ' are'} in the middle of another version?
          </p>
          <p className="muted">{module.name}</p>
          <p className="notice notice--warning mt-4">
            Their attempts end, and new ones begin in v{version}. Completed units that exist in v{version} count there,
            too. Their position inside a unit is lost, and learners who have the module open must open it again.
          </p>
        </>
      }
      actionLabel="Move"
      tone="danger"
      intent="move"
      closeTo={closeTo}
    />
  )
}
