/** Who may open a section of the console, as components/console/sections.ts has it. */
import { redirect } from '@remix-run/node'
import { defaultSection, findSection } from '~/components/console/sections.ts'
import { isShownTo } from '~/components/layout/navigation.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'

/**
 * The guard of a section with a feature flag. While the feature is switched off, the section counts as unknown and leads to the default one
 * (C-016). Staff whom the section is not for see that they have no access.
 */
export async function requireSection(
  args: Parameters<typeof requireConsole>[0],
  id: string | undefined,
): Promise<SignedIn> {
  const ctx = await requireConsole(args)
  const { groups } = ctx.viewer
  const flags = await listFeatureFlags(ctx)
  const section = findSection(id)
  if (!section || !isShownTo({ flag: section.flag }, { groups, flags })) throw redirect(`/dashboard/${defaultSection}/`)
  if (!isShownTo(section, { groups, flags })) throw new Response(null, { status: 403, statusText: 'No Access' })
  return ctx
}
