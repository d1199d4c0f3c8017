/** Pages that show each part of the console, for developers of new sections. */
import { env } from '~/config/env.server.ts'
import { requireConsole } from '~/http/context.server.ts'
import { notFoundPage } from '~/http/respond.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listModulesByUid } from '~/services/modules/modules.server.ts'
import { listModulePage } from '~/services/modules/table.server.ts'
import type { PickerSource } from './picker.server.ts'

/** Allows staff, if the installation shows its parts (setting CONSOLE_PARTS). Otherwise throws 404. */
export async function requireParts(args: Parameters<typeof requireConsole>[0]): Promise<Ctx> {
  const ctx = await requireConsole(args)
  if (!env().CONSOLE_PARTS) throw notFoundPage()
  return ctx
}

/** For staff: the modules of the site, of which those that were published at least once can be chosen. */
export function modulesToPick(ctx: Ctx, { field, most }: Pick<PickerSource, 'field' | 'most'>): PickerSource {
  const sort = 'name'
  return {
    field,
    most,
    list: async ({ search, page, size }) => {
      const { items, total } = await listModulePage(ctx, { search, page, size, sort })
      const candidates = items.map(({ uid, name, publishedVersion }) => ({
        uid,
        name,
        problem: publishedVersion !== null ? null : 'Not published yet',
      }))
      return { candidates, total }
    },
    findAll: async ({ search, most: size }) => {
      const filters = { status: ['published', 'behind'] }
      const { items } = await listModulePage(ctx, { search, filters, size, sort })
      return items.map(({ uid, name }) => ({ uid, name }))
    },
    find: async (uids) => {
      const modules = await listModulesByUid(ctx, uids)
      return new Map([...modules].map(([uid, { name }]) => [uid, { uid, name }]))
    },
  }
}
