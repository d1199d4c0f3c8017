import { endIdleLaunches as endLaunchesThatAreIdle } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'

export async function endIdleLaunches(ctx: Ctx): Promise<void> {
  const ended = await endLaunchesThatAreIdle(ctx)
  if (ended > 0) ctx.log.info({ ended }, 'idle launches ended')
}
