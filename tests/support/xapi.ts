import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { env } from '~/config/env.server.ts'
import { handleLaunchFetch } from '~/edge/launch-fetch.server.ts'
import { handleXapi } from '~/edge/xapi.server.ts'
import { beginExchange } from '~/http/exchange.server.ts'
import type { Ctx } from '~/services/context.ts'
import { closeDatabase } from '~/services/runtime.server.ts'
import { createClient } from '~/services/xapi/xapi.server.ts'
import type { Database } from '~db/client.server.ts'
import { aContext, asOperator, openTestDatabase } from './context.ts'
import { freshDatabase } from './database.ts'

/** The record store's handlers on their own port, mounted as server/ does, on the database of the test file. */
export async function startXapi(
  databaseUrl: string,
): Promise<{ send: Send; origin: string; close: () => Promise<void> }> {
  env().DATABASE_URL = databaseUrl
  const server = createServer((req, res) => {
    const exchange = beginExchange(req, res, { isSecure: false, address: null, host: 'localhost' })
    const handle = req.url?.startsWith('/launch/fetch') ? handleLaunchFetch : handleXapi
    handle(req, res, exchange).catch(() => res.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await closeDatabase()
  }
  return {
    send: (method, path, options) => exchange(port, method, path, options),
    origin: `http://127.0.0.1:${port}`,
    close,
  }
}

/**
 * The record store of a test file: its database, its handlers over HTTP, and a key with all scopes. Closed at the end
 * of the file.
 */
export async function aStore(): Promise<{ db: Database; ctx: Ctx; send: Send; origin: string; auth: string }> {
  const url = await freshDatabase()
  const { db, close } = await openTestDatabase(url)
  const { send, origin, close: stop } = await startXapi(url)
  afterAll(async () => {
    await stop()
    await close()
  })
  const ctx = await aContext(db)
  return { db, ctx, send, origin, auth: await aKey(ctx) }
}

export type Sent = {
  headers?: Record<string, string>
  body?: unknown
  /** The value of X-Experience-API-Version; null omits the header. */
  version?: string | null
  auth?: string | null
  params?: Record<string, string>
}

export type Answered = {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
  text: string
  json: never
}
export type Send = (method: string, path: string, options?: Sent) => Promise<Answered>

function exchange(port: number, method: string, path: string, options: Sent = {}): Promise<Answered> {
  const { version = '1.0.3', auth, params, body } = options
  const query = params ? `?${new URLSearchParams(params)}` : ''
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const content = body === undefined ? undefined : isRaw ? body : JSON.stringify(body)
  const headers = {
    ...(content !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(content)),
    }),
    ...(version && { 'x-experience-api-version': version }),
    ...(auth && { authorization: auth }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const req = request({ port, host: '127.0.0.1', method, path: path + query, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        const isJson = /json/.test(String(res.headers['content-type'])) && text !== ''
        const json = (isJson ? JSON.parse(text) : undefined) as never
        resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes, text, json })
      })
    })
    req.on('error', reject)
    req.end(content)
  })
}

/** The Authorization header of a new key. */
export async function aKey(ctx: Ctx, scopes: string[] = ['all']): Promise<string> {
  const { key, secret } = await createClient(asOperator(ctx), { name: 'A program', scopes })
  return `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
}
