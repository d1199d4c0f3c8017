import type { Ctx } from '~/services/context.ts'
import { finishPackage } from '~/services/modules/import.server.ts'
import { failPackage } from '~/services/packages/packages.server.ts'

export async function parsePackageJob(
  ctx: Ctx,
  payload: { packageUid: string },
  attempt: { isLast: boolean },
): Promise<void> {
  const { status, lastMsg } = await finishPackage(ctx, payload).catch(async (error) => {
    // Nobody tries again after this: its author must not wait for ever.
    if (attempt.isLast) await failPackage(ctx, payload)
    throw error
  })
  if (status === 'error') ctx.log.info({ packageUid: payload.packageUid, lastMsg }, 'package refused')
}
