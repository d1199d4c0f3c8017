import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { defaultSection, findSection } from '~/components/console/sections.ts'
import { requireAdmin, requireConsole } from '~/http/context.server.ts'

/** Sections that are not built yet, and names that none has: both lead to the default one, but not past what an author may see. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  const section = findSection(args.params.section)
  if (section && !section.isForAuthors) await requireAdmin(args)
  return redirect(`/dashboard/${defaultSection}/`)
}

export default function Section() {
  return null
}
