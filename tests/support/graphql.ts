import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { env } from '~/config/env.server.ts'
import { handleGraphql } from '~/edge/graphql.server.ts'
import { beginExchange } from '~/http/exchange.server.ts'
import type { SiteKey, Viewer } from '~/services/context.ts'
import { createSession } from '~/services/sessions/sessions.server.ts'
import type { Database } from '~db/client.server.ts'
import { closeDatabase } from '~db/instance.server.ts'
import { aContext } from './context.ts'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are whatever the operation asked for
  body: { data?: any; errors?: { message: string; extensions: Record<string, any> }[] }
}

export type GraphqlClient = {
  send(options?: { method?: string; path?: string; body?: string; headers?: Record<string, string> }): Promise<Answer>
  run(query: string, variables?: object): Promise<Answer>
}

/**
 * Starts the endpoint on a real server over the given database. Its clients keep cookies and token as a browser would.
 */
export async function startGraphql(databaseUrl: string) {
  env().DATABASE_URL = databaseUrl
  const server = createServer((req, res) => {
    const exchange = beginExchange(req, res, { isSecure: false, address: '127.0.0.1', host: req.headers.host ?? '' })
    handleGraphql(req, res, exchange).catch((error: Error) => {
      res.statusCode = 500
      res.end(error.stack)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    client: (site: SiteKey = 'institutional', cookie = '') => aClient(port, site, cookie),
    /** A client with a session of this person. */
    clientFor: async (db: Database, viewer: Viewer, site: SiteKey = 'institutional') => {
      const { id } = await createSession(await aContext(db, { site }), { userUid: viewer.uid, agent: 'test' })
      return aClient(port, site, `titrate_session=${id}`)
    },
    close: async () => {
      await new Promise((resolve) => server.close(resolve))
      await closeDatabase()
    },
  }
}

function aClient(port: number, site: SiteKey, firstCookie: string): GraphqlClient {
  const cookies = new Map(firstCookie ? [firstCookie.split('=', 2) as [string, string]] : [])
  let token: string | null = null
  const send: GraphqlClient['send'] = (options = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          method: options.method ?? 'POST',
          path: options.path ?? '/graphql/',
          headers: {
            // Node does not resolve ns.localhost, so the request names the host in its header.
            host: site === 'ns' ? 'ns.localhost:3000' : 'localhost:3000',
            'content-type': 'application/json',
            cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            ...(token && { 'x-csrftoken': token }),
            ...options.headers,
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () => {
            for (const cookie of response.headers['set-cookie'] ?? []) {
              const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=')
              if (value) cookies.set(name, value)
              else cookies.delete(name)
            }
            if (response.headers['x-csrftoken']) token = String(response.headers['x-csrftoken'])
            const isJson = String(response.headers['content-type']).includes('json')
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: isJson ? JSON.parse(text) : {},
              text,
            })
          })
        },
      )
      sent.on('error', reject)
      sent.end(options.body)
    })
  return {
    send,
    run: async (query, variables) => {
      if (token === null) await send({ method: 'GET', path: '/graphql/csrf/' })
      return send({ body: JSON.stringify({ query, variables }) })
    },
  }
}
