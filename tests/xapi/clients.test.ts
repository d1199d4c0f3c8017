/** Keys of programs: the service, and the operator's command on a running product. */
import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { createClient, findClient, listClients, revokeClient } from '~/services/xapi/xapi.server.ts'
import { aContext } from '../support/context.ts'
import { startServer, type TestServer } from '../support/http.ts'
import { db } from '../support/test.ts'

let ctx: Ctx
let ns: Ctx

beforeAll(async () => {
  ctx = await aContext(db, { isOperator: true })
  ns = await aContext(db, { site: 'ns', isOperator: true })
})

test('a key is refused with unknown scopes, without scopes, and with an invalid name', async () => {
  await expect(createClient(ctx, { name: 'x', scopes: ['everything'] })).rejects.toThrow('Choose one or more scopes')
  await expect(createClient(ctx, { name: 'x', scopes: [] })).rejects.toThrow('Choose one or more scopes')
  await expect(createClient(ctx, { name: ' ', scopes: ['all'] })).rejects.toThrow('The name must have')
})

test('the name of a key is tidied', async () => {
  const { key } = await createClient(ctx, { name: ' \u202eData\nware\u0301house\u200b', scopes: ['all'] })
  expect((await listClients(ctx)).find((client) => client.key === key)?.name).toBe('Data waréhouse')
  for (const name of ['\u200b', '\ufffc', 'a\u0000b', 'x'.repeat(101)]) {
    await expect(createClient(ctx, { name, scopes: ['all'] })).rejects.toThrow('The name must have')
  }
})

test('a key works only with its secret, which is stored as a hash', async () => {
  const { uid, key, secret } = await createClient(ctx, { name: 'x', scopes: ['all', 'all'] })
  expect(await findClient(ctx, { key, secret })).toMatchObject({ uid, scopes: ['all'], site: { key: 'institutional' } })
  expect(await findClient(ctx, { key, secret: `${secret}x` })).toBeNull()
  expect(await findClient(ctx, { key: 'key_none', secret })).toBeNull()
  const row = await db.selectFrom('xapi_clients').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(secret)
})

test('only its own site lists and revokes a key, once, however often it is tried', async () => {
  const { key, secret } = await createClient(ns, { name: 'Reports of NS', scopes: ['all/read'] })
  expect((await listClients(ctx)).map((client) => client.key)).not.toContain(key)
  await expect(revokeClient(ctx, { key })).rejects.toThrow('There is no such key')
  expect(await listClients(ns)).toMatchObject([{ key, name: 'Reports of NS', revokedAt: null, lastUsedAt: null }])
  expect(await findClient(ns, { key, secret })).not.toBeNull()
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => revokeClient(ns, { key })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await findClient(ns, { key, secret })).toBeNull()
  expect((await listClients(ns))[0]?.revokedAt).toBeInstanceOf(Date)
  const entries = await db.selectFrom('audit_entries').select('action').where('entity', '=', 'xapi_client').execute()
  expect(entries.filter(({ action }) => action === 'xapi_client.revoked')).toHaveLength(1)
})

test('a key that another process revokes ends within seconds, however often it is used', async () => {
  const { uid, key, secret } = await createClient(ctx, { name: 'x', scopes: ['all'] })
  expect(await findClient(ctx, { key, secret })).not.toBeNull()
  await db.updateTable('xapi_clients').set({ revoked_at: new Date() }).where('uid', '=', uid).execute()
  expect(await findClient(ctx, { key, secret, isReading: true })).toBeNull()
  expect(await findClient(ctx, { key, secret: `${secret}x` })).toBeNull()
  await expect.poll(() => findClient(ctx, { key, secret }), { timeout: 10_000, interval: 20 }).toBeNull()
})

describe('npm run lrs:client', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  const run = (...args: string[]) => {
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: 'production' as const,
      DATABASE_URL: server.databaseUrl,
      LOG_LEVEL: 'silent',
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/commands.js', 'lrs:client', ...args], {
      env,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const read = (key: string, secret: string) =>
    server.send({
      path: '/xapi/statements',
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
        'x-experience-api-version': '1.0.3',
      },
    })

  test('makes a key that works at once, lists it without its secret, and ends it', async () => {
    expect(run('list', '--site', 'institutional').stdout).toContain('There are no keys yet.')
    const made = run('create', 'Data warehouse', '--site', 'institutional', '--scope', 'all/read', '--scope', 'state')
    const [, key = '', secret = ''] = /Key:\s+(\S+)\nSecret:\s+(\S+)/.exec(made.stdout) ?? []
    expect((await read(key, secret)).status).toBe(200)
    const listed = run('list', '--site', 'institutional').stdout
    expect(listed).toContain(`${key}  all/read,state  created `)
    expect(listed).toContain('Data warehouse')
    expect(listed).not.toContain(secret)
    expect(run('revoke', key, '--site', 'ns')).toMatchObject({ status: 1, stderr: 'There is no such key in use.\n' })
    expect(run('revoke', key, '--site', 'institutional').stdout).toContain('"Data warehouse" is revoked')
    expect((await read(key, secret)).status).toBe(401)
  })

  test('the name of a property that every object has is no command', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const { status, stderr } = spawnSync(process.execPath, ['dist/commands.js', name], { encoding: 'utf8' })
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`Unknown command "${name}"`) })
    }
  })

  test.each([
    [],
    ['create', '--site', 'ns', '--scope', 'all'],
    ['create', 'A', '--site', 'ns'],
    ['create', 'A', '--scope', 'all'],
    ['list', 'A', '--site', 'ns'],
    ['revoke', '--site', 'ns'],
    ['forget', 'A', '--site', 'ns'],
  ])('shows its usage: %j %j %j', (...args) => {
    const { status, stderr } = run(...args)
    expect(status).toBe(2)
    expect(stderr).toContain('Usage: npm run lrs:client -- create NAME')
  })
})
