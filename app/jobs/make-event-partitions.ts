import type { Ctx } from '~/services/context.ts'
import { ensureEventPartitions } from '~/services/queue/workers.server.ts'

export function makeEventPartitions(ctx: Ctx): Promise<void> {
  return ensureEventPartitions(ctx)
}
