import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse, serialize } from 'cookie'
import { logger } from '~/config/log.server.ts'
import type { Log } from '~/services/context.ts'

/**
 * One request and its answer, as much as transports need of it: the same for pages, GraphQL and xAPI. `memo` holds what is
 * computed once for a request.
 */
export type Exchange = {
  requestId: string
  nonce: string
  method: string
  host: string
  /** Path and query, as sent. */
  url: string
  isSecure: boolean
  address: string | null
  agent: string | null
  startedAt: Date
  log: Log
  memo: Map<string, unknown>
  header(name: string): string | undefined
  cookie(name: CookieName): string | null
  setCookie(name: CookieName, value: string, options: { maxAge: number }): void
  clearCookie(name: CookieName): void
  /** A header of the answer, whatever makes it. */
  setHeader(name: 'Retry-After' | 'X-CSRF-Failure', value: string): void
}

export type CookieName = 'session' | 'form' | 'flash'

declare module '@remix-run/node' {
  interface AppLoadContext {
    exchange: Exchange
  }
}

/** `secure` and `address` are what TRUST_PROXY lets the server believe. */
export function beginExchange(
  req: IncomingMessage,
  res: ServerResponse,
  connection: { isSecure: boolean; address: string | null; host: string },
): Exchange {
  const requestId = randomBytes(9).toString('base64url')
  const names = (name: CookieName) => `${connection.isSecure ? '__Host-' : ''}titrate_${name}`
  const sent = (req.headers.cookie ?? '').split(';').map((pair) => parse(pair))
  const set = new Map<CookieName, string | null>()
  res.setHeader('X-Request-Id', requestId)
  const write = (name: CookieName, value: string, maxAge: number) => {
    set.set(name, value || null)
    const cookie = serialize(names(name), value, {
      httpOnly: true,
      sameSite: 'lax',
      secure: connection.isSecure,
      path: '/',
      maxAge,
    })
    const others = [res.getHeader('Set-Cookie') ?? []].flat().map(String)
    res.setHeader('Set-Cookie', [...others.filter((other) => !other.startsWith(`${names(name)}=`)), cookie])
  }
  return {
    requestId,
    nonce: randomBytes(16).toString('base64'),
    method: req.method ?? 'GET',
    host: connection.host,
    url: req.url ?? '/',
    isSecure: connection.isSecure,
    address: connection.address,
    agent: req.headers['user-agent'] ?? null,
    startedAt: new Date(),
    log: logger().child({ requestId }),
    memo: new Map(),
    header: (name) => {
      const value = req.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    cookie: (name) => {
      if (set.has(name)) return set.get(name) ?? null
      // Sent twice, one of them may be planted by another port or sub-domain: believe neither.
      const values = sent.flatMap((cookie) => cookie[names(name)] ?? [])
      return values.length === 1 ? values[0] || null : null
    },
    setCookie: (name, value, options) => write(name, value, options.maxAge),
    clearCookie: (name) => write(name, '', 0),
    setHeader: (name, value) => void res.setHeader(name, value),
  }
}

/** A path for the log. Only what looks like a name of ours is kept: the rest may name somebody or open something. */
export function routeOf(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  return path
    .split('/')
    .map((segment) => (/^[a-z_][a-z_.-]{0,19}$|^$/.test(segment) ? segment : ':id'))
    .slice(0, 6)
    .join('/')
}
