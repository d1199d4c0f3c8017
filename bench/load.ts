/** Runs many clients at once. Each sends one request after the other on its own connection. */
import { Agent, request } from 'node:http'

export type Call = { method: string; path: string; body?: string; headers?: Record<string, string> }
export type Load = { perSecond: number; p50: number; p95: number; p99: number; errors: number; bytes: number }

type Options = {
  port: number
  clients: number
  seconds: number
  headers: Record<string, string>
  /** The next call of this client; undefined stops it. */
  next: (client: number, before: string | null) => Call | undefined
  /** True if `next` needs the text of the previous answer. */
  isReading?: boolean
}

export async function runLoad({ port, clients, seconds, headers, next, isReading = false }: Options): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const durations: number[] = []
  let errors = 0
  let bytes = 0
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  const work = async (client: number) => {
    let before: string | null = null
    while (performance.now() < until) {
      const call = next(client, before)
      if (!call) return
      const sentAt = performance.now()
      const answer = await send(agent, port, { ...call, headers: { ...headers, ...call.headers } }, isReading)
      durations.push(performance.now() - sentAt)
      bytes += answer.bytes
      before = answer.text
      if (answer.status >= 400 || answer.status === 0) errors += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  const elapsed = (performance.now() - startedAt) / 1000
  agent.destroy()
  durations.sort((a, b) => a - b)
  const at = (part: number) => Math.round((durations[Math.floor(durations.length * part)] ?? 0) * 10) / 10
  return { perSecond: durations.length / elapsed, p50: at(0.5), p95: at(0.95), p99: at(0.99), errors, bytes }
}

type Answer = { status: number; bytes: number; text: string | null }

function send(agent: Agent, port: number, call: Call, isReading: boolean): Promise<Answer> {
  return new Promise((resolve) => {
    const { method, path, body } = call
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(
      { host: '127.0.0.1', port, agent, method, path, headers: { ...length, ...call.headers } },
      (response) => {
        let bytes = 0
        let text = ''
        if (isReading) response.setEncoding('utf8')
        response.on('data', (part: string | Buffer) => {
          bytes += part.length
          if (isReading) text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, text: isReading ? text : null }))
      },
    )
    sent.on('error', () => resolve({ status: 0, bytes: 0, text: null }))
    sent.end(body)
  })
}
