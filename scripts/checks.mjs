/**
 * Checks for problems that can be found at once, before any long step. The product's own configuration checks the rest.
 */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../server/start-error.mjs'

const CONNECT_MS = 5000

/**
 * The ports that `npm start` will listen on must be free. After a kill -9 of the start process its children need a
 * moment to end, so `patience` waits for them.
 * @param {number} patience milliseconds
 */
export async function checkPorts(patience) {
  const port = portNamed('PORT', 3000)
  const contentPort = portNamed('CONTENT_PORT', port + 1)
  if (port === contentPort) throw new StartError(`PORT and CONTENT_PORT are both ${port}: they must differ.`)
  await checkPort('PORT', port, patience)
  await checkPort('CONTENT_PORT', contentPort, patience)
}

/** @param {string} name @param {number} otherwise */
function portNamed(name, otherwise) {
  const text = process.env[name]
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new StartError(`${name} must be a number from 1 to 65535, not "${text}".`)
}

/** @param {string} name @param {number} port @param {number} patience */
async function checkPort(name, port, patience) {
  const host = process.env.HOST || '127.0.0.1'
  for (const end = Date.now() + patience; ; await sleep(200)) {
    const problem = await tryListen(port, host)
    if (problem === null) return
    if (problem === 'EADDRINUSE' && Date.now() < end) continue
    if (problem === 'EADDRINUSE') {
      throw new StartError(`Port ${port} is taken by another program: stop it, or set ${name} to a free port.`)
    }
    if (problem === 'EACCES')
      throw new StartError(`This user may not listen on port ${port}: set ${name} to one above 1023.`)
    throw new StartError(`HOST "${host}" is not an address of this machine.`)
  }
}

/** @param {number} port @param {string} host @returns {Promise<string | null>} */
function tryListen(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : 'EINVAL'))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/**
 * Reports a database address that does not answer. A real connection later checks the credentials and the version.
 * @param {string} databaseUrl
 */
export async function checkDatabaseAddress(databaseUrl) {
  const url = parseDatabaseUrl(databaseUrl)
  if (url.hostname === '' || url.searchParams.has('host')) return // a socket in the file system
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || 5432)
  const problem = await tryConnect(host, port)
  if (problem)
    throw new StartError(`The database at ${host}:${port} cannot be reached (${problem}): check DATABASE_URL.`)
}

/** @param {string} text */
function parseDatabaseUrl(text) {
  if (URL.canParse(text)) {
    const url = new URL(text)
    if (/^postgres(ql)?:$/.test(url.protocol)) return url
  }
  throw new StartError('DATABASE_URL must look like postgres://user:password@host:5432/database.')
}

/** @param {string} host @param {number} port @returns {Promise<string | null>} */
function tryConnect(host, port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port })
    const answer = (/** @type {string | null} */ problem) => {
      socket.destroy()
      resolve(problem)
    }
    socket.setTimeout(CONNECT_MS, () => answer('no answer within 5 s'))
    socket.once('connect', () => answer(null))
    socket.once('error', (error) => answer(describe('code' in error ? String(error.code) : '')))
  })
}

/** @param {string} code */
function describe(code) {
  if (code === 'ECONNREFUSED') return 'nothing is listening there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is unknown'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no route to it'
  return code || 'connection failed'
}
