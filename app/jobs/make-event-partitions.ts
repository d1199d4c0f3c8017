import type { Ctx } from '~/services/context.ts'
import { ensureEventPartitions } from '~/services/events/events.server.ts'

export function makeEventPartitions(ctx: Ctx): Promise<void> {
  return ensureEventPartitions(ctx)
}
