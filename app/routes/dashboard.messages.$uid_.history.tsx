import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { HistoryDialog } from '~/components/console/history/history-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getHistoryView } from '~/pages/history.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { uid = '' } = args.params
  return getHistoryView(ctx, { kind: 'announcement', uid, url: args.request.url }).catch(throwAsPage)
}

export default function MessageHistory() {
  return <HistoryDialog {...useLoaderData<typeof loader>()} />
}
