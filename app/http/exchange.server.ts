import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { parse, serialize } from 'cookie'
import { logger } from '~/config/log.server.ts'
import type { Log } from '~/services/context.ts'

/**
 * One request and its answer, with what transports need: the same for pages, GraphQL and xAPI. `memo` holds values that
 * are computed once per request.
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
  /**
   * True if the browser sent this cookie more than once. Another program on this host has then written one of them, so
   * neither is read, and the answer removes both wherever they may be.
   */
  isDoubled(name: CookieName): boolean
  setCookie(name: CookieName, value: string, options: { maxAge: number }): void
  clearCookie(name: CookieName): void
  /** Sets a header of the answer, whichever code sends that answer. */
  setHeader(name: 'Retry-After' | 'X-CSRF-Failure' | 'Clear-Site-Data', value: string): void
  /** Resolves when the client has taken what was sent so far: to false if it has gone. */
  drained(): Promise<boolean>
}

type CookieName = 'session' | 'form' | 'flash' | 'browser' | 'press' | 'preview'

declare module '@remix-run/node' {
  interface AppLoadContext {
    exchange: Exchange
  }
}

type Connection = { isSecure: boolean; address: string | null; host: string }

/** `isSecure`, `address` and `host` are the values that TRUST_PROXY allows the server to trust. */
export function beginExchange(req: IncomingMessage, res: ServerResponse, connection: Connection): Exchange {
  return makeExchange({
    ...connection,
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    header: (name) => {
      const value = req.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    cookiesToSet: () => [res.getHeader('Set-Cookie') ?? []].flat().map(String),
    setHeader: (name, value) => void res.setHeader(name, value),
    drained: drainedOf(res),
  })
}

/** What compresses the answer later puts itself between, and its own `drain` says nothing about the client. */
function drainedOf(res: ServerResponse): () => Promise<boolean> {
  const on = res.on.bind(res)
  return async () => {
    if (res.writableNeedDrain) {
      await new Promise<void>((resolve) => {
        const taken = () => {
          res.removeListener('drain', taken)
          res.removeListener('close', taken)
          resolve()
        }
        on('drain', taken)
        on('close', taken)
      })
    }
    return !res.destroyed
  }
}

/** The same for a server that passes only the Request (`npm run preview`). The caller adds `headers` to its answer. */
export function beginExchangeOf(request: Request): { exchange: Exchange; headers: Headers } {
  const url = new URL(request.url)
  const headers = new Headers()
  const exchange = makeExchange({
    isSecure: url.protocol === 'https:',
    address: null,
    host: url.host,
    method: request.method,
    url: url.pathname + url.search,
    header: (name) => request.headers.get(name) ?? undefined,
    cookiesToSet: () => headers.getSetCookie(),
    setHeader: (name, value) => {
      headers.delete(name)
      for (const one of [value].flat()) headers.append(name, one)
    },
    drained: async () => true,
  })
  return { exchange, headers }
}

type Parts = Connection & {
  method: string
  url: string
  header(name: string): string | undefined
  cookiesToSet(): string[]
  setHeader(name: string, value: string | string[]): void
  drained(): Promise<boolean>
}

function makeExchange({ header, cookiesToSet, setHeader, drained, ...request }: Parts): Exchange {
  const requestId = randomBytes(9).toString('base64url')
  const names = (name: CookieName) => `${request.isSecure ? '__Host-' : ''}titrate_${name}`
  const sent = (header('cookie') ?? '').split(';').map((pair) => parse(pair))
  const valuesOf = (name: CookieName) => sent.flatMap((cookie) => cookie[names(name)] ?? [])
  const set = new Map<CookieName, string | null>()
  let removals: string[] = []
  setHeader('X-Request-Id', requestId)
  const write = (name: CookieName, value: string, maxAge: number) => {
    set.set(name, value || null)
    const cookie = serialize(names(name), value, {
      httpOnly: true,
      sameSite: 'lax',
      secure: request.isSecure,
      path: '/',
      maxAge,
    })
    const others = cookiesToSet().filter((one) => removals.includes(one) || !one.startsWith(`${names(name)}=`))
    setHeader('Set-Cookie', [...others, cookie])
  }
  /** Removes a cookie that was sent twice: ours, and one that something else wrote for a narrower path or domain. */
  const removeEverywhere = (name: CookieName) => {
    if (!request.isSecure) {
      const added = everyPlaceOf(request).map((place) => `${names(name)}=; Max-Age=0; ${place}`)
      removals = [...removals, ...added]
      setHeader('Set-Cookie', [...cookiesToSet(), ...added])
    }
    write(name, '', 0)
  }
  return {
    ...request,
    requestId,
    nonce: randomBytes(16).toString('base64'),
    agent: header('user-agent') ?? null,
    startedAt: new Date(),
    log: logger().child({ requestId }),
    memo: new Map(),
    header,
    cookie: (name) => {
      if (set.has(name)) return set.get(name) ?? null
      // If two cookies have the same name, one may come from another port or subdomain. Neither is trusted.
      const values = valuesOf(name)
      if (values.length > 1) removeEverywhere(name)
      return values.length === 1 ? values[0] || null : null
    },
    isDoubled: (name) => valuesOf(name).length > 1,
    setCookie: (name, value, options) => write(name, value, options.maxAge),
    clearCookie: (name) => write(name, '', 0),
    setHeader,
    drained,
  }
}

const mostPaths = 40
const mostDomains = 3

/**
 * The paths and domains that a cookie of this request can have besides ours, as attributes (RFC 6265, 5.1.3 and 5.1.4).
 * A `__Host-` cookie can have none of them.
 */
function everyPlaceOf({ host, url }: { host: string; url: string }): string[] {
  const path = /^[^?#]*/.exec(url)?.[0] ?? '/'
  const parts = path.split('/').slice(1)
  const paths = parts.flatMap((_, index) => {
    const start = `/${parts.slice(0, index + 1).join('/')}`
    return [start, `${start}/`]
  })
  const safe = [...new Set(['/', ...paths])].filter((one) => /^\/[^;,\s]*$/.test(one) && !one.includes('//'))
  const hostname = host.replace(/:\d+$/, '')
  const labels = isIP(hostname) || hostname.startsWith('[') ? [] : hostname.split('.')
  const domains = labels.slice(1).map((_, index) => labels.slice(index).join('.'))
  return safe
    .slice(0, mostPaths)
    .flatMap((one) =>
      ['', ...domains.slice(0, mostDomains)].map((domain) =>
        domain ? `Path=${one}; Domain=${domain}` : `Path=${one}`,
      ),
    )
}

/** A path for the log. Keeps only segments that look like our own names: others may name a person or grant access. */
export function routeOf(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  return path
    .split('/')
    .map((segment) => (/^[a-z_][a-z_.-]{0,19}$|^$/.test(segment) ? segment : ':id'))
    .slice(0, 6)
    .join('/')
}
