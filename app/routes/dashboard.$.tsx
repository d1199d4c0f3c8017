import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'

/** Deeper than any section goes. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  throw notFoundPage()
}

export default function Deeper() {
  return null
}
