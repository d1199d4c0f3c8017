import type { Ctx } from '~/services/context.ts'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import { failPackage, type PackageState } from '~/services/packages/packages.server.ts'

export async function parsePackageJob(
  ctx: Ctx,
  payload: { packageUid: string },
  attempt: { isLast: boolean },
): Promise<PackageState> {
  return finishPackage(ctx, payload).catch(async (error) => {
    // This was the last try, so the author is informed instead of waiting forever.
    if (attempt.isLast) await failPackage(ctx, payload)
    throw error
  })
}
