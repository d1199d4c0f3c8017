import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { defaultSection, findSection } from '~/components/console/sections.ts'
import { isShownTo } from '~/components/layout/navigation.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'

/**
 * Redirects sections that are not built yet, and unknown names, to the default section. A section whose feature is off
 * counts as unknown (C-016). A section of other groups is refused.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { groups } = ctx.viewer
  const flags = await listFeatureFlags(ctx)
  const section = findSection(args.params.section)
  const to = `/dashboard/${defaultSection}/`
  if (!section || !isShownTo({ flag: section.flag }, { groups, flags })) return redirect(to)
  if (!isShownTo(section, { groups, flags })) {
    throw new Response(null, { status: 403, statusText: 'No Access' })
  }
  return redirectWithNotice(args, to, { kind: 'info', text: `The section “${section.label}” is not available yet.` })
}

export default function Section() {
  return null
}
