import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { discardVersion } from '~/services/modules/discard-version.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { listVersionsOfModules } from '~/services/modules/parts.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid, name } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  const versions = (await listVersionsOfModules(ctx, [uid])).get(uid) ?? []
  const [latest, before] = versions
  if (!before || latest?.uid !== args.params.versionUid?.toLowerCase() || latest?.package?.status !== 'error') {
    throw notFoundPage()
  }
  return { uid, name, label: `v${latest.version}`, before: `v${before.version}` }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '', versionUid = '' } = args.params
  return withForm(args, ctx, async () => {
    const { version } = await discardVersion(ctx, { moduleUid: uid, moduleVersionUid: versionUid })
    return redirectWithNotice(args, `/dashboard/modules/${uid}/${tableSearch(new URL(args.request.url).search)}`, {
      kind: 'success',
      text: `v${version} has been discarded.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error discarding the version. Please try again later.')
}

export default function DiscardVersion() {
  const { uid, name, label, before } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title={`Discard ${label}`}
      question={
        <>
          <p className="dlg-question">Do you want to discard {label}, whose package has errors?</p>
          <p className="muted">{name}</p>
          <p className="notice mt-4">{before} becomes the latest version again. Nothing changes for learners.</p>
        </>
      }
      actionLabel="Discard"
      tone="danger"
      intent="discard"
      closeTo={`/dashboard/modules/${uid}/`}
    />
  )
}
