/**
 * Visits the address of a link, to find out whether it leads somewhere. Authors choose the address, so it may be meant to
 * reach something inside our network: only public addresses are visited. The name is resolved once, every address that it
 * has must be public, and the connection goes to the address that was checked. Each redirect is checked anew.
 */
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress } from '~/lib/public-address.server.ts'

/**
 * `gone`: it answers that there is nothing (404, 410). `private`: it leads to an address that is not public. `failed`: it
 * did not answer, or not well. `unchecked`: we do not visit such addresses.
 */
export type Visit = { outcome: 'alive' | 'gone' | 'private' | 'failed' | 'unchecked'; status: number | null }

/** Where visits may go. Tests use another one, to reach servers of their own. */
export type Network = {
  resolve: (host: string) => Promise<string[]>
  mayConnect: (address: string) => boolean
  ports: readonly number[]
  timeoutMs: number
}

export const publicNetwork: Network = {
  resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
  mayConnect: isPublicAddress,
  ports: [80, 443],
  timeoutMs: 10_000,
}

const mostRedirects = 5
const headerBytes = 16 * 1024

type Options = { network?: Network; turns?: HostTurns; signal?: AbortSignal }

/** Asks with HEAD, and again with GET where the answer says little, because not every server knows HEAD. */
export async function visitLink(address: string, options: Options = {}): Promise<Visit> {
  const visiting = { network: publicNetwork, turns: new HostTurns(), ...options }
  const asked = await follow(address, 'HEAD', visiting)
  const isSettled = asked.outcome !== 'gone' && asked.outcome !== 'failed'
  return isSettled || asked.status === null ? asked : follow(address, 'GET', visiting)
}

type Method = 'HEAD' | 'GET'
type Visiting = { network: Network; turns: HostTurns; signal?: AbortSignal }

async function follow(address: string, method: Method, visiting: Visiting): Promise<Visit> {
  let url = URL.canParse(address) ? new URL(address) : null
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    if (!url || !isVisited(url, visiting.network)) return { outcome: 'unchecked', status: null }
    const answer = await visiting.turns.take(url.hostname, () => ask(url as URL, method, visiting))
    if ('outcome' in answer) return answer
    if (answer.location === null) return judge(answer.status)
    url = URL.canParse(answer.location, url.href) ? new URL(answer.location, url) : null
  }
  return { outcome: 'failed', status: null }
}

function isVisited(url: URL, { ports }: Network): boolean {
  const standard = { 'http:': 80, 'https:': 443 }[url.protocol]
  if (standard === undefined || url.username !== '' || url.password !== '') return false
  return ports.includes(url.port === '' ? standard : Number(url.port))
}

type Answer = { status: number; location: string | null }

async function ask(url: URL, method: Method, { network, signal }: Visiting): Promise<Answer | Visit> {
  const timeout = AbortSignal.timeout(network.timeoutMs)
  const ends = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) ? [host] : await unlessAborted(ends, network.resolve(host))
    const [address] = addresses
    if (address === undefined) return { outcome: 'failed', status: null }
    if (!addresses.every(network.mayConnect)) return { outcome: 'private', status: null }
    return await request(url, { method, address, signal: ends })
  } catch (error) {
    if (signal?.aborted) throw error
    return { outcome: 'failed', status: null }
  }
}

function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}

type Call = { method: Method; address: string; signal: AbortSignal }

/** Reads the head of the answer and nothing of its body. */
function request(url: URL, { method, address, signal }: Call): Promise<Answer> {
  const family = isIP(address)
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      signal,
      // A connection of its own, which goes to the address that was checked, whatever the name means by now.
      agent: false,
      lookup: (_host, options, done) => {
        if (options.all) done(null, [{ address, family }])
        else done(null, address, family)
      },
      maxHeaderSize: headerBytes,
      headers: { 'User-Agent': 'Titrate (checks links)', Accept: '*/*' },
    })
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      resolve({ status, location: [301, 302, 303, 307, 308].includes(status) ? (headers.location ?? null) : null })
      response.on('error', () => {})
      response.destroy()
    })
    sent.on('error', reject)
    sent.on('close', () => reject(new Error('The connection was closed.')))
    sent.end()
  })
}

/** What servers answer to programs that they do not let in, and to too many of them: people may well get in. */
const refusals = [401, 402, 403, 405, 406, 407, 418, 429, 451, 501, 999]

function judge(status: number): Visit {
  if (status === 404 || status === 410) return { outcome: 'gone', status }
  const isAlive = (status >= 200 && status < 400) || refusals.includes(status)
  return { outcome: isAlive ? 'alive' : 'failed', status }
}

/** One request to a host at a time. A host that has not answered three times is left alone. */
export class HostTurns {
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #silent = new Map<string, number>()

  async take(host: string, work: () => Promise<Answer | Visit>): Promise<Answer | Visit> {
    const before = this.#last.get(host) ?? Promise.resolve()
    const mine = before.then(
      () => this.#run(host, work),
      () => this.#run(host, work),
    )
    this.#last.set(host, mine)
    return mine
  }

  async #run(host: string, work: () => Promise<Answer | Visit>): Promise<Answer | Visit> {
    const silent = this.#silent.get(host) ?? 0
    if (silent >= 3) return { outcome: 'unchecked', status: null }
    const answer = await work()
    if ('outcome' in answer && answer.outcome === 'failed') this.#silent.set(host, silent + 1)
    return answer
  }
}
