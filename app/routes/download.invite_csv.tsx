import type { LoaderFunctionArgs } from '@remix-run/node'
import { invitedColumns } from '~/forms/users.ts'
import { contextFor } from '~/http/context.server.ts'
import { csvResponse } from '~/http/csv.server.ts'
import type { CsvRow } from '~/lib/csv.ts'

/** A file with the headings of a list of people to invite, for everybody (C-250). */
export async function loader(args: LoaderFunctionArgs) {
  await contextFor(args)
  return csvResponse(args, { fileName: 'Invite_Users.csv', parts: template() })
}

async function* template(): AsyncGenerator<CsvRow[]> {
  yield [invitedColumns.map(({ key }) => key)]
}
