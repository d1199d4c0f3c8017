import type { Ctx } from '../context.ts'
import { createPackage } from '../packages/packages.server.ts'
import { queue } from '../queue/queue.server.ts'
import type { LockedModule } from './queries.server.ts'
import { insertVersion, reuseFailedVersion } from './writes.server.ts'

export type AttachedPackage = { packageUid: string; version: number; outcome: 'new_version' | 'replaced' }

/**
 * Opens the next version with a stored zip and queues the job that reads it. If the package of the latest version
 * failed, the zip replaces that package instead. Call it in a transaction, with the module locked.
 */
export async function attachPackage(
  ctx: Ctx,
  module: LockedModule,
  input: { zipFileUid: string; publish: boolean },
): Promise<AttachedPackage> {
  const failed = await reuseFailedVersion(ctx, module.latestVersionId, input.publish)
  const version = failed ?? (await insertVersion(ctx, module.id, input.publish))
  const { uid } = await createPackage(ctx, { moduleVersionUid: version.uid, zipFileUid: input.zipFileUid })
  await queue(ctx, 'parse-package', { packageUid: uid }, { key: `parse-package:${uid}` })
  return { packageUid: uid, version: version.version, outcome: failed ? 'replaced' : 'new_version' }
}
