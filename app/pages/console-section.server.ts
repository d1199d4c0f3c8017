/** Who may open a section of the console, as components/console/sections.ts has it. */
import { defaultSection, findSection } from '~/components/console/sections.ts'
import { isShownTo } from '~/components/layout/navigation.ts'
import { requireConsole, type SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'

/**
 * The guard of a section with a feature flag. An unknown section leads to the default one (C-008), and so does a section
 * whose feature is switched off (C-016). Staff whom the section is not for see that they have no access.
 */
export async function requireSection(
  args: Parameters<typeof requireConsole>[0],
  id: string | undefined,
): Promise<SignedIn> {
  const ctx = await requireConsole(args)
  const { groups } = ctx.viewer
  const flags = await listFeatureFlags(ctx)
  const section = findSection(id)
  if (!section || !isShownTo({ flag: section.flag }, { groups, flags })) {
    const notice = { kind: 'info', text: 'There is no such section in the console.' } as const
    throw await redirectWithNotice(args, `/dashboard/${defaultSection}/`, notice)
  }
  if (!isShownTo(section, { groups, flags })) throw new Response(null, { status: 403, statusText: 'No Access' })
  return ctx
}
