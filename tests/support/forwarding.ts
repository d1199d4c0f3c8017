import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { env } from '~/config/env.server.ts'
import type { RecordStore } from '~/config/forwarding.ts'
import type { Ctx, SiteKey } from '~/services/context.ts'
import { createClient, forwardStatements, getForwarding, type Statement } from '~/services/xapi/xapi.server.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aContext } from './context.ts'
import { startServer, type TestServer } from './http.ts'

/**
 * The external record store: a second instance of the product with its own database, and the key that it issued to us.
 */
export type OtherStore = RecordStore & {
  server: TestServer
  db: Database
  /** Null if it does not have the statement, or has it voided. */
  statement: (id: string) => Promise<Statement | null>
  /** All its statements, oldest first, as its readers get them. */
  statements: (filter?: Record<string, string>) => Promise<Statement[]>
}

export async function startOtherStore(): Promise<OtherStore> {
  const server = await startServer()
  const { db, pool } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 })
  afterAll(() => pool.end())
  const { key, secret } = await createClient(await aContext(db, { isOperator: true }), {
    name: 'The first side',
    scopes: ['all'],
  })
  const url = `http://localhost:${server.port}/xapi/`
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  const headers = { authorization, 'x-experience-api-version': '2.0.0' }
  const get = async (params: Record<string, string>) =>
    fetch(`${url}statements?${new URLSearchParams(params)}`, { headers })
  return {
    server,
    db,
    url,
    key,
    secret,
    statement: async (statementId) => {
      const answer = await get({ statementId })
      return answer.status === 200 ? ((await answer.json()) as Statement) : null
    },
    statements: async (filter = {}) => {
      let answer = await get({ ascending: 'true', limit: '500', ...filter })
      const all: Statement[] = []
      for (;;) {
        const page = (await answer.json()) as { statements: Statement[]; more: string }
        all.push(...page.statements)
        if (!page.more) return all
        answer = await fetch(new URL(page.more, url), { headers })
      }
    },
  }
}

/** Does what the settings of the process would do; null turns forwarding off for the site. */
export function forwardTo(store: RecordStore | null, site: SiteKey = 'institutional'): void {
  const prefix = site === 'ns' ? 'NS_' : ''
  const set = (name: string, value: string | undefined) =>
    Object.assign(env(), { [`${prefix}LRS_FORWARD_${name}`]: value })
  set('URL', store?.url)
  set('KEY', store?.key)
  set('SECRET', store?.secret)
}

/** Runs the job as if `later` seconds had passed. */
export async function forward(ctx: Ctx, { later = 0, site = 'institutional' as SiteKey } = {}): Promise<number> {
  // The millisecond in which a statement was stored must be over.
  await sleep(3)
  const now = new Date(Date.now() + later * 1000)
  const here = await aContext(ctx.db, { site })
  return (await forwardStatements({ ...ctx, now, site: here.site })).sent
}

export async function waitingIn(ctx: Ctx): Promise<number> {
  const { waiting, setAside } = await getForwarding(ctx)
  return waiting + setAside
}

export type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string }
/** What the proxy does with a request: passes it on, passes it on and withholds the answer, or answers by itself. */
export type Fault =
  | 'pass'
  | 'lose the answer'
  | 'hang'
  | 'cut'
  | { status: number; body?: string; headers?: Record<string, string> }

/** A proxy in front of the external record store that simulates faults of the network and of other products. */
export async function aFaultyProxy(
  other: RecordStore,
): Promise<
  RecordStore & { received: Received[]; mostAtOnce: () => number; close: () => Promise<void>; decide: Decide }
> {
  const received: Received[] = []
  let atOnce = 0
  let most = 0
  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    most = Math.max(most, ++atOnce)
    res.once('close', () => atOnce--)
    const bytes = await buffer(req)
    const one = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body: bytes.toString('utf8') }
    received.push(one)
    const fault = await proxy.decide(one)
    if (fault === 'hang') return
    if (fault === 'cut') return void req.socket.destroy()
    if (typeof fault === 'object') return void res.writeHead(fault.status, fault.headers).end(fault.body)
    const answer = await fetch(new URL((req.url ?? '').replace(/^\/xapi\//, ''), other.url), {
      method: one.method,
      headers: Object.fromEntries(
        ['authorization', 'content-type', 'x-experience-api-version']
          .map((name) => [name, String(req.headers[name] ?? '')])
          .filter(([, value]) => value !== ''),
      ),
      ...(one.method === 'POST' && { body: new Uint8Array(bytes) }),
    })
    const text = await answer.text()
    if (fault === 'lose the answer') return void req.socket.destroy()
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
  }
  const server = createServer((req, res) => void handle(req, res).catch(() => res.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  afterAll(close)
  const proxy = {
    ...other,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/xapi/`,
    received,
    mostAtOnce: () => most,
    close,
    decide: (() => 'pass') as Decide,
  }
  return proxy
}

export type Decide = (received: Received) => Fault | Promise<Fault>

/** A program's statement, with or without a registration. */
export const aStatement = (registration?: string) => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:a@example.org' },
  verb: { id: 'https://verbs.example/did' },
  object: { id: 'https://activities.example/x' },
  ...(registration && { context: { registration } }),
})
