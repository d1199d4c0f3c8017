import { randomInt } from 'node:crypto'
import net from 'node:net'

/**
 * Below 32768, where Linux begins to give ports to connections and to whoever listens on port 0. A product opens its
 * port seconds after it was chosen, and opens it again after each restart; until then nobody else may get it.
 */
const FIRST = 20_000
const LAST = 32_000

/** Every worker of a run has ports of its own: those with the same remainder. */
const WORKERS = 8
const worker = Number(process.env.VITEST_POOL_ID ?? process.env.TEST_PARALLEL_INDEX ?? 0) % WORKERS

/** Begins anywhere, so that two runs at once seldom try the same ports. */
let turn = randomInt((LAST - FIRST) / WORKERS)

/** Ports of 127.0.0.1 that are free now and that no other caller of this run will get. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    turn = (turn + 1) % ((LAST - FIRST) / WORKERS)
    const port = FIRST + turn * WORKERS + worker
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

function isFree(port: number): Promise<boolean> {
  const server = net.createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
