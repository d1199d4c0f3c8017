import { Agent, request } from 'node:http'
import autocannon from 'autocannon'

export type Target = {
  name: string
  port: number
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  /** Makes a new body for each request. */
  body?: () => string
}

export type Figures = { name: string; perSecond: number; p95: number; errors: number }

/** Sends one request after the other: the time that one person waits. */
async function oneAtATime(target: Target, times: number): Promise<{ p95: number; errors: number }> {
  // A connection for this run only: the server closes connections that idle while others are measured.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const durations: number[] = []
  let errors = 0
  for (let i = 0; i < times + 20; i++) {
    const startedAt = performance.now()
    const status = await send(target, agent)
    if (i < 20) continue // the first ones warm up
    durations.push(performance.now() - startedAt)
    if (status >= 400) errors++
  }
  agent.destroy()
  durations.sort((a, b) => a - b)
  return { p95: durations[Math.floor(durations.length * 0.95)] ?? 0, errors }
}

export async function measure(target: Target): Promise<Figures> {
  const single = await oneAtATime(target, 200)
  const many = await tenAtOnce(target, 3)
  return {
    name: target.name,
    perSecond: Math.round(many.perSecond),
    p95: Math.round(single.p95 * 10) / 10,
    errors: single.errors + many.errors,
  }
}

/** Sends ten requests at once: the capacity of the server. */
export async function tenAtOnce(target: Target, seconds: number): Promise<{ perSecond: number; errors: number }> {
  const { requests, errors, non2xx } = await autocannon({
    url: `http://127.0.0.1:${target.port}${target.path}`,
    connections: 10,
    duration: seconds,
    requests: [
      {
        method: target.method,
        headers: target.headers,
        setupRequest: (request) => ({ ...request, ...(target.body && { body: target.body() }) }),
      },
    ],
  })
  return { perSecond: requests.average, errors: errors + non2xx }
}

export function send(target: Target, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: target.port,
        method: target.method,
        path: target.path,
        headers: target.headers,
        agent,
      },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(target.body?.())
  })
}

/** The log of services that a benchmark calls itself: only what went wrong. */
export const benchLog = { info: () => {}, warn: console.warn, error: console.error }
