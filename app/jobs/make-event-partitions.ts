import { env } from '~/config/env.server.ts'
import type { SystemCtx } from '~/services/context.ts'
import { dropOldEvents, ensureEventPartitions } from '~/services/events/events.server.ts'

/** Makes the coming months' partitions of events and searches, and drops those that are no longer kept. */
export async function makeEventPartitions(ctx: SystemCtx): Promise<void> {
  await ensureEventPartitions(ctx)
  await dropOldEvents(ctx, { months: env().EVENT_MONTHS })
}
