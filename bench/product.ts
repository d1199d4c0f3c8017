/** The product as `npm start` runs it, in its own folder and on its own ports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { findEmbedded } from '../server/embedded-pg.mjs'

export type Part = 'web' | 'worker' | 'PostgreSQL' | 'start'

export type Product = {
  port: number
  contentPort: number
  databaseUrl: string
  startSeconds: number
  /** Log lines since the previous call. */
  takeLog(): string[]
  memoryMegabytes(): number
  memoryByPart(): Record<Part, number>
  stop(): Promise<void>
}

/**
 * Starts the product of `root` (this one by default), which keeps its files in `folder`, and waits until it is ready.
 * Without `databaseUrl` it runs its own database there. `settings` are variables of its environment.
 */
export async function startProduct(
  folder: string,
  {
    root = process.cwd(),
    databaseUrl,
    settings = {},
  }: { root?: string; databaseUrl?: string; settings?: Record<string, string> } = {},
): Promise<Product> {
  const [port, contentPort] = [await freePort(), await freePort()]
  const startedAt = Date.now()
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: {
      ...process.env,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      PORT: String(port),
      CONTENT_PORT: String(contentPort),
      DATA_DIR: folder,
      SEED_DEMO: '0',
      LOG_LEVEL: 'info',
      LOGIN_ATTEMPTS_PER_15_MIN: '1000000',
      SEARCHES_PER_MINUTE: '1000000',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    log.push(...lines)
  })
  await untilReady(child, port)
  const url = databaseUrl ?? (await findEmbedded(path.join(folder, 'pg')))
  if (!url) throw new Error('The database of the product is not there')
  return {
    port,
    contentPort,
    databaseUrl: url,
    startSeconds: (Date.now() - startedAt) / 1000,
    takeLog: () => {
      const taken = log
      log = []
      return taken
    },
    memoryMegabytes: () => sum(Object.values(memoryOf(child.pid ?? 0))),
    memoryByPart: () => memoryOf(child.pid ?? 0),
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null) throw new Error('The product did not start')
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`)
      .then((answer) => answer.ok)
      .catch(() => false)
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGTERM')
  throw new Error('The product was not ready within 30 s')
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Proportional memory, in megabytes, of a process and all its descendants. Shared memory counts once. */
function memoryOf(root: number): Record<Part, number> {
  const children = new Map<number, number[]>()
  const pids = readProcesses()
  for (const { pid, parent } of pids) children.set(parent, [...(children.get(parent) ?? []), pid])
  const all = [root]
  for (const pid of all) all.push(...(children.get(pid) ?? []))
  const kilobytes: Record<Part, number> = { web: 0, worker: 0, PostgreSQL: 0, start: 0 }
  for (const pid of all) {
    const rollup = read(`/proc/${pid}/smaps_rollup`)
    kilobytes[partOf(pid)] += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  const { web, worker, PostgreSQL, start } = kilobytes
  const whole = (value: number) => Math.round(value / 1024)
  return { web: whole(web), worker: whole(worker), PostgreSQL: whole(PostgreSQL), start: whole(start) }
}

function partOf(pid: number): Part {
  if (read(`/proc/${pid}/comm`).trim() === 'postgres') return 'PostgreSQL'
  const role = /(?:^|\0)PROCESS_ROLE=(web|worker)\0/.exec(read(`/proc/${pid}/environ`))?.[1]
  return (role as 'web' | 'worker' | undefined) ?? 'start'
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function readProcesses(): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .map((pid) => ({ pid, parent: Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) }))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
