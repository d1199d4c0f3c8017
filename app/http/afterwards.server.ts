import type { Exchange } from './exchange.server.ts'

type Work = () => Promise<void>

/**
 * For what may be written only when the answer is out. server/request-log.ts does it; one work that fails takes nothing
 * from the others.
 */
export function doAfterwards(exchange: Exchange, work: Work): void {
  const before = exchange.memo.get('afterwards') as Work | undefined
  exchange.memo.set('afterwards', async () => {
    await before?.()
    try {
      await work()
    } catch (error) {
      exchange.log.warn({ err: error }, 'could not write what was left for afterwards')
    }
  })
}

/** The same for what somebody has seen or asked for: what a browser only fetches ahead, or a HEAD, has been seen by nobody. */
export function onceSeen(exchange: Exchange, work: Work): void {
  const isAhead = [exchange.header('sec-purpose'), exchange.header('purpose')].some((why) => why?.includes('prefetch'))
  if (exchange.method === 'GET' && !isAhead) doAfterwards(exchange, work)
}
