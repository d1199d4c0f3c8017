/** While the database or the disk cannot be used: 503, a time to come back, and a sentence for people. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outageOf } from '~/services/errors.ts'
import { createDatabase } from '~db/client.server.ts'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

const sentence = 'Titrate cannot reach its data at the moment'
let proxy: Awaited<ReturnType<typeof aDatabaseProxy>>
let server: TestServer
let learner: Browser
/** A static file that the server has seen when it started. */
const lostFile = `${randomUUID()}.txt`
/** Links to what is built, because a product that starts meanwhile would miss a file that goes. */
let root: string

function linkTo(from: string, to: string, without: string[] = []) {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (!without.includes(name)) symlinkSync(path.resolve(from, name), path.join(to, name))
  }
}

beforeAll(async () => {
  mkdirSync('.data', { recursive: true })
  root = path.resolve(mkdtempSync('.data/outage-'))
  linkTo('.', root, ['build', '.data'])
  linkTo('build', path.join(root, 'build'), ['client'])
  linkTo('build/client', path.join(root, 'build/client'))
  writeFileSync(path.join(root, 'build/client', lostFile), 'static')
  proxy = await aDatabaseProxy()
  const settings: Record<string, string> = {}
  server = await startServer(
    settings,
    async (url) => {
      settings.DATABASE_URL = proxy.through(url)
      const { db, close } = await openTestDatabase(url)
      await aUser(db, { email: 'ada@titrate.example' })
      await close()
    },
    root,
  )
  learner = aBrowser(server)
  await learner.signIn('ada@titrate.example')
})
afterAll(async () => {
  await proxy.close()
  rmSync(root, { recursive: true })
})

test('without its database every part says so with 503 and Retry-After, and goes on when it is back', async () => {
  const csrf = await learner.token('/modules/')
  const graphql = {
    method: 'POST',
    path: '/graphql/',
    headers: { 'content-type': 'application/json', 'x-csrftoken': csrf },
    body: '{"query":"{ me { uid } }"}',
  }
  const post = { method: 'POST', path: '/favourites/', body: `csrf=${encodeURIComponent(csrf)}` }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  proxy.goAway()
  for (const sent of [
    { path: '/home/' },
    { path: '/login/' },
    { path: '/home.data' },
    { path: '/dashboard/modules/' },
    { ...post, headers: form },
    { path: '/images/00000000-0000-4000-8000-000000000000.webp' },
    graphql,
    { path: '/xapi/statements', headers: { authorization: 'Basic eDp5', 'x-experience-api-version': '1.0.3' } },
  ]) {
    const { status, headers, text } = await learner.send(sent)
    expect([sent.path, status, headers['retry-after']]).toEqual([sent.path, 503, '30'])
    if (sent.path !== '/home.data') expect(text).toContain(sentence)
    expect(text).not.toContain('ECONN')
  }
  const answer = await learner.send(graphql)
  expect(JSON.parse(answer.text).errors[0].extensions).toEqual({ code: 'UNAVAILABLE' })
  const ready = await server.send({ path: '/readyz' })
  expect([ready.status, JSON.parse(ready.text).database]).toEqual([503, 'unreachable'])
  expect((await server.send({ path: '/healthz' })).status).toBe(200)
  proxy.comeBack()
  expect((await learner.send({ path: '/home/' })).status).toBe(200)
})

test('a form that a full disk refuses comes back with its values', async () => {
  const { db, pool } = createDatabase({ connectionString: server.databaseUrl, poolSize: 1 })
  try {
    await sql`create function disk_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db)
    await sql`create trigger disk_full before insert on sessions execute function disk_full()`.execute(db)
    const { status, headers, text } = await aBrowser(server).signIn('ada@titrate.example')
    expect([status, headers['retry-after']]).toEqual([503, '30'])
    expect(text).toContain(`${sentence}. Please try again in a minute.`)
    expect(text).toContain('value="ada@titrate.example"')
    expect((await learner.send({ path: '/home/' })).status).toBe(200)
  } finally {
    await sql`drop trigger if exists disk_full on sessions`.execute(db)
    await pool.end()
  }
})

test.each([
  ['no connection', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), true],
  ['a stopping database', Object.assign(new Error('terminating connection'), { code: '57P01' }), true],
  ['too many connections', Object.assign(new Error('too many clients'), { code: '53300' }), true],
  ['a full disk of the database', Object.assign(new Error('could not extend file'), { code: '53100' }), true],
  ['a full disk of files', Object.assign(new Error('no space left'), { code: 'ENOSPC' }), true],
  ['a lost connection', new Error('Connection terminated unexpectedly'), true],
  ['a busy pool', new Error('timeout exceeded when trying to connect'), true],
  ['a mistake in SQL', Object.assign(new Error('syntax error'), { code: '42601' }), false],
  ['a violated constraint', Object.assign(new Error('duplicate key'), { code: '23505' }), false],
  ['a missing file', Object.assign(new Error('no such file'), { code: 'ENOENT' }), false],
  ['a mistake in code', new TypeError('x is undefined'), false],
  ['a client that has gone', Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), false],
  ['a text', 'ECONNREFUSED', false],
])('%s: an outage is told from a fault', (_name, error, isOutage) => {
  expect(outageOf(error) !== null).toBe(isOutage)
})

test('a static file that a deployment has removed cuts its answer off, and everything else goes on', async () => {
  expect((await server.send({ path: `/${lostFile}` })).text).toBe('static')
  rmSync(path.join(root, 'build/client', lostFile))
  await expect(server.send({ path: `/${lostFile}` })).rejects.toThrow()
  expect((await server.send({ path: '/healthz' })).status).toBe(200)
})
