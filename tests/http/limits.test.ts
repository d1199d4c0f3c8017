import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'zoe@titrate.example' })
    await close()
  })
})

describe('bodies', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  test('a form over 100 KB, or 1 MB in the console, is refused before it is read', async () => {
    for (const [path, limit] of [
      ['/login/', '100 KB'],
      ['/login.data', '100 KB'],
      ['/launch/', '100 KB'],
      ['/nowhere/', '100 KB'],
      ['/dashboard/modules/new/', '1 MB'],
    ] as const) {
      const reply = await server.send({
        method: 'POST',
        path,
        headers: form,
        body: `username=${'x'.repeat(limit === '1 MB' ? 1_000_000 : 100_000)}`,
      })
      expect([path, reply.status]).toEqual([path, 413])
      expect(reply.text).toContain(`This form is larger than ${limit}`)
    }
    const below = await server.send({
      method: 'POST',
      path: '/login/',
      headers: form,
      body: `x=${'x'.repeat(99_000)}`,
    })
    expect(below.status).toBe(400)
  })

  test('a form that does not state its length is refused', async () => {
    const headers = { ...form, 'transfer-encoding': 'chunked' }
    expect((await server.send({ method: 'POST', path: '/login/', headers, body: 'csrf=x' })).status).toBe(411)
  })

  test('a form with thousands of fields is refused at once, and other requests are answered meanwhile', async () => {
    const body = Array.from({ length: 20_000 }, (_, index) => index.toString(36)).join('&')
    const began = performance.now()
    const reply = server.send({ method: 'POST', path: '/login/', headers: form, body })
    const [answer, health] = await Promise.all([reply, server.send({ path: '/healthz' })])
    expect([answer.status, health.status]).toEqual([400, 200])
    expect(answer.text).toContain('This form has too many parts.')
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  test('an operation over 1 MB is refused', async () => {
    const browser = aBrowser(server)
    const token = String((await browser.send({ path: '/graphql/csrf/' })).headers['x-csrftoken'])
    const reply = await browser.send({
      method: 'POST',
      path: '/graphql/',
      headers: { 'content-type': 'application/json', 'x-csrftoken': token },
      body: JSON.stringify({ query: `{ me { uid } } # ${'x'.repeat(1_000_000)}` }),
    })
    expect([reply.status, JSON.parse(reply.text).errors[0].message]).toEqual([400, 'The body is larger than 1 MB.'])
  })

  test('A-210 introspection is for signed-in people, within a budget, and visitors get no suggestions', async () => {
    const visitor = aBrowser(server)
    const learner = aBrowser(server)
    await learner.signIn('zoe@titrate.example')
    const ask = async (browser: Browser, query: string) => {
      const token = String((await browser.send({ path: '/graphql/csrf/' })).headers['x-csrftoken'])
      const headers = { 'content-type': 'application/json', 'x-csrftoken': token }
      const body = JSON.stringify({ query })
      const { status, text } = await browser.send({ method: 'POST', path: '/graphql/', headers, body })
      return { status, length: text.length, ...JSON.parse(text) }
    }
    const { errors } = await ask(visitor, getIntrospectionQuery())
    expect(errors[0]).toMatchObject({
      message: 'Log in, or send an access token, to read the schema.',
      extensions: { code: 'LOGIN_REQUIRED' },
    })
    const whole = await ask(learner, getIntrospectionQuery())
    expect([whole.status, whole.data.__schema.types.length > 50, whole.length < 1_000_000]).toEqual([200, true, true])
    const ten = (field: string, selection: string) =>
      Array.from({ length: 10 }, (_, index) => `a${index}: ${field} { ${selection} }`).join(' ')
    const fields = ten('fields', 'name description args { name description }')
    const bomb = `{ __schema { ${ten('types', '...many')} } } fragment many on __Type { ${fields} }`
    expect((await ask(learner, bomb)).errors[0].message).toBe(
      'This asks for too much of the schema. Ask for less of it at once.',
    )
    expect((await ask(visitor, '{ modlues { edges { cursor } } }')).errors[0].message).toBe(
      'Cannot query field "modlues" on type "Query".',
    )
    expect((await ask(learner, '{ modlues { edges { cursor } } }')).errors[0].message).toContain('Did you mean')
    const many = await ask(learner, `{ featureFlags ${'@x '.repeat(50)}}`)
    expect([many.status, many.errors.length]).toEqual([200, 6])
  })

  test('headers larger than a browser sends are refused', async () => {
    expect((await server.send({ path: '/login/', headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431)
  })

  test('a client that leaves in the middle of a body causes no error', async () => {
    const before = server.log().length
    for (const path of ['/graphql/', '/login/', '/xapi/statements?method=PUT', '/launch/fetch/x']) {
      await new Promise<void>((resolve) => {
        const socket = net.connect(server.port, '127.0.0.1', () => {
          socket.write(
            `POST ${path} HTTP/1.1\r\nHost: ${server.host()}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\nX-Experience-API-Version: 1.0.3\r\n\r\na=`,
          )
          setTimeout(() => socket.destroy(), 50)
        })
        socket.once('close', () => resolve())
      })
    }
    await sleep(300)
    expect(server.log().slice(before)).not.toContain('"level":50')
    expect((await server.send({ path: '/healthz' })).status).toBe(200)
  })
})

describe('fields', () => {
  const bad = [
    ['U+0000', 'a\u0000b'],
    ['a lone surrogate', '\ud800'],
    ['a character too many', 'x'.repeat(101)],
    ['a very long text', 'x'.repeat(20_000)],
    ['a name of every object', '__proto__'],
    ['markup', '"><script>alert(1)</script>'],
    ['broken percent-encoding', '%ff'],
    ['control characters', '\u202e\u0007'],
  ] as const

  test.each(bad)('%s in any field of sign-in is refused with a message', async (_name, value) => {
    const browser = aBrowser(server)
    const csrf = await browser.token('/login/')
    for (const field of ['csrf', 'username', 'password', 'terms', 'next', 'intent']) {
      const fields = {
        csrf,
        username: 'nobody@x.example',
        password: `Wrong1-${Math.random()}`,
        terms: 'on',
        [field]: value,
      }
      if (field === 'next' || field === 'intent' || field === 'password') fields.terms = 'no'
      const reply = await browser.post('/login/', fields)
      expect([field, reply.status]).toEqual([field, 400])
      expect(reply.text).not.toContain('<script>alert(1)')
    }
  })

  test.each(bad)('%s as any argument of GraphQL is refused or finds nothing', async (_name, value) => {
    const browser = aBrowser(server)
    await browser.signIn('zoe@titrate.example')
    const token = String((await browser.send({ path: '/graphql/csrf/' })).headers['x-csrftoken'])
    const operations = [
      'query ($v: ID!) { node(id: $v) { id } }',
      'query ($v: String) { modules(after: $v) { edges { node { id } } } }',
      'query ($v: String) { tags(after: $v) { edges { node { id } } } }',
      'query ($v: ID!) { moduleLaunchInfo(moduleVersionUid: $v) { launchUrl } }',
      'query ($v: ID!, $w: ID) { moduleLaunchInfo(moduleVersionUid: $v, unitUid: $w) { launchUrl } }',
      'query ($v: ID!) { auLaunchSessionCheck(auLaunchSessionUid: $v) { status } }',
      'query ($v: ID!) { userProgress(userUid: $v) { __typename } }',
      'query ($v: ID!, $own: ID!) { userProgress(userUid: $own, moduleUids: [$v], courseUids: [$v], lectureUids: [$v]) { __typename } }',
      'mutation ($v: String!) { login(username: $v, password: $v) { user { uid } } }',
    ]
    const ask = async (query: string, variables: object = {}) => {
      const headers = { 'content-type': 'application/json', 'x-csrftoken': token }
      const body = JSON.stringify({ query, variables })
      return browser.send({ method: 'POST', path: '/graphql/', headers, body })
    }
    const own = JSON.parse((await ask('{ me { uid } }')).text).data.me.uid
    for (const query of operations) {
      const variables = Object.fromEntries(
        Object.entries({ v: value, w: value, own }).filter(([name]) => query.includes(`$${name}:`)),
      )
      const { status, text } = await ask(query, variables)
      expect([query, status, text]).toEqual([query, 200, expect.not.stringContaining('INTERNAL')])
    }
  })

  test.each(bad)('%s as a module, unit or launch is not found', async (_name, value) => {
    const browser = aBrowser(server)
    await browser.signIn('zoe@titrate.example')
    const csrf = await browser.token('/home/')
    for (const intent of ['', 'restart', 'retake', 'preview']) {
      const reply = await browser.post('/launch/', {
        csrf,
        moduleVersionUid: value,
        unitUid: value,
        from: value,
        intent,
      })
      expect([intent, [403, 404].includes(reply.status)]).toEqual([intent, true])
      expect(reply.text).not.toContain('<script>alert(1)')
    }
  })
})

test('a connection stays usable and lasts longer than that of the usual load balancer', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      http
        .get(
          { host: '127.0.0.1', port: server.port, path: '/healthz', agent, headers: { host: server.host() } },
          (reply) => {
            reply.resume()
            reply.once('end', () => resolve(reply))
          },
        )
        .once('error', reject)
    })
  const first = await ask()
  expect(first.headers['keep-alive']).toBe('timeout=65')
  expect((await ask()).socket).toBe(first.socket)
  agent.destroy()
})

test('a body that is refused before it is read is answered, and so is the next request on its connection', async () => {
  const learner = aBrowser(server)
  await learner.signIn('zoe@titrate.example')
  const token = String((await learner.send({ path: '/graphql/csrf/' })).headers['x-csrftoken'])
  const cookie = [...learner.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  for (const [path, status] of [
    ['/dashboard/modules/new/', 403],
    ['/dashboard/modules/no-such-module/', 403],
    ['/graphql/', 400],
    ['/event/', 413],
    ['/client-error/', 413],
  ] as const) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (path: string, body?: Buffer) =>
      new Promise<http.IncomingMessage>((resolve, reject) => {
        const method = body ? 'POST' : 'GET'
        const type = body && { 'content-type': 'multipart/form-data; boundary=B', 'content-length': body.length }
        const headers = { host: server.host(), cookie, 'x-csrftoken': token, ...type }
        http
          .request({ host: '127.0.0.1', port: server.port, method, path, agent, headers }, (reply) => {
            reply.resume().once('end', () => resolve(reply))
          })
          .once('error', reject)
          .end(body)
      })
    const refused = await ask(path, Buffer.alloc(12_000_000))
    const next = await ask('/healthz')
    expect([path, refused.statusCode, next.statusCode]).toEqual([path, status, 200])
    expect(next.socket).toBe(refused.socket)
    agent.destroy()
  }
})
