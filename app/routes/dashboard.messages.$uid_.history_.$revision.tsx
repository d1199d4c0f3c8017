import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { RestoreDialog } from '~/components/console/history/restore-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getRestoreView } from '~/pages/history.server.ts'
import { answerRestore, revisionOf } from '~/pages/restore-revision.server.ts'
import { getAnnouncementToEdit, timesKeyOf } from '~/services/announcements/read-announcement.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { uid = '' } = args.params
  const message = await getAnnouncementToEdit(ctx, { announcementUid: uid }).catch(throwAsPage)
  const of = { kind: 'announcement', uid, revision: revisionOf(args.params) } as const
  return { ...(await getRestoreView(ctx, of).catch(throwAsPage)), shownTimes: timesKeyOf(message) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  return withForm(args, ctx, (form) => answerRestore(args, ctx, 'announcement', form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error restoring the revision. Please try again later.')
}

export default function RestoreMessageRevision() {
  return <RestoreDialog {...useLoaderData<typeof loader>()} />
}
