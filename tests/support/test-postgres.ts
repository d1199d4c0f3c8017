import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startEmbedded, sweepEmbedded } from '../../server/embedded-pg.mjs'

export type TestPostgres = { urlOf: (database: string) => string; home: string; end: () => Promise<void> }

/** A PostgreSQL of this test run, in a folder of its own that goes with it. What killed runs left is swept first. */
export async function startTestPostgres(name: string): Promise<TestPostgres> {
  await sweepEmbedded('.data', 'test-pg-')
  const dir = `.data/test-pg-${randomBytes(4).toString('hex')}`
  const { urlOf, home, destroy } = await startEmbedded({ dir, quick: true, name })
  return { urlOf, home, end: destroy }
}

/** Runs one statement, as databases are created and dropped: on a connection to the database that is always there. */
export async function runSql(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(serverUrl, 'postgres') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A copy of a template that nobody is connected to: some 20 ms. */
export async function cloneDatabase(templateUrl: string): Promise<string> {
  const name = `t_${randomBytes(6).toString('hex')}`
  const template = new URL(templateUrl).pathname.slice(1)
  await runSql(templateUrl, `create database ${name} template ${template} strategy file_copy`)
  return withDatabase(templateUrl, name)
}

export async function dropDatabase(url: string): Promise<void> {
  await runSql(url, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
