/**
 * `npm run bench -- probe`: shows what a stranger can learn about addresses from response times. Makes a thousand tries
 * each for a known and an unknown address, in turns, for sign-in and for password requests. Prints medians and p95;
 * writes nothing.
 */
import { Agent, request } from 'node:http'
import { hashPassword } from '../app/services/accounts/passwords.server.ts'
import { createDatabase } from '../db/client.server.ts'
import type { Product } from './product.ts'

const tries = 1000
/**
 * Both have the same length and are tried equally often: a first try costs different work than a second one, known or
 * not.
 */
const addresses = { known: 'known@titrate.example', unknown: 'blank@titrate.example' }

export async function probeAddresses(product: Product): Promise<void> {
  await addAccount(product.databaseUrl)
  const visitor = await aVisitor(product.port)
  const login = (email: string) => visitor.post('/login/', { username: email, password: 'Wrong7Horse', terms: 'on' })
  const reset = (email: string) => visitor.post('/request-password-reset/', { email })
  for (const [name, ask] of [
    ['Sign-in', login],
    ['Password reset request', reset],
  ] as const) {
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    for (let index = -20; index < tries; index++) {
      // The order alternates, so that neither always comes after the other.
      const order = index % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
      for (const kind of order) {
        const took = await ask(addresses[kind])
        if (index >= 0) times[kind].push(took)
      }
    }
    for (const kind of ['known', 'unknown'] as const) {
      const sorted = times[kind].sort((a, b) => a - b)
      const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
      console.log(`${name}, ${kind} address, ${tries} tries: median ${at(0.5)} ms, p95 ${at(0.95)} ms`)
    }
  }
}

async function addAccount(databaseUrl: string): Promise<void> {
  const { db, pool } = createDatabase({ connectionString: databaseUrl, poolSize: 1 })
  const site = await db.selectFrom('sites').select('id').where('key', '=', 'institutional').executeTakeFirstOrThrow()
  const account = {
    email: addresses.known,
    email_key: addresses.known,
    password_hash: await hashPassword('Correct7Horse'),
    is_active: true,
  }
  await db
    .insertInto('users')
    .values({ site_id: site.id, ...account, first_name: 'Ada', last_name: 'Okafor' })
    .execute()
  await pool.end()
}

/** Uses one connection and one form token, so that only the answer is measured. */
async function aVisitor(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const host = `localhost:${port}`
  const page = await fetch(`http://${host}/login/`)
  const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
  const cookie = (page.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  const headers = { host, cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string, fields: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const body = new URLSearchParams({ csrf, ...fields }).toString()
      const startedAt = performance.now()
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          method: 'POST',
          path,
          agent,
          headers: { ...headers, 'content-length': body.length },
        },
        (response) => {
          response.resume()
          response.once('end', () => {
            const expected = path === '/login/' ? 400 : 200
            if (response.statusCode === expected) resolve(performance.now() - startedAt)
            else reject(new Error(`${path} answers ${response.statusCode}`))
          })
        },
      )
      sent.once('error', reject)
      sent.end(body)
    })
  return { post }
}
