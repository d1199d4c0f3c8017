import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { connectionsNeeded } from '../../server/embedded-pg.mjs'
import { findHome } from '../../server/pg-home.mjs'
import { aCommand, aDataFolder, type Command, eventually } from '../support/command.ts'

vi.setConfig({ testTimeout: 60_000 }) // on an idle machine each takes seconds

type Owned = { url: string; port: number; postmaster: number; isAdopted: boolean }

async function anOwner(dir: string, connections = 60): Promise<Command & Owned> {
  const command = aCommand(process.execPath, ['tests/support/own-database.mjs', dir, String(connections)])
  await command.says('}\n')
  return { ...command, ...(JSON.parse(command.output()) as Owned) }
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

async function answers(url: string): Promise<boolean> {
  return ask(url, 'select 1').then(
    () => true,
    () => false,
  )
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('a new database supports accents and sorts names the same way everywhere', async () => {
  const { url } = await anOwner(`${aDataFolder()}/pg`)
  expect(await ask(url, `select lower('ÉÑ'), 'Zoë' ilike 'zOË', current_database()`)).toEqual(['éñ', true, 'titrate'])
  const sorted = `select string_agg(name, ' ' order by name collate "und-x-icu") from unnest(array['Zoe', 'émile', 'Emma']) name`
  expect(await ask(url, sorted)).toEqual(['émile Emma Zoe'])
})

test('only its owner can read its password', async () => {
  const dir = `${aDataFolder()}/pg`
  const { url } = await anOwner(dir)
  const withoutPassword = new URL(url)
  withoutPassword.password = 'guess'
  expect(await answers(withoutPassword.href)).toBe(false)
  expect(statSync(`${findHome(dir)}/password`).mode & 0o777).toBe(0o600)
})

test('a second owner is refused with a message, and the first continues', async () => {
  const dir = `${aDataFolder()}/pg`
  const first = await anOwner(dir)
  const second = aCommand(process.execPath, ['tests/support/own-database.mjs', dir])
  expect(await second.exitCode()).toBe(1)
  expect(second.output()).toBe(
    `Titrate is already running here (process ${first.pid}). Stop it before starting it again.\n`,
  )
  expect(await answers(first.url)).toBe(true)
})

test('one of many simultaneous starters becomes the owner, also over the lock of a dead one', async () => {
  const dir = `${aDataFolder()}/pg`
  const killed = await anOwner(dir)
  killed.child.kill('SIGKILL')
  await killed.exitCode()
  const starts = Array.from({ length: 5 }, () => aCommand(process.execPath, ['tests/support/own-database.mjs', dir]))
  await eventually(() => starts.every(({ output }) => output() !== ''))
  expect(starts.filter(({ output }) => output().includes('isAdopted'))).toHaveLength(1)
  expect(starts.filter(({ output }) => output().includes('already running'))).toHaveLength(4)
})

test('a running database whose owner was killed is adopted with its data', async () => {
  const dir = `${aDataFolder()}/pg`
  const killed = await anOwner(dir)
  await ask(killed.url, 'create table kept as select 42 as answer')
  killed.child.kill('SIGKILL')
  await killed.exitCode()
  const next = await anOwner(dir)
  expect(next).toMatchObject({ isAdopted: true, url: killed.url, postmaster: killed.postmaster })
  expect(await ask(next.url, 'select answer from kept')).toEqual([42])
  next.child.kill('SIGTERM')
  await next.exitCode()
  expect(isRunning(next.postmaster)).toBe(false)
})

test('it accepts as many connections as its owner needs, also when the last owner needed fewer', async () => {
  const dir = `${aDataFolder()}/pg`
  const killed = await anOwner(dir)
  expect(await ask(killed.url, 'show max_connections')).toEqual(['60'])
  killed.child.kill('SIGKILL')
  await killed.exitCode()
  const next = await anOwner(dir, 300)
  expect(next.isAdopted).toBe(false)
  expect(await ask(next.url, 'show max_connections')).toEqual(['300'])
})

test('npm start needs connections for every process', () => {
  expect(connectionsNeeded({})).toBe(60)
  expect(connectionsNeeded({ WEB_PROCESSES: '8', DATABASE_POOL_SIZE: '20' })).toBeGreaterThan(9 * 20)
  expect(connectionsNeeded({ WEB_PROCESSES: '64', DATABASE_POOL_SIZE: '100' })).toBeGreaterThan(65 * 100)
  for (const wrong of ['many', '-5', '1e300']) {
    const connections = connectionsNeeded({ WEB_PROCESSES: wrong })
    expect(connections >= 60 && connections <= 7000, wrong).toBe(true)
  }
})

test('a killed PostgreSQL starts again on its port, also for an adopter', async () => {
  const dir = `${aDataFolder()}/pg`
  const killed = await anOwner(dir)
  process.kill(killed.postmaster, 'SIGKILL')
  await eventually(() => answers(killed.url))
  killed.child.kill('SIGKILL')
  await killed.exitCode()
  const next = await anOwner(dir)
  expect(next.isAdopted).toBe(true)
  process.kill(next.postmaster, 'SIGKILL')
  await eventually(() => answers(next.url))
  expect(next.url).toBe(killed.url)
})

test.runIf(process.platform === 'linux')('a pid file of an unrelated process does not prevent the start', async () => {
  const dir = `${aDataFolder()}/pg`
  const first = await anOwner(dir)
  const pidFile = `${findHome(dir)}/data/postmaster.pid`
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  for (const pid of [first.pid, ...backendsOf(dir)]) process.kill(pid, 'SIGKILL')
  await eventually(() => backendsOf(dir).length === 0)
  writeFileSync(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'))
  const next = await anOwner(dir)
  expect(next.isAdopted).toBe(false)
  expect(await answers(next.url)).toBe(true)
})

function backendsOf(dir: string): number[] {
  const data = realpathSync(`${findHome(dir)}/data`)
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => {
    try {
      return isRunning(pid) && readlinkSync(`/proc/${pid}/cwd`) === data
    } catch {
      return false
    }
  })
}
