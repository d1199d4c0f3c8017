import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/http.ts'

test('a stopping server answers open requests, closes idle connections, and accepts nothing new', async () => {
  const server = await startServer()
  const idle = net.connect(server.port, '127.0.0.1')
  idle.write(`GET /healthz HTTP/1.1\r\nHost: ${server.host()}\r\n\r\n`)
  const idleEnded = new Promise((resolve) => idle.once('close', resolve))
  idle.resume()
  const busy = net.connect(server.port, '127.0.0.1')
  const body = 'csrf=x&username=ada'
  busy.write(
    `POST /login/ HTTP/1.1\r\nHost: ${server.host()}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\ncsrf`,
  )
  let answer = ''
  busy.setEncoding('utf8').on('data', (part) => {
    answer += part
  })
  const busyEnded = new Promise((resolve) => busy.once('close', resolve))
  await sleep(300)

  process.kill(server.pid, 'SIGTERM')
  await idleEnded
  // Reset, if the system had taken the connection in before the server stopped listening.
  await expect(server.send({ path: '/healthz' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
  busy.write(body.slice(4))
  await busyEnded
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(answer).toContain('This page was open for too long')
  expect(await server.exited).toBe(0)
  expect(server.log()).not.toContain('"level":50')
})

test('a process that is to stop says so first, and serves for SHUTDOWN_DELAY seconds', async () => {
  const server = await startServer({ SHUTDOWN_DELAY: '1' })
  process.kill(server.pid, 'SIGTERM')
  await sleep(300)
  const ready = await server.send({ path: '/readyz' })
  expect([ready.status, JSON.parse(ready.text)]).toEqual([
    503,
    { status: 'not ready', reason: 'This process is stopping.' },
  ])
  const page = await server.send({ path: '/login/' })
  expect([page.status, page.headers.connection]).toEqual([200, 'close'])
  expect((await server.send({ path: '/healthz' })).status).toBe(200)
  expect(await server.exited).toBe(0)
})

test('Ctrl-C does not wait for SHUTDOWN_DELAY', async () => {
  const server = await startServer({ SHUTDOWN_DELAY: '300' })
  process.kill(server.pid, 'SIGINT')
  expect(await server.exited).toBe(0)
})

test('a rolling restart of two processes under load fails none of a thousand requests', async () => {
  // Longer than the checks take on a busy machine.
  const settings = { SHUTDOWN_DELAY: '3' }
  const balancer = aBalancer([await startServer(settings), await startServer(settings)])
  try {
    await balancer.load(300)
    for (const at of [0, 1]) {
      const old = balancer.processes[at] as TestServer
      const restarted = old.exited.then(async (code) => {
        expect(code).toBe(0)
        balancer.processes[at] = await startServer(settings)
      })
      process.kill(old.pid, 'SIGTERM')
      await balancer.load(350, restarted)
    }
    expect(balancer.failures).toEqual([])
    expect(balancer.count()).toBeGreaterThanOrEqual(1000)
  } finally {
    balancer.close()
  }
}, 90_000)

/** Asks each process every 100 ms whether it is ready, and spreads requests over those that are, on kept connections. */
function aBalancer(processes: TestServer[]) {
  const agent = new http.Agent({ keepAlive: true })
  const ready = new Set(processes)
  const failures: string[] = []
  let count = 0
  const ask = (port: number, path: string) =>
    new Promise<number>((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port, path, agent, headers: { host: `localhost:${port}` } }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
        })
        .once('error', reject)
    })
  const checks = setInterval(async () => {
    for (const server of processes) {
      if ((await ask(server.port, '/readyz').catch(() => 0)) === 200) ready.add(server)
      else ready.delete(server)
    }
  }, 100)
  const request = async () => {
    const number = count++
    const candidates = [...ready]
    const server = candidates[number % candidates.length]
    if (!server) return failures.push('no process is ready')
    const path = ['/healthz', '/graphql/csrf/', '/brand/ns.svg'][number % 3] ?? ''
    const status = await ask(server.port, path).catch((error: Error) => error.message)
    if (status !== 200 && status !== 204) failures.push(`${path}: ${status}`)
  }
  return {
    processes,
    failures,
    count: () => count,
    close: () => {
      clearInterval(checks)
      agent.destroy()
    },
    /** Sends so many requests, eight at a time, and goes on until `restarted`. */
    load: async (requests: number, restarted: Promise<void> = Promise.resolve()) => {
      let isRestarted = false
      const done = restarted.then(() => {
        isRestarted = true
      })
      const end = count + requests
      const client = async () => {
        while (count < end || !isRestarted) {
          await request()
          await sleep(2)
        }
      }
      await Promise.all([done, ...Array.from({ length: 8 }, client)])
    },
  }
}
