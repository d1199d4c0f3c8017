import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endLeftovers } from '../../scripts/leftovers.mjs'
import { endChild, startChild } from '../../scripts/lifecycle.mjs'

test('a process that a test run leaves behind is killed and named; one that ends in time is not', async () => {
  const run = `leftovers-${process.pid}`
  const start = async (program: string) => {
    const child = spawn(process.execPath, ['-e', program], {
      env: { NODE_ENV: 'test', TEST_RUN: run },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    return child
  }
  const deaf = await start('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")')
  const brief = await start('setTimeout(() => {}, 100); console.log("ready")')
  deaf.kill('SIGTERM')
  const [ended, left] = await Promise.all([once(deaf, 'exit'), endLeftovers(run, 1000)])
  expect(left).toEqual([expect.stringContaining(`process ${deaf.pid}: ${process.execPath} -e process.on`)])
  expect(ended).toEqual([null, 'SIGKILL'])
  expect(brief.exitCode).toBe(0)
  expect(await endLeftovers(run)).toEqual([])
})

test('a child that does not react to SIGTERM is killed', async () => {
  const child = startChild(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("ready")'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  child.kill('SIGSTOP')
  await endChild(child, 300)
  expect(child.signalCode).toBe('SIGKILL')
})
