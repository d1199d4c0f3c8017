import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { afterAll } from 'vitest'
import { productEnv } from '../browser/support/product-env.ts'
import { openTestDatabase, testPassword } from './context.ts'
import { freshDatabase } from './database.ts'
import { freePorts } from './ports.ts'

export type Sent = {
  method?: string
  path?: string
  /** The Host header, since Node does not resolve ns.localhost. */
  host?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  to?: 'app' | 'content'
}

export type Reply = { status: number; headers: http.IncomingHttpHeaders; text: string; cookies: string[] }

export type TestServer = {
  pid: number
  port: number
  databaseUrl: string
  host: (to?: 'app' | 'content') => string
  log: () => string
  logLines: () => Record<string, unknown>[]
  exited: Promise<number | null>
  send: (sent: Sent) => Promise<Reply>
}

/** Here and not in `startServer`, since Vitest registers no hook in the middle of a test. */
const endings: (() => Promise<void>)[] = []
afterAll(async () => {
  await Promise.all(endings.map((end) => end()))
})

/**
 * Starts the production server with its own database and its own folder for files; it ends with the test file.
 * `prepare` runs before the start. `root` is the folder with what was built.
 */
export async function startServer(
  settings: Record<string, string> = {},
  prepare: (databaseUrl: string, dataDir: string) => Promise<void> = async () => {},
  root = process.cwd(),
): Promise<TestServer> {
  const databaseUrl = await freshDatabase()
  const [port = 0, contentPort = 0] = await freePorts(2)
  const dataDir = path.resolve('.data', `test-data-http-${port}`)
  mkdirSync(dataDir, { recursive: true })
  await prepare(databaseUrl, dataDir)
  const env = productEnv({ databaseUrl, dataDir, PORT: String(port), CONTENT_PORT: String(contentPort), ...settings })
  await writeReference(env)
  const child = spawn(process.execPath, ['dist/server.js'], {
    cwd: root,
    env: { ...env, PROCESS_ROLE: 'both' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      log += part
    })
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  endings.push(async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 12_000)
    await exited
    clearTimeout(timer)
    rmSync(dataDir, { recursive: true, force: true })
  })
  const isReady = new Promise((resolve) => child.once('message', () => resolve(true)))
  if (!(await Promise.race([isReady, exited.then(() => false)]))) throw new Error(`dist/server.js ended:\n${log}`)
  const host = (to: 'app' | 'content' = 'app') => `localhost:${to === 'app' ? port : contentPort}`
  return {
    pid: child.pid ?? 0,
    port,
    databaseUrl,
    host,
    log: () => log,
    logLines: () =>
      log
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    exited,
    send: (sent) => send(sent.to === 'content' ? contentPort : port, { host: host(sent.to), ...sent }),
  }
}

/** Writes the reference data, as the set-up of `npm start` does: that program would take most of a second to load. */
async function writeReference({ DATABASE_URL: url = '', PORT, SITE_ORIGIN, NS_SITE_ORIGIN }: NodeJS.ProcessEnv) {
  const institutional = SITE_ORIGIN ?? `http://localhost:${PORT}`
  const { close } = await openTestDatabase(url, { institutional, ns: NS_SITE_ORIGIN ?? `http://ns.localhost:${PORT}` })
  await close()
}

/** Sends one request on its own connection. */
function send(port: number, { method = 'GET', path = '/', host, headers, body }: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || headers?.['transfer-encoding'] ? {} : { 'content-length': Buffer.byteLength(body) }
    const request = http.request(
      { host: '127.0.0.1', port, method, path, agent: false, headers: { host, ...length, ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.once('end', () => {
          const cookies = response.headers['set-cookie'] ?? []
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, cookies })
        })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}

export type Browser = {
  jar: Map<string, string>
  send: (sent: Sent) => Promise<Reply>
  /** Posts a form as a page of the site would. */
  post: (path: string, fields: Record<string, string>, headers?: Record<string, string>) => Promise<Reply>
  /** The token of the form on this page. */
  token: (path: string) => Promise<string>
  signIn: (email: string, more?: { password?: string; next?: string }) => Promise<Reply>
}

/** Keeps cookies as a browser does, and sends the headers that a browser sends from its own pages. */
export function aBrowser(
  server: TestServer,
  options: { host?: string; headers?: Record<string, string> } = {},
): Browser {
  const jar = new Map<string, string>()
  const host = options.host ?? server.host()
  const browser: Browser = {
    jar,
    send: async (sent) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...(cookie && { cookie }), ...options.headers, ...sent.headers }
      const reply = await server.send({ host, ...sent, headers })
      for (const set of reply.cookies) {
        const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=')
        if (value) jar.set(name, value)
        else jar.delete(name)
      }
      return reply
    },
    post: (path, fields, headers) =>
      browser.send({
        method: 'POST',
        path,
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
      }),
    token: async (path) => tokenIn((await browser.send({ path })).text),
    signIn: async (email, { password = testPassword, next = '' } = {}) =>
      browser.post('/login/', { csrf: await browser.token('/login/'), username: email, password, terms: 'on', next }),
  }
  return browser
}

export function tokenIn(page: string): string {
  return /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? ''
}
