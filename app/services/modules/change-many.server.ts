/** One change of many modules at once, each in a transaction of its own: what one of them refuses does not keep the others from it. */
import { changeModulesForm, type ModulesChange } from '~/forms/change-modules.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { parseInput } from '../input.ts'
import {
  deleteModule,
  listModulesByUid,
  type Module,
  publishModule,
  restoreModule,
  unpublishModule,
} from './modules.server.ts'

const changes: Record<ModulesChange, (ctx: Ctx, input: { moduleUid: string }) => Promise<Module>> = {
  publish: publishModule,
  unpublish: unpublishModule,
  delete: deleteModule,
  restore: restoreModule,
}

/** What became of one module. `problem` says why it was not changed; null where all is well. */
type ModuleChangeResult = { uid: string; name: string | null; problem: string | null }

/** For staff. Modules that are already as wanted count as changed; one that is gone has no name. */
export async function changeModules(
  ctx: Ctx,
  input: { change: string; moduleUids: string[] },
): Promise<ModuleChangeResult[]> {
  requireStaff(ctx, 'write')
  const { change, moduleUids } = parseInput(changeModulesForm, input)
  const uids = [...new Set(moduleUids)]
  const before = await listModulesByUid(ctx, uids)
  const results: ModuleChangeResult[] = []
  // One after the other, so that two people who change the same modules cannot lock each other out.
  for (const uid of uids) results.push(await changeOne(ctx, change, uid, before.get(uid)?.name ?? null))
  return results
}

async function changeOne(
  ctx: Ctx,
  change: ModulesChange,
  uid: string,
  name: string | null,
): Promise<ModuleChangeResult> {
  try {
    const module = await changes[change](ctx, { moduleUid: uid })
    return { uid, name: module.name, problem: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { uid, name, problem: error.code === 'not_found' ? 'This module is no longer there.' : error.message }
  }
}
