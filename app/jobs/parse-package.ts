import type { Ctx } from '~/services/context.ts'
import { finishPackage } from '~/services/modules/import.server.ts'

export async function parsePackageJob(ctx: Ctx, payload: { packageUid: string }): Promise<void> {
  const { status, lastMsg } = await finishPackage(ctx, payload)
  if (status === 'error') ctx.log.info({ packageUid: payload.packageUid, lastMsg }, 'package refused')
}
