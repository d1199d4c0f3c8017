import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'

/** A copy is a new message that begins with the values of another one; nothing is made until it is saved (C-152). */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'messages')
  const table = tableSearch(new URL(args.request.url).search, '').replace('?', '&')
  throw redirect(`/dashboard/messages/new/?copy=${encodeURIComponent(args.params.uid ?? '')}${table}`)
}

export default function DuplicateMessage() {
  return null
}
