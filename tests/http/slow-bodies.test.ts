/** Clients that send a body very slowly, against the middleware alone: its limit is a minute. */
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { limitBodyTime } from '../../server/refusals.ts'

const app = express()
app.use(limitBodyTime)
app.use((req, _res) => void req.resume())
const server = http.createServer(app)

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

/** Opens a connection, sends this text and waits until the request has arrived. Resolves `closed` when it is cut off. */
async function send(text: string): Promise<{ isOpen: () => boolean; closed: Promise<unknown> }> {
  const arrived = once(server, 'request')
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  const closed = once(socket, 'close')
  socket.write(text)
  await arrived
  return { isOpen: () => !socket.destroyed, closed }
}

test('a body that does not arrive within a minute is cut off, unless it may hold files', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const head = (path: string, more: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\nx`
  const slow = [
    await send(head('/event/', 'Content-Length: 9\r\n')),
    await send(head('/login/', 'Content-Length: 9\r\nContent-Type: multipart/form-data; boundary=B\r\n')),
  ]
  const others = [
    await send(
      head('/dashboard/modules/new/', 'Content-Length: 9\r\nContent-Type: multipart/form-data; boundary=B\r\n'),
    ),
    await send(head('/event/', 'Content-Length: 1\r\n')),
    await send('GET /files/long/ HTTP/1.1\r\nHost: a\r\n\r\n'),
  ]
  await vi.advanceTimersByTimeAsync(59_000)
  expect([...slow, ...others].every(({ isOpen }) => isOpen())).toBe(true)
  await vi.advanceTimersByTimeAsync(2_000)
  await Promise.all(slow.map(({ closed }) => closed))
  expect(others.every(({ isOpen }) => isOpen())).toBe(true)
})
