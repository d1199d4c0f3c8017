/** Pages that show each part of the console, for developers of new sections. */
import { env } from '~/config/env.server.ts'
import { requireConsole } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'

/** Allows staff, if the installation shows its parts (setting CONSOLE_PARTS). Otherwise throws 404. */
export async function requireParts(args: Parameters<typeof requireConsole>[0]): Promise<Ctx> {
  const ctx = await requireConsole(args)
  if (!env().CONSOLE_PARTS) throw notFoundPage()
  return ctx
}
