import type { Exchange } from './exchange.server.ts'

type Work = () => Promise<void>

/**
 * Runs work after the answer has been sent (server/request-log.ts starts it), for writes that a read may cause. If one
 * piece of work fails, the others still run.
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

/**
 * The same for a page that the person has actually seen: not for a prefetch by the browser, not for HEAD, and not for an
 * admin who views the site as that person.
 */
export function onceSeen(exchange: Exchange, work: Work): void {
  const isAhead = [exchange.header('sec-purpose'), exchange.header('purpose')].some((why) => why?.includes('prefetch'))
  const isSeen = exchange.method === 'GET' && !isAhead && !exchange.memo.get('is-viewing')
  if (isSeen) doAfterwards(exchange, work)
}
