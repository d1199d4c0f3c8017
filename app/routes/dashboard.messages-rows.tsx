import type { LoaderFunctionArgs } from '@remix-run/node'
import { messagesTable } from '~/forms/announcement-tables.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { listSelectableMessages } from '~/pages/messages.server.ts'

/** The uids of the sent messages that the table's query finds, as many as can be compared. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const query = readTableQuery(new URL(args.request.url).searchParams, messagesTable)
  const uids = await listSelectableMessages(ctx, query).catch(throwAsPage)
  return Response.json(uids, { headers: { 'Cache-Control': 'no-store' } })
}
