import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { freePorts } from '../../support/ports.ts'
import { cloneDatabase, dropDatabase } from '../../support/test-postgres.ts'
import { productEnv } from './product-env.ts'

export type Product = {
  origin: string
  nsOrigin: string
  contentOrigin: string
  databaseUrl: string
  dataDir: string
  /** What it has written to its log so far. */
  log: () => string
  end: () => Promise<void>
}

/** The production server, web and worker in one process, on a copy of the demo database and of its files. */
export async function startProduct(settings: Record<string, string> = {}): Promise<Product> {
  const templateUrl = fromGlobalSetup('TEST_TEMPLATE_URL')
  const templateFiles = fromGlobalSetup('TEST_TEMPLATE_FILES')
  const databaseUrl = await cloneDatabase(templateUrl)
  const dataDir = mkdtempSync(path.join(path.dirname(templateFiles), 'files-'))
  cpSync(templateFiles, dataDir, { recursive: true })
  const [port, contentPort] = await freePorts(2)
  const origin = `http://localhost:${port}`
  const nsOrigin = `http://ns.localhost:${port}`
  const env = productEnv({
    databaseUrl,
    dataDir,
    PORT: String(port),
    CONTENT_PORT: String(contentPort),
    SITE_ORIGIN: origin,
    NS_SITE_ORIGIN: nsOrigin,
    ...settings,
  })
  const logFile = path.join(dataDir, 'server.log')
  const log = () => readFileSync(logFile, 'utf8')
  const fd = openSync(logFile, 'a')
  const setUp = spawnSync(process.execPath, ['dist/setup.js'], { env, stdio: ['ignore', fd, fd] })
  if (setUp.status !== 0) throw new Error(`dist/setup.js failed:\n${log()}`)
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/server.js'], {
    env: { ...env, PROCESS_ROLE: 'both' },
    stdio: ['ignore', fd, fd, 'ipc'],
  })
  closeSync(fd)
  if (!(await isReady(child))) throw new Error(`dist/server.js ended before it was ready:\n${log()}`)
  const end = async () => {
    await endOf(child)
    await dropDatabase(databaseUrl)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { origin, nsOrigin, contentOrigin: `http://localhost:${contentPort}`, databaseUrl, dataDir, log, end }
}

function fromGlobalSetup(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: the browser tests' global setup has not run`)
  return value
}

function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(false))
    child.on('message', (message) => {
      if (typeof message === 'object' && 'ready' in message) resolve(true)
    })
  })
}

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 12_000)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}
