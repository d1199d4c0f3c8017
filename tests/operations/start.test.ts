import { readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findHome } from '../../server/pg-home.mjs'
import { aCommand, type Command, eventually } from '../support/command.ts'
import { freshDatabase } from '../support/database.ts'
import { freePorts } from '../support/ports.ts'
import { aReadyStart, aStart, isServing, ownSettings, processesOf } from '../support/start.ts'

vi.setConfig({ testTimeout: 60_000 }) // on an idle machine each takes seconds

function onlyLine(start: Command): string {
  const lines = start.output().trim().split('\n')
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

test('it serves, prints its address, refuses a second start, and leaves nothing behind', async () => {
  const settings = await ownSettings()
  const start = await aReadyStart(settings)
  expect(start.output()).toContain(
    `Titrate   http://localhost:${settings.PORT}/  ·  Titrate NS   http://ns.localhost:${settings.PORT}/`,
  )
  expect(await isServing(settings)).toBe(true)
  const [freePort, freeContentPort] = await freePorts(2)
  const second = aStart({ ...settings, PORT: String(freePort), CONTENT_PORT: String(freeContentPort) })
  expect(await second.exitCode()).toBe(1)
  expect(onlyLine(second)).toMatch(/^Titrate is already running here \(process \d+\)\./)
  expect(await isServing(settings)).toBe(true)
  start.child.kill('SIGINT')
  expect(await start.exitCode()).toBe(0)
  expect(processesOf(settings)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'a killed process restarts, a killed start can be repeated, and a killed npm leaves nothing running',
  { timeout: 150_000 },
  async () => {
    const settings = await ownSettings()
    const start = await aReadyStart(settings)
    for (const role of ['web', 'worker']) {
      const [pid = 0] = processesOf(settings, role)
      process.kill(pid, 'SIGKILL')
      await eventually(() => processesOf(settings, role).some((other) => other !== pid))
    }
    await eventually(() => isServing(settings))
    const home = findHome(path.resolve(settings.DATA_DIR ?? '', 'pg'))
    const postmaster = Number(readFileSync(`${home}/data/postmaster.pid`, 'utf8').split('\n')[0])
    process.kill(postmaster, 'SIGKILL')
    await eventually(async () => !(await isServing(settings)))
    await eventually(() => isServing(settings))

    start.child.kill('SIGKILL')
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const npm = aCommand('npm', ['start'], settings)
      await npm.says(/^Titrate {3}http/m)
      // The database of the killed start still runs; the one of npm ended with it.
      expect(npm.output().includes('still running from before')).toBe(signal === 'SIGTERM')
      expect(await isServing(settings)).toBe(true)
      npm.child.kill(signal)
      await eventually(() => processesOf(settings).length === 0)
    }
  },
)

test('a port that is in use is reported in one sentence', async () => {
  const settings = await ownSettings()
  const other = net.createServer().listen(Number(settings.PORT), '127.0.0.1')
  onTestFinished(() => void other.close())
  const start = aStart(settings)
  expect(await start.exitCode()).toBe(1)
  expect(onlyLine(start)).toBe(
    `Port ${settings.PORT} is taken by another program: stop it, or set PORT to a free port.`,
  )
})

test.each([
  [
    'postgres://titrate@127.0.0.1:9/titrate',
    'The database at 127.0.0.1:9 cannot be reached (nothing is listening there): check DATABASE_URL.',
  ],
  ['mysql://titrate@127.0.0.1/titrate', 'DATABASE_URL must look like postgres://user:password@host:5432/database.'],
])('the database %s is reported in one sentence', async (DATABASE_URL, sentence) => {
  const start = aStart({ ...(await ownSettings()), DATABASE_URL })
  expect(await start.exitCode()).toBe(1)
  expect(onlyLine(start)).toBe(sentence)
})

test.each([
  ['PORT', '30o0'],
  ['HOST', '203.0.113.7'],
  ['LOG_LEVEL', 'loud'],
  ['SITE_ORIGIN', 'learn.example.org'],
  ['SMTP_URL', 'mail.example.org'],
])('a bad %s is reported in one sentence that names it', async (name, value) => {
  // With an existing database, so that the message is not about a missing one.
  const start = aStart({ ...(await ownSettings()), DATABASE_URL: await freshDatabase(), [name]: value })
  expect(await start.exitCode()).not.toBe(0)
  expect(start.output().trim().split('\n').at(-1)).toContain(name)
  expect(start.output()).not.toMatch(/^\s+at /m)
})
