/** The parts of the console, each on a page of its own, for developers of new sections. */
import { env } from '~/config/env.server.ts'
import { requireConsole } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'

/** For staff of an installation that shows its parts (setting CONSOLE_PARTS). Anywhere else the pages do not exist. */
export async function requireParts(args: Parameters<typeof requireConsole>[0]): Promise<Ctx> {
  const ctx = await requireConsole(args)
  if (!env().CONSOLE_PARTS) throw notFoundPage()
  return ctx
}
