/** Makes one change to many modules, each in its own transaction, so that one refusal does not stop the others. */
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

/** The result for one module. `problem` says why it was not changed; null if it was. */
type ModuleChangeResult = { uid: string; name: string | null; problem: string | null }

/** For staff. A module that is already in the wanted state counts as changed. A deleted module has no name. */
export async function changeModules(
  ctx: Ctx,
  input: { change: string; moduleUids: string[] },
): Promise<ModuleChangeResult[]> {
  requireStaff(ctx, 'write')
  const { change, moduleUids } = parseInput(changeModulesForm, input)
  const uids = [...new Set(moduleUids)]
  const before = await listModulesByUid(ctx, uids)
  const results: ModuleChangeResult[] = []
  // One after the other, because each has its own transaction, and so that two people's changes cannot deadlock.
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
