import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { csvResponse } from '~/http/csv.server.ts'
import { throwAsPage } from '~/http/respond.server.ts'
import { invitedListParts } from '~/pages/invitations.server.ts'
import { getInvitedList } from '~/services/invitations/invited-lists.server.ts'

/** The rows of a list with what happened to each. It can be imported again, and then each row is already known. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const input = { operationUid: args.params.uid ?? '' }
  await getInvitedList(ctx, input).catch(throwAsPage)
  return csvResponse(args, { fileName: 'Invited_Users.csv', parts: invitedListParts(ctx, input) })
}
