import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { findHome } from '../../server/pg-home.mjs'
import { aCommand, aDataFolder, type Command } from './command.ts'
import { freePorts } from './ports.ts'

export type Settings = Record<string, string>

/** Settings that let a start run beside others: its own ports and data folder. */
export async function ownSettings(): Promise<Settings> {
  const [port, contentPort] = await freePorts(2)
  return { PORT: String(port), CONTENT_PORT: String(contentPort), DATA_DIR: aDataFolder(), SEED_DEMO: '0' }
}

export function aStart(settings: Settings): Command {
  return aCommand(process.execPath, ['scripts/start.mjs'], settings)
}

export async function aReadyStart(settings: Settings): Promise<Command> {
  const start = aStart(settings)
  await start.says(/^Titrate {3}http/m)
  return start
}

export function isServing({ PORT = '' }: Settings): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port: PORT, path: '/readyz', timeout: 2000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('error', () => resolve(false))
    request.once('timeout', () => request.destroy())
  })
}

/** The processes that use this data folder: it is in their environment, and PostgreSQL works inside it. */
export function processesOf({ DATA_DIR = '' }: Settings, role?: string): number[] {
  const home = findHome(path.resolve(DATA_DIR, 'pg'))
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
  return pids.filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      const isOurs = environment.includes(`DATA_DIR=${DATA_DIR}`) || command.includes(home)
      return command !== '' && isOurs && (role === undefined || environment.includes(`PROCESS_ROLE=${role}`))
    } catch {
      return false
    }
  })
}

export function killPostgres({ DATA_DIR = '' }: Settings): void {
  const home = findHome(path.resolve(DATA_DIR, 'pg'))
  process.kill(Number(readFileSync(`${home}/data/postmaster.pid`, 'utf8').split('\n')[0]), 'SIGKILL')
}
