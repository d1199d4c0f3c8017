import type { LoaderFunctionArgs } from '@remix-run/node'
import { notFoundPage } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

/** Unknown names lead to the default section (C-008). Each section has a route of its own. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, args.params.section)
  throw notFoundPage()
}

export default function Section() {
  return null
}
