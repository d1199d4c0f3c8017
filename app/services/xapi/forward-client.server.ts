/** The other record store, as a client of its sees it (xAPI 1.0.3 and 2.0): statements go out, and it is asked for one. */
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { env } from '~/config/env.server.ts'
import type { RecordStore } from '~/config/forwarding.ts'
import { cutText } from '~/lib/text.ts'
import type { AttachmentFile } from './attachments.server.ts'
import type { XapiVersion } from './types.ts'

export type Parcel = { id: string; version: XapiVersion; json: string; files: AttachmentFile[] }

/**
 * `taken`: it has them. `refused`: it does not take one of them. `away`: it takes nothing now, whatever it is.
 * `unclear`: one of these two; another statement will tell.
 */
export type Outcome =
  | { kind: 'taken' }
  | { kind: 'refused' | 'unclear'; status: number | null; error: string }
  | { kind: 'away'; status: number | null; error: string; retryAfterMs: number }

type Peer = { store: RecordStore; signal: AbortSignal }

const answerBytes = 64 * 1024
const megabyte = 1024 * 1024
/** For large bodies over a slow line, beyond LRS_FORWARD_TIMEOUT. */
const msPerMegabyte = 10_000
const longestRetryAfterMs = 60 * 60_000

/** All of one version. Several at once have no attachments with them; what it answers for holds for all. */
export async function sendStatements(peer: Peer, parcels: Parcel[]): Promise<Outcome> {
  const version = parcels[0]?.version ?? '2.0.0'
  const content = await contentOf(parcels).catch((error: Error) => error)
  if (content instanceof Error) return { kind: 'refused', status: null, error: `Not sent: ${content.message}` }
  const { body, contentType } = content
  try {
    const response = await request(peer, 'statements', version, {
      method: 'POST',
      body,
      headers: { 'Content-Type': contentType },
      moreMs: Math.ceil((body.length / megabyte) * msPerMegabyte),
    })
    const ids = parcels.map(({ id }) => id)
    return outcomeOf(response, await readText(response, answerBytes), ids)
  } catch (error) {
    return failureOf(error)
  }
}

/** As the other side has it, voided or not; null where it has none. */
export async function fetchStatement(
  peer: Peer,
  { id, version }: Pick<Parcel, 'id' | 'version'>,
): Promise<{ json: string | null } | Exclude<Outcome, { kind: 'taken' }>> {
  try {
    for (const name of ['statementId', 'voidedStatementId']) {
      const response = await request(peer, `statements?${name}=${id}`, version, { method: 'GET', moreMs: 0 })
      const text = await readText(response, env().XAPI_MAX_MB * megabyte)
      if (response.status === 200) return { json: text }
      if (response.status !== 404) return outcomeOf(response, text, []) as Exclude<Outcome, { kind: 'taken' }>
    }
    return { json: null }
  } catch (error) {
    return failureOf(error)
  }
}

async function request(
  { store, signal }: Peer,
  path: string,
  version: XapiVersion,
  { headers, moreMs, ...init }: RequestInit & { headers?: Record<string, string>; moreMs: number },
): Promise<Response> {
  const timeout = AbortSignal.timeout(env().LRS_FORWARD_TIMEOUT * 1000 + moreMs)
  const credentials = Buffer.from(`${store.key}:${store.secret}`).toString('base64')
  return fetch(new URL(path, store.url), {
    ...init,
    // The key must not follow to another address.
    redirect: 'manual',
    signal: AbortSignal.any([timeout, signal]),
    headers: {
      Accept: 'application/json',
      Authorization: `Basic ${credentials}`,
      'X-Experience-API-Version': version,
      ...headers,
    },
  })
}

async function contentOf(parcels: Parcel[]): Promise<{ body: Buffer<ArrayBuffer>; contentType: string }> {
  const json = Buffer.from(`[${parcels.map((parcel) => parcel.json).join(',')}]`)
  const files = parcels.flatMap((parcel) => parcel.files)
  if (files.length === 0) return { body: json, contentType: 'application/json' }
  // Nobody who stores an attachment can know the boundary that it will be sent with.
  const boundary = `titrate-${randomUUID()}`
  const parts = [Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n`), json]
  for (const file of files) {
    const headers = [
      `Content-Type: ${file.contentType}`,
      'Content-Transfer-Encoding: binary',
      `X-Experience-API-Hash: ${file.sha2}`,
    ]
    parts.push(Buffer.from(`\r\n--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`), await buffer(await file.open()))
  }
  const body = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { body, contentType: `multipart/mixed; boundary=${boundary}` }
}

/** An answer of any length: what is beyond `maxBytes` is not read. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  for (let size = 0; reader && size <= maxBytes; ) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks).toString('utf8')
    chunks.push(value)
    size += value.length
  }
  await reader?.cancel()
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

/** A wrong address, a wrong key, too many requests: nothing that another statement would change. */
const statusesOfTheWhole = [401, 402, 404, 405, 407, 410, 421, 426, 429, 451, 503]
/** The key may not do this, or not with this one; it took too long or broke, on this one or altogether. */
const unclearStatuses = [403, 408, 425]

function outcomeOf(response: Response, text: string, ids: string[]): Outcome {
  const { status } = response
  if (status === 200 && ids.length > 0 && isListOf(text, ids)) return { kind: 'taken' }
  const error = `HTTP ${status}${reasonOf(response, text)}`
  if (status < 400 || statusesOfTheWhole.includes(status)) {
    return { kind: 'away', status, error, retryAfterMs: retryAfterOf(response) }
  }
  return { kind: status >= 500 || unclearStatuses.includes(status) ? 'unclear' : 'refused', status, error }
}

/** xAPI 1.0.3 communication 2.1.2: the answer is the ids. A page that says 200 to everything is no record store. */
function isListOf(text: string, ids: string[]): boolean {
  try {
    const given: unknown = JSON.parse(text)
    if (!Array.isArray(given) || given.length !== ids.length) return false
    const found = new Set(given.map((id) => String(id).toLowerCase()))
    return ids.every((id) => found.has(id.toLowerCase()))
  } catch {
    return false
  }
}

function reasonOf(response: Response, text: string): string {
  if (response.status === 200) return ': the answer is not the list of ids that a record store gives'
  if (response.status < 400)
    return `: a record store answers 200${response.status >= 300 ? '; set its own address' : ''}`
  const said = cutText(text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim(), 500)
  return said ? `: ${said}` : ''
}

function retryAfterOf(response: Response): number {
  const value = response.headers.get('retry-after') ?? ''
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestRetryAfterMs)
}

/** Broken off after it was connected: by what was sent, or not. */
const unclearCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']

/** What fetch throws; a fault of ours is thrown on. */
function failureOf(error: unknown): Exclude<Outcome, { kind: 'taken' }> {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') return { kind: 'unclear', status: null, error: 'It did not answer in time' }
  if (name !== 'TypeError' || !cause) throw error
  const reason = cause.code ?? cause.message ?? message
  if (unclearCodes.includes(reason)) return { kind: 'unclear', status: null, error: `It broke off (${reason})` }
  return { kind: 'away', status: null, error: `It cannot be reached (${reason})`, retryAfterMs: 0 }
}
