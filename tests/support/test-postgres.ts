import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded, sweepEmbedded } from '../../server/embedded-pg.mjs'

export type TestPostgres = { urlOf: (database: string) => string; home: string; end: () => Promise<void> }

/** A file system in memory, where Linux has one. */
const memory = '/dev/shm'
const needed = 3 * 1024 ** 3

/**
 * Starts a PostgreSQL for this test run, in a folder that is removed with it. First removes leftovers of killed runs.
 *
 * Its files are in memory where there is room. A copy of the template has a thousand files, and ext4 looks for the
 * place of each new file among those of all files that were deleted in the last minutes. With the databases of earlier
 * tests, one copy took 700 ms of processor time.
 */
export async function startTestPostgres(name: string): Promise<TestPostgres> {
  await sweepEmbedded('.data', 'test-pg-')
  const dir = `.data/test-pg-${randomBytes(4).toString('hex')}`
  if (hasRoomInMemory()) {
    mkdirSync(dir)
    writeFileSync(path.join(dir, 'location'), path.join(memory, `titrate-${path.basename(dir)}`))
  }
  const { urlOf, home, destroy } = await startEmbedded({ dir, quick: true, name })
  return { urlOf, home, end: destroy }
}

function hasRoomInMemory(): boolean {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, process.availableMemory()) >= needed
}

/** Runs one statement on the database that always exists, for example to create or drop databases. */
export async function runSql(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(serverUrl, 'postgres') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Copies a template without connections, in about 20 ms, and returns the address of the copy. */
export async function cloneDatabase(
  templateUrl: string,
  url = withDatabase(templateUrl, `t_${randomBytes(6).toString('hex')}`),
): Promise<string> {
  await runSql(templateUrl, `create database ${nameOf(url)} template ${nameOf(templateUrl)} strategy file_copy`)
  return url
}

/** A database with nothing in it, beside the template. */
export async function emptyDatabase(templateUrl: string): Promise<string> {
  const url = withDatabase(templateUrl, `t_${randomBytes(6).toString('hex')}`)
  await runSql(templateUrl, `create database ${nameOf(url)}`)
  return url
}

export async function dropDatabase(url: string): Promise<void> {
  await runSql(url, `drop database if exists ${nameOf(url)} with (force)`)
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
