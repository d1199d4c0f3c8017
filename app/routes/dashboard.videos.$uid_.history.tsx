import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { HistoryDialog } from '~/components/console/history/history-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { getHistoryView } from '~/pages/history.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Videos')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { uid = '' } = args.params
  return getHistoryView(ctx, { kind: 'video', uid, url: args.request.url }).catch(throwAsPage)
}

export default function VideoHistory() {
  return <HistoryDialog {...useLoaderData<typeof loader>()} />
}
