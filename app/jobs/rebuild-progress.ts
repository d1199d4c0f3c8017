import { rebuildProgressPage } from '~/services/cmi5/cmi5.server.ts'
import type { SystemCtx } from '~/services/context.ts'
import { queueSystemJob, type SystemJobs } from '~/services/queue/queue.server.ts'

/** Rebuilds a part of all progress, so that no job takes long, and queues the next part. Returns the attempts rebuilt. */
export async function rebuildProgressJob(ctx: SystemCtx, { after }: SystemJobs['rebuild-progress']): Promise<number> {
  const { attempts, next } = await rebuildProgressPage(ctx, { after })
  if (next) await queueSystemJob(ctx, 'rebuild-progress', { after: next })
  return attempts
}
