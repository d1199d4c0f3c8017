/** Client of the other record store (xAPI 1.0.3 and 2.0): sends statements to it and fetches single statements. */
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { env } from '~/config/env.server.ts'
import type { RecordStore } from '~/config/forwarding.ts'
import { cutText } from '~/lib/text.ts'
import type { AttachmentFile } from './attachments.server.ts'
import type { XapiVersion } from './types.ts'

export type Parcel = { id: string; version: XapiVersion; json: string; files: AttachmentFile[] }

/**
 * `accepted`: the store has the statements. `refused`: it refuses one of them. `away`: it accepts nothing now, whatever
 * is sent. `unclear`: it is either of the last two; sending another statement will show which.
 */
export type Outcome =
  | { kind: 'accepted' }
  | { kind: 'refused' | 'unclear'; status: number | null; error: string }
  | { kind: 'away'; status: number | null; error: string; retryAfterMs: number }

type Connection = { store: RecordStore; signal: AbortSignal }

const answerBytes = 64 * 1024
const megabyte = 1024 * 1024
/** Extra time for large bodies on slow connections, added to LRS_FORWARD_TIMEOUT. */
const msPerMegabyte = 10_000
const longestRetryAfterMs = 60 * 60_000

/**
 * Sends statements, all of the same xAPI version. Only a single statement may have attachments. The outcome applies to
 * all of them.
 */
export async function sendStatements(connection: Connection, parcels: Parcel[]): Promise<Outcome> {
  const version = parcels[0]?.version ?? '2.0.0'
  const content = await contentOf(parcels).catch((error: Error) => error)
  if (content instanceof Error) return { kind: 'refused', status: null, error: `Not sent: ${content.message}` }
  const { body, contentType } = content
  try {
    const response = await request(connection, 'statements', version, {
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

/** Fetches a statement from the other store, voided or not; null if it has none. */
export async function fetchStatement(
  connection: Connection,
  { id, version }: Pick<Parcel, 'id' | 'version'>,
): Promise<{ json: string | null } | Exclude<Outcome, { kind: 'accepted' }>> {
  try {
    for (const name of ['statementId', 'voidedStatementId']) {
      const response = await request(connection, `statements?${name}=${id}`, version, { method: 'GET', moreMs: 0 })
      const text = await readText(response, env().XAPI_MAX_MB * megabyte)
      if (response.status === 200) return { json: text }
      if (response.status !== 404) return outcomeOf(response, text, []) as Exclude<Outcome, { kind: 'accepted' }>
    }
    return { json: null }
  } catch (error) {
    return failureOf(error)
  }
}

async function request(
  { store, signal }: Connection,
  path: string,
  version: XapiVersion,
  { headers, moreMs, ...init }: RequestInit & { headers?: Record<string, string>; moreMs: number },
): Promise<Response> {
  const timeout = AbortSignal.timeout(env().LRS_FORWARD_TIMEOUT * 1000 + moreMs)
  const credentials = Buffer.from(`${store.key}:${store.secret}`).toString('base64')
  return fetch(new URL(path, store.url), {
    ...init,
    // Redirects are not followed, so that the key is not sent to another address.
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
  // The boundary is random, so that nobody can prepare an attachment that contains it.
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

/** Reads at most `maxBytes` of a response of any length. */
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

/** Statuses that another statement would not change: a wrong address, a wrong key, too many requests. */
const statusesOfTheWhole = [401, 402, 404, 405, 407, 410, 421, 426, 429, 451, 503]
/**
 * Statuses that may concern this statement or all of them: the key lacks a permission, or the request took too long.
 */
const unclearStatuses = [403, 408, 425]

function outcomeOf(response: Response, text: string, ids: string[]): Outcome {
  const { status } = response
  if (status === 200 && ids.length > 0 && isListOf(text, ids)) return { kind: 'accepted' }
  const error = `HTTP ${status}${reasonOf(response, text)}`
  if (status < 400 || statusesOfTheWhole.includes(status)) {
    return { kind: 'away', status, error, retryAfterMs: retryAfterOf(response) }
  }
  return { kind: status >= 500 || unclearStatuses.includes(status) ? 'unclear' : 'refused', status, error }
}

/**
 * Checks that the response lists the ids (xAPI 1.0.3 communication 2.1.2). A server that answers 200 to everything is
 * not a record store.
 */
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
  if (response.status === 200) return ': the response is not the list of ids that a record store returns'
  if (response.status < 400)
    return `: a record store responds with 200${response.status >= 300 ? '; set its final address' : ''}`
  const reason = cutText(text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim(), 500)
  return reason ? `: ${reason}` : ''
}

function retryAfterOf(response: Response): number {
  const value = response.headers.get('retry-after') ?? ''
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestRetryAfterMs)
}

/** Errors after connecting, caused by the statement or not. */
const unclearCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']

/** Translates what fetch throws. Rethrows programming errors. */
function failureOf(error: unknown): Exclude<Outcome, { kind: 'accepted' }> {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') return { kind: 'unclear', status: null, error: 'It did not respond in time' }
  if (name !== 'TypeError' || !cause) throw error
  const reason = cause.code ?? cause.message ?? message
  if (unclearCodes.includes(reason)) return { kind: 'unclear', status: null, error: `The connection broke (${reason})` }
  return { kind: 'away', status: null, error: `It cannot be reached (${reason})`, retryAfterMs: 0 }
}
