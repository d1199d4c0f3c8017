import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { Problems } from '~/components/console/checks/problems.tsx'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { peopleInWords } from '~/components/console/modules/people-in-module.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { ScheduleLink } from '~/components/console/schedule/schedule-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { problemsInWords } from '~/pages/checks.server.ts'
import { countPeopleInModule } from '~/services/cmi5/cmi5.server.ts'
import { getModule, publishModule, statusOfModule, unpublishModule } from '~/services/modules/modules.server.ts'
import { listModuleVersions } from '~/services/modules/parts.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const module = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  // An older published version can be unpublished while a newer version is still a draft.
  const isAskedToUnpublish = new URL(args.request.url).searchParams.get('intent') === 'unpublish'
  const isPublished =
    statusOfModule(module) === 'published' || (isAskedToUnpublish && module.publishedVersionUid !== null)
  const versions = await listModuleVersions(
    ctx,
    [module.publishedVersionUid, module.currentVersionUid].filter((uid) => uid !== null),
  )
  const labelOf = (uid: string | null) => (uid && versions.has(uid) ? `v${versions.get(uid)?.version}` : null)
  return {
    uid: module.uid,
    name: module.name,
    isPublished,
    live: labelOf(module.publishedVersionUid),
    latest: labelOf(module.currentVersionUid),
    problems: await problemsInWords(ctx, { kind: 'module', uid: module.uid }),
    people: peopleInWords(await countPeopleInModule(ctx, { moduleUid: module.uid })),
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const moduleUid = args.params.uid ?? ''
  return withForm(args, ctx, async (form) => {
    // The button names the action, so that an outdated page does not do the opposite.
    const isPublishing = text(form, 'intent') !== 'unpublish'
    const change = isPublishing ? publishModule : unpublishModule
    const { name } = await change(ctx, { moduleUid })
    return redirectWithNotice(args, `/dashboard/modules/${tableSearch(new URL(args.request.url).search)}`, {
      kind: 'success',
      text: `Module "${name}" has been ${isPublishing ? 'published' : 'unpublished'}.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, (form) => `Error ${form.get('intent')}ing module. Please try again later.`)
}

export default function PublishModule() {
  const page = useLoaderData<typeof loader>()
  const { uid, name, isPublished } = page
  return (
    <ConfirmRoute
      title={isPublished ? 'Unpublish Module' : 'Publish Module'}
      question={
        <>
          <p className="dlg-question">Do you want to {isPublished ? 'unpublish' : 'publish'} this module?</p>
          <p className="muted">{name}</p>
          {isPublished ? <WhatUnpublishingMeans {...page} /> : <WhatPublishingMeans {...page} />}
          {!isPublished && <Problems problems={page.problems} />}
          <ScheduleLink kind="module" uid={uid} isPublished={isPublished} />
        </>
      }
      actionLabel={isPublished ? 'Unpublish' : 'Publish'}
      tone={isPublished ? 'danger' : 'primary'}
      intent={isPublished ? 'unpublish' : 'publish'}
      closeTo={`/dashboard/modules/${uid}/`}
    />
  )
}

type Means = Pick<Awaited<ReturnType<typeof loader>>, 'live' | 'latest' | 'people'>

function WhatUnpublishingMeans({ people }: Means) {
  if (!people) return null
  return <p className="notice">{people}. They cannot open it again until it is published. Their progress is kept.</p>
}

function WhatPublishingMeans({ live, latest, people }: Means) {
  if (!live || !latest || live === latest) return null
  return (
    <p className="notice">
      {latest} replaces {live}, which is live now. Learners who start from now on get {latest}.
      {people && ` ${people}. They stay in the version that they started.`}
    </p>
  )
}
