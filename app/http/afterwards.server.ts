import type { Exchange } from './exchange.server.ts'

type Work = () => Promise<void>

/** For what may be written only when the answer is out (design, rule 7); several things in their order. server/request-log.ts does it. */
export function doAfterwards(exchange: Exchange, work: Work): void {
  const before = exchange.memo.get('afterwards') as Work | undefined
  exchange.memo.set('afterwards', async () => {
    await before?.()
    await work()
  })
}
