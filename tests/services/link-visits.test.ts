/** Visits to the addresses of links, with servers of our own. Their addresses are on the loopback network. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isPublicAddress } from '~/lib/public-address.server.ts'
import { HostTurns, type Network, publicNetwork, visitLink } from '~/services/checks/visit-link.server.ts'

let asked: string[] = []
let most = 0
let running = 0
const answers: Record<string, http.RequestListener> = {
  '/ok': (_req, res) => res.end('fine'),
  '/gone': (_req, res) => res.writeHead(410).end(),
  '/missing': (_req, res) => res.writeHead(404).end(),
  '/no-head': (req, res) => res.writeHead(req.method === 'HEAD' ? 404 : 200).end('fine'),
  '/broken': (_req, res) => res.writeHead(500).end(),
  '/closed': (_req, res) => res.writeHead(403).end(),
  '/never': () => {},
  '/drip': ({ socket }) => {
    const drip = setInterval(() => socket.write('H'), 20)
    socket.on('close', () => clearInterval(drip))
  },
  '/reset': (req) => req.socket.destroy(),
  '/huge': (req, res) => {
    if (req.method === 'HEAD') return res.writeHead(500).end()
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(64 * 1024)));
    }
    res.on('drain', more)
    more()
  },
  '/headers': (_req, res) => res.writeHead(200, { 'X-Long': 'x'.repeat(64 * 1024) }).end(),
  '/loop': (_req, res) => res.writeHead(302, { Location: '/loop' }).end(),
  '/to-file': (_req, res) => res.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  '/slow': (_req, res) => {
    running += 1
    most = Math.max(most, running)
    setTimeout(() => {
      running -= 1
      res.end()
    }, 20)
  },
}

function serve(address: string): Promise<http.Server> {
  const server = http.createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://any')
    asked.push(`${req.method} ${address}${pathname}`)
    if (pathname === '/to') return res.writeHead(302, { Location: searchParams.get('address') ?? '' }).end()
    answers[pathname]?.(req, res)
  })
  return new Promise((resolve) => server.listen(0, address, () => resolve(server)))
}

let open: http.Server
let inside: http.Server
let network: Network
let names: Record<string, string[]>
const portOf = (server: http.Server) => (server.address() as AddressInfo).port
const at = (path: string, host = 'open.example') => `http://${host}:${portOf(open)}${path}`

/** 127.0.0.2 stands for the internet, and 127.0.0.1 for our own network. */
beforeAll(async () => {
  open = await serve('127.0.0.2')
  inside = await serve('127.0.0.1')
})
afterAll(() => {
  for (const server of [open, inside]) {
    server.closeAllConnections()
    server.close()
  }
})
beforeEach(() => {
  asked = []
  names = { 'open.example': ['127.0.0.2'] }
  network = {
    resolve: async (host) => names[host] ?? Promise.reject(new Error('ENOTFOUND')),
    mayConnect: (address) => address === '127.0.0.2',
    ports: [portOf(open), portOf(inside)],
    timeoutMs: 300,
  }
})
const visit = (address: string) => visitLink(address, { network })

describe('answers', () => {
  test.each([
    ['/ok', 'alive', 200],
    ['/gone', 'gone', 410],
    ['/missing', 'gone', 404],
    ['/no-head', 'alive', 200],
    ['/broken', 'failed', 500],
    ['/closed', 'alive', 403],
    ['/never', 'failed', null],
    ['/drip', 'failed', null],
    ['/reset', 'failed', null],
    ['/headers', 'failed', null],
    ['/loop', 'failed', null],
    ['/to-file', 'unchecked', null],
  ])('%s is %s', async (path, outcome, status) => {
    expect(await visit(at(path))).toEqual({ outcome, status })
  })

  test('a huge answer is not read', async () => {
    expect(await visit(at('/huge'))).toEqual({ outcome: 'alive', status: 200 })
    const connections = () => new Promise((resolve) => open.getConnections((_error, count) => resolve(count)))
    await expect.poll(connections).toBe(0)
  })

  test('a redirect is followed at most five times', async () => {
    await visit(at('/loop'))
    expect(asked).toHaveLength(6)
  })

  test('a name that does not exist fails', async () => {
    expect(await visit(at('/ok', 'nobody.example'))).toEqual({ outcome: 'failed', status: null })
  })
})

describe('what is not public', () => {
  test('every address of a name must be public', async () => {
    names['both.example'] = ['127.0.0.2', '127.0.0.1']
    expect(await visit(at('/ok', 'both.example'))).toEqual({ outcome: 'private', status: null })
    expect(asked).toEqual([])
  })

  test('a name that changes between the check and the connection reaches only what was checked', async () => {
    const resolved: string[] = []
    network.resolve = async (host) => {
      resolved.push(host)
      return resolved.length === 1 ? ['127.0.0.2'] : ['127.0.0.1']
    }
    expect(await visit(at('/ok', 'rebinding.example'))).toEqual({ outcome: 'alive', status: 200 })
    expect(resolved).toHaveLength(1)
    expect(asked).toEqual(['HEAD 127.0.0.2/ok'])
  })

  test.each([
    'http://127.0.0.1:PORT/ok',
    'http://2130706433:PORT/ok',
    'http://0x7f.1:PORT/ok',
    'http://[::1]:PORT/ok',
    'http://[::ffff:127.0.0.1]:PORT/ok',
    'http://inside.example:PORT/ok',
  ])('a redirect to %s is not followed', async (address) => {
    names['inside.example'] = ['127.0.0.1']
    const to = encodeURIComponent(address.replace('PORT', String(portOf(inside))))
    expect((await visit(at(`/to?address=${to}`))).outcome).toBe('private')
    expect(asked.filter((one) => one.includes('127.0.0.1'))).toEqual([])
  })

  test('other ports, other protocols and addresses with a password are not visited', async () => {
    network.ports = [80, 443]
    for (const address of [at('/ok'), 'ftp://open.example/ok', 'http://a:b@open.example/ok']) {
      expect(await visit(address)).toEqual({ outcome: 'unchecked', status: null })
    }
    expect(asked).toEqual([])
  })

  test('the network of production refuses the machine itself and its names', async () => {
    const address = `http://127.0.0.1:${portOf(inside)}/ok`
    const local = { ...publicNetwork, ports: [portOf(inside)] }
    expect((await visitLink(address, { network: local })).outcome).toBe('private')
    expect((await visitLink(address.replace('127.0.0.1', 'localhost'), { network: local })).outcome).toBe('private')
    expect((await visitLink(address)).outcome).toBe('unchecked')
    expect(asked).toEqual([])
  })
})

test('a host is asked one thing at a time, and left alone after three silences', async () => {
  const turns = new HostTurns()
  await Promise.all(Array.from({ length: 5 }, () => visitLink(at('/slow'), { network, turns })))
  expect(most).toBe(1)
  const outcomes: string[] = []
  for (let i = 0; i < 5; i++) outcomes.push((await visitLink(at('/reset'), { network, turns })).outcome)
  expect(outcomes).toEqual(['failed', 'failed', 'failed', 'unchecked', 'unchecked'])
})

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.100.100.200', '127.1.2.3', '168.63.129.16', '169.254.169.254', '172.31.0.1'],
  ...['192.168.0.1', '192.0.0.192', '198.19.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fe80::1%lo'],
  ...['fd00:ec2::254', 'fc00::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::'],
  ...['2001::1', '2001:db8::1', '3fff::1', '::127.0.0.1', 'localhost', '', '127.1', '08.8.8.8'],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)
