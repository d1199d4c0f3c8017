import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createDatabase, type Database } from '~db/client.server.ts'
import { freePorts } from '../../support/ports.ts'
import { cloneDatabase, dropDatabase } from '../../support/test-postgres.ts'
import { productEnv } from './product-env.ts'

export type Product = {
  origin: string
  nsOrigin: string
  databaseUrl: string
  dataDir: string
  /** The product's database, for services that a test calls directly. */
  db: Database
  /** The log so far. */
  log: () => string
  /**
   * Makes something in this product, for the first test of a file that asks. Later tests of the file get the same
   * result.
   */
  once: <T>(make: (product: Product) => Promise<T>) => Promise<T>
  end: () => Promise<void>
}

/**
 * The place where a worker's products run one after the other: on the same addresses, each on a fresh copy of the
 * demo's data.
 */
export type Place = {
  productFor: (file: string, variables?: Record<string, string>) => Promise<Product>
  end: () => Promise<void>
}

let current: { file: string; product: Product } | undefined

/** The product that the running test drives. */
export function currentProduct(): Product {
  if (!current) throw new Error('No product is running: the test uses none of its fixtures')
  return current.product
}

export async function openPlace(): Promise<Place> {
  const templateUrl = await cloneDatabase(fromGlobalSetup('TEST_TEMPLATE_URL'))
  const databaseUrl = `${templateUrl}_now`
  const folder = path.dirname(fromGlobalSetup('TEST_TEMPLATE_FILES'))
  const [port, contentPort] = await freePorts(2)
  const env = productEnv({
    databaseUrl,
    dataDir: mkdtempSync(path.join(folder, 'files-')),
    PORT: String(port),
    CONTENT_PORT: String(contentPort),
    SITE_ORIGIN: `http://localhost:${port}`,
    NS_SITE_ORIGIN: `http://ns.localhost:${port}`,
  })
  const setUp = spawnSync(process.execPath, ['dist/setup.js'], {
    env: { ...env, DATABASE_URL: templateUrl },
    encoding: 'utf8',
  })
  if (setUp.status !== 0) throw new Error(`dist/setup.js failed:\n${setUp.stdout}${setUp.stderr}`)
  // Services that a test calls run in this process and read their settings once.
  const { DATA_DIR } = env
  Object.assign(process.env, { DATABASE_URL: databaseUrl, DATA_DIR, CONTENT_PORT: String(contentPort) })
  const endCurrent = async () => {
    await current?.product.end()
    current = undefined
  }
  return {
    productFor: async (file, variables = {}) => {
      if (current?.file !== file) {
        await endCurrent()
        await cloneDatabase(templateUrl, databaseUrl)
        current = { file, product: await startProduct({ ...env, ...variables }) }
      }
      return currentProduct()
    },
    end: async () => {
      await endCurrent()
      await dropDatabase(templateUrl)
    },
  }
}

/** Starts the production server, web and worker in one process, on a prepared database. */
async function startProduct(env: NodeJS.ProcessEnv): Promise<Product> {
  const { DATABASE_URL: databaseUrl = '', DATA_DIR: dataDir = '' } = env
  cpSync(fromGlobalSetup('TEST_TEMPLATE_FILES'), dataDir, { recursive: true })
  const logFile = path.join(dataDir, 'server.log')
  const log = () => readFileSync(logFile, 'utf8')
  const fd = openSync(logFile, 'a')
  const child = spawn(process.execPath, ['dist/server.js'], {
    env: { ...env, PROCESS_ROLE: 'both' },
    stdio: ['ignore', fd, fd, 'ipc'],
  })
  closeSync(fd)
  if (!(await isReady(child))) throw new Error(`dist/server.js ended before it was ready:\n${log()}`)
  const { db, pool } = createDatabase({ connectionString: databaseUrl, poolSize: 2 })
  const made = new Map<unknown, Promise<unknown>>()
  const product: Product = {
    origin: env.SITE_ORIGIN ?? '',
    nsOrigin: env.NS_SITE_ORIGIN ?? '',
    databaseUrl,
    dataDir,
    db,
    log,
    once: <T>(make: (product: Product) => Promise<T>) => {
      if (!made.has(make)) made.set(make, make(product))
      return made.get(make) as Promise<T>
    },
    end: async () => {
      // Ends it quickly, since shutting down has its own tests and nothing of this product is kept.
      await endOf(child)
      await pool.end()
      await dropDatabase(databaseUrl)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return product
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
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
