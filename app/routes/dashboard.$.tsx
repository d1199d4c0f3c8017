import type { LoaderFunctionArgs } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'

/** Answers 404 for addresses deeper than any section has. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  throw notFoundPage()
}

export default function Deeper() {
  return null
}
