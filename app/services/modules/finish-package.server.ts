/** Reads a package and then publishes its module, if the upload asked for that. */
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { type PackageState, parsePackage } from '../packages/packages.server.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { getModule } from './modules.server.ts'
import { findPackageUidOfLatest, lockModuleOfPackage } from './queries.server.ts'
import { setPublishedVersion } from './writes.server.ts'

/** The job: reads the package and publishes its version, if the upload asked for that. It is safe to repeat. */
export async function finishPackage(ctx: Ctx, input: { packageUid: string }): Promise<PackageState> {
  const state = await parsePackage(ctx, input)
  if (state.status === 'parsed') {
    await inTransaction(ctx, async (ctx) => {
      const module = await lockModuleOfPackage(ctx, input.packageUid)
      if (module) await queueIndexing(ctx, { kind: 'module', uids: [module.uid] })
      // A later version may be published by now, and somebody may have turned on Coming Soon.
      if (!module?.publishWhenParsed || module.comingSoon || module.version <= (module.publishedVersion ?? 0)) return
      await setPublishedVersion(ctx, module.id, module.versionId)
      await recordAudit(ctx, { action: 'module.published', entity: 'module', entityUid: module.uid })
    })
  }
  return state
}

/**
 * Reads the latest package of a module now instead of waiting for its job, for commands and seeds, which report the
 * result. Returns null if the module has no package. The job may run at the same time; it finishes the work if this
 * process is killed.
 */
export async function finishLatestPackage(ctx: Ctx, input: { moduleUid: string }): Promise<PackageState | null> {
  requireStaff(ctx, 'write')
  const { uid } = await getModule(ctx, input)
  const packageUid = await findPackageUidOfLatest(ctx, uid)
  return packageUid === undefined ? null : finishPackage(ctx, { packageUid })
}
