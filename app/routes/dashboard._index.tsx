import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { defaultSection } from '~/components/console/sections.ts'
import { requireConsole } from '~/http/context.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect(`/dashboard/${defaultSection}/`)
}

/** Without a page of its own, what the guard refuses would be an empty answer. */
export default function Console() {
  return null
}
