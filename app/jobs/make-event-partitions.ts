import { env } from '~/config/env.server.ts'
import type { SystemCtx } from '~/services/context.ts'
import { dropOldEvents, ensureEventPartitions } from '~/services/events/events.server.ts'

/** Creates the partitions of the coming months for events and searches, and drops expired ones. */
export async function makeEventPartitions(ctx: SystemCtx): Promise<void> {
  await ensureEventPartitions(ctx)
  await dropOldEvents(ctx, { months: env().EVENT_MONTHS })
}
