import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { LateMessage } from '~/components/console/messages/late-message.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getAnnouncementToEdit, timesKeyOf } from '~/services/announcements/read-announcement.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

/** Its button posts to `sending`. A message that no longer waits is shown as it is. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const message = await getAnnouncementToEdit(ctx, { announcementUid: args.params.uid ?? '' }).catch(throwAsPage)
  const { uid, sending, values, notAfter } = message
  if (sending !== 'late') throw redirect(`/dashboard/messages/${uid}/`)
  const shown = notAfter && formatMoment(notAfter, ctx.site.timeZone)
  return { uid, name: values.name, notAfter: shown, timesKey: timesKeyOf(message) }
}

export default function Late() {
  return <LateMessage {...useLoaderData<typeof loader>()} />
}
