import type { LoaderFunctionArgs } from '@remix-run/node'
import { throwAsPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { listUidsToTick } from '~/pages/recipient-choice.server.ts'

/** The uids of everybody who is found and can be ticked, up to the number that can be ticked at once. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const uids = await listUidsToTick(ctx, args).catch(throwAsPage)
  return Response.json(uids, { headers: { 'Cache-Control': 'no-store' } })
}
