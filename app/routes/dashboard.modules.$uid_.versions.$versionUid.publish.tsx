import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { peopleInWords } from '~/components/console/modules/people-in-module.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { notFoundPage, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { countPeopleInModule } from '~/services/cmi5/cmi5.server.ts'
import { getModule, publishVersion } from '~/services/modules/modules.server.ts'
import { listModuleVersions } from '~/services/modules/parts.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const module = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  const versionUid = (args.params.versionUid ?? '').toLowerCase()
  if (!isUid(versionUid)) throw notFoundPage()
  const versions = await listModuleVersions(
    ctx,
    [versionUid, module.publishedVersionUid].filter((uid) => uid !== null),
  ).catch(throwAsPage)
  const wanted = versions.get(versionUid)
  if (wanted?.moduleUid !== module.uid || wanted.package?.status !== 'parsed') throw notFoundPage()
  const live = versions.get(module.publishedVersionUid ?? '')
  return {
    uid: module.uid,
    name: module.name,
    label: `v${wanted.version}`,
    live: live && live.uid !== wanted.uid ? `v${live.version}` : null,
    people: peopleInWords(await countPeopleInModule(ctx, { moduleUid: module.uid })),
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '', versionUid = '' } = args.params
  return withForm(args, ctx, async () => {
    const { name, version } = await publishVersion(ctx, { moduleUid: uid, moduleVersionUid: versionUid })
    return redirectWithNotice(args, `/dashboard/modules/${uid}/${tableSearch(new URL(args.request.url).search)}`, {
      kind: 'success',
      text: `v${version} of module "${name}" is published.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error publishing module. Please try again later.')
}

export default function PublishVersion() {
  const { uid, name, label, live, people } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title={`Publish ${label}`}
      question={
        <>
          <p className="dlg-question">Do you want to publish {label} of this module?</p>
          <p className="muted">{name}</p>
          <p className="notice mt-4">
            {live ? `${label} replaces ${live}, which is live now. ` : ''}
            Learners who start from now on get {label}.
            {people && ` ${people}. They stay in the version that they started.`} Every version is kept and can be
            published again.
          </p>
        </>
      }
      actionLabel="Publish"
      intent="publish"
      closeTo={`/dashboard/modules/${uid}/`}
    />
  )
}
