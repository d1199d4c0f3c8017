import type { Ctx } from '~/services/context.ts'
import { followLateReferences } from '~/services/xapi/xapi.server.ts'

export async function followReferencesJob(
  ctx: Ctx,
  payload: Parameters<typeof followLateReferences>[1],
): Promise<void> {
  await followLateReferences(ctx, payload)
}
