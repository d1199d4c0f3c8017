import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServer } from '../support/http.ts'

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
  await expect(server.send({ path: '/healthz' })).rejects.toThrow(/ECONNREFUSED/)
  busy.write(body.slice(4))
  await busyEnded
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(answer).toContain('This page was open for too long')
  expect(await server.exited).toBe(0)
  expect(server.log()).not.toContain('"level":50')
})
