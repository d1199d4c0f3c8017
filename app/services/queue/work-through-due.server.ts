/** Work whose time has come, one item in a transaction each. */
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'

type DueWork<Item, Result> = {
  /** Locks the next item that is due and not among these ids, and that nobody else has. */
  take: (ctx: Ctx, except: number[]) => Promise<Item | undefined>
  run: (ctx: Ctx, item: Item) => Promise<Result>
  /** What the log says of an item that could not be done. */
  failure: string
}

/**
 * Does everything that is due and returns the results. An item that cannot be done must not hold up the others: the job
 * fails in the end, and is repeated.
 */
export async function workThroughDue<Item extends { id: number }, Result>(
  ctx: Ctx,
  { take, run, failure }: DueWork<Item, Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const broken: { id: number; error: unknown }[] = []
  for (;;) {
    let running: number | null = null
    try {
      const done = await inTransaction(ctx, async (ctx) => {
        const item = await take(
          ctx,
          broken.map(({ id }) => id),
        )
        if (!item) return null
        running = item.id
        return { result: await run(ctx, item) }
      })
      if (!done) break
      results.push(done.result)
    } catch (error) {
      if (running === null) throw error
      ctx.log.error({ err: error, id: running }, failure)
      broken.push({ id: running, error })
    }
  }
  if (broken[0]) throw broken[0].error
  return results
}
