import type { Ctx } from '~/services/context.ts'
import { getOwnLearning, type OwnLearning } from '~/services/read/own-learning.server.ts'
import type { Exchange } from './exchange.server.ts'

/** The sums of the viewer's learning, read once for all loaders of a request. */
export function ownLearningOf(ctx: Ctx, exchange: Exchange): Promise<OwnLearning> {
  const known = exchange.memo.get('own-learning') as Promise<OwnLearning> | undefined
  if (known) return known
  const asked = getOwnLearning(ctx)
  exchange.memo.set('own-learning', asked)
  return asked
}
