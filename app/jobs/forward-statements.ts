import type { Ctx } from '~/services/context.ts'
import type { Jobs } from '~/services/queue/queue.server.ts'
import { forwardStatements } from '~/services/xapi/xapi.server.ts'

export async function forwardStatementsJob(
  ctx: Ctx,
  { site }: Jobs['forward-statements'],
  { signal }: { signal: AbortSignal },
): Promise<void> {
  await forwardStatements(ctx, { site, signal })
}
