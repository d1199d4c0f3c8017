import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { faultsResponse, importOf } from '~/http/csv.server.ts'
import { notFoundPage, throwAsPage } from '~/http/respond.server.ts'
import { peopleImport } from '~/pages/invitations.server.ts'
import { checkPeople } from '~/services/invitations/check-people.server.ts'

/** All faults of the viewer's upload as a CSV file. The upload is read again, because it may have thousands. */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { name, mapping } = importOf(new URL(args.request.url).searchParams, peopleImport)
  const { plan } = await checkPeople(ctx, { csvPath: name, mapping }).catch(throwAsPage)
  if (!plan) throw notFoundPage()
  return faultsResponse(args, { fileName: 'Faults_Invite_Users.csv', faults: plan.faults })
}
