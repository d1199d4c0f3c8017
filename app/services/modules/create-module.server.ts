import type { z } from 'zod'
import { type ModuleStatus, moduleForm } from '~/forms/modules.ts'
import { caseKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { comingSoon, getModule, type Module, parseStatus } from './modules.server.ts'
import { lockModuleOfSite } from './queries.server.ts'
import { saveModule } from './save-module.server.ts'
import { prepareFiles, writeModule } from './write-module.server.ts'
import { insertModule } from './writes.server.ts'

export type NewModule = z.input<typeof moduleForm> & { status?: ModuleStatus | null; uid?: string }

/**
 * Creates a module, for admins and authors. Files are given by the names of their uploads. A client can choose the
 * `uid`, so that a request sent twice creates one module. What has been typed since the first request, whose answer was
 * lost, is saved as a change of that module.
 */
export async function createModule(ctx: Ctx, input: NewModule): Promise<Module> {
  requireStaff(ctx, 'write')
  const values = parseInput(moduleForm, input)
  const status = parseStatus(input.status)
  const uid = newUid(input.uid)
  if (status === 'published' && values.comingSoon) throw comingSoon()
  const prepared = await prepareFiles(ctx, values)
  const created = await inTransaction(ctx, async (ctx) => {
    const { name, description, inSelfStudy } = values
    const isNew = await insertModule(ctx, { uid, name, nameKey: caseKey(name), description, inSelfStudy })
    const module = await lockModuleOfSite(ctx, uid)
    // The uid belongs to a module of another site, or to a deleted one.
    if (!module) throw new NotFound()
    if (!isNew) return null
    await writeModule(ctx, module, values, { prepared, status, action: 'module.created' })
    return getModule(ctx, { moduleUid: uid })
  })
  if (created) return created
  // A command uploads its files again each time, so nothing tells whether it wants a change.
  if (!ctx.viewer) return getModule(ctx, { moduleUid: uid })
  return (await saveModule(ctx, { ...values, moduleUid: uid, revision: firstRevision })).module
}

/** The revision of a module right after it was created. */
const firstRevision = 1
