import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { defaultSection } from '~/components/console/sections.ts'
import { requireConsole } from '~/http/context.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect(`/dashboard/${defaultSection}/`)
}

/** The route needs a component: without one, a refusal of the guard would be an empty answer. */
export default function Console() {
  return null
}
