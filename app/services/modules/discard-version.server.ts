/** Discards the latest version of a module if its package cannot be used. */
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { pickFields } from '../revisions.ts'
import { readModuleState } from './module-state.server.ts'
import { lockModuleToEdit } from './modules.server.ts'
import { findVersionOfModule } from './queries.server.ts'
import { deleteLatestVersion, raiseRevision } from './writes.server.ts'

/**
 * Discards the latest version, for staff, and makes the one before it the latest. The published version stays the same.
 * Nobody can have started the discarded version, because its package was never read. Throws NotFound if it is already
 * discarded.
 */
export async function discardVersion(
  ctx: Ctx,
  input: { moduleUid: string; moduleVersionUid: string },
): Promise<{ name: string; version: number }> {
  requireStaff(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const module = await lockModuleToEdit(ctx, input.moduleUid)
    const version = isUid(input.moduleVersionUid)
      ? await findVersionOfModule(ctx, module.id, input.moduleVersionUid)
      : undefined
    if (!version) throw new NotFound()
    if (version.id !== module.latestVersionId || version.status !== 'error') {
      throw new Conflict(
        'module.version_in_use',
        'Only the latest version can be discarded, and only if it has errors.',
      )
    }
    const before = await readModuleState(ctx, module.uid)
    if (!(await deleteLatestVersion(ctx, module.id, version.id))) {
      throw new Conflict('module.only_version', 'A module keeps its first version. Please upload a package that works.')
    }
    const after = await readModuleState(ctx, module.uid)
    // The form now shows another package, so a save from an open form must be merged with this change.
    const revision = await raiseRevision(ctx, module.id)
    await recordAudit(ctx, {
      action: 'module.version_discarded',
      entity: 'module',
      entityUid: module.uid,
      before: pickFields(before.state, ['cmi5Zip']),
      after: { ...pickFields(after.state, ['cmi5Zip']), version: version.version, revision },
    })
    return { name: module.name, version: version.version }
  })
}
