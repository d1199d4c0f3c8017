import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { defaultSection } from '~/components/console/sections.ts'
import { requireConsole } from '~/http/context.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect(`/dashboard/${defaultSection}/`)
}
