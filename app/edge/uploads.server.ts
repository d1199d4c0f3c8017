/**
 * Uploads over HTTP. `POST /uploads/prepare/` and `/uploads/{uid}/complete/` are for pages, with session cookie, CSRF
 * token and JSON. `POST /uploads/{uid}/` receives the bytes and reads no cookie: the signed fields are its permission.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileTooLarge } from '~/forms/uploads.ts'
import { anonymousContextOf, contextOf } from '~/http/context.server.ts'
import { isCsrfTokenValid } from '~/http/csrf.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import {
  type FilePart,
  type FormFields,
  fieldOf,
  isMultipart,
  MultipartRefused,
  readMultipart,
} from '~/http/multipart.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import { fileAddress, uploadAddress } from '~/lib/file-address.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, ServiceError } from '~/services/errors.ts'
import { completeUpload, getOpenUpload, prepareUpload, receivePost } from '~/services/uploads/uploads.server.ts'

/** Space for the boundaries, the headers of parts and our two fields. */
const overheadBytes = 20_000
const maxJsonBytes = 10_000
/** How much of a refused body is still read, so that the sender gets to read the answer. */
const lingerBytes = 8_000_000
const lingerMs = 5_000

export async function handleUploads(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const [, first = '', action] = /^\/uploads\/([^/?]+)(?:\/([^/?]+))?\/?(?:\?|$)/.exec(exchange.url) ?? []
  const isKnown = first !== '' && (action === undefined || (action === 'complete' && first !== 'prepare'))
  if (!isKnown) return answer(res, 404, { error: 'Not found.' })
  if (exchange.method !== 'POST') {
    res.setHeader('Allow', 'POST, OPTIONS')
    if (exchange.method === 'OPTIONS') return answer(res, 204)
    return answer(res, 405, { error: 'Send this with POST.' })
  }
  try {
    if (first === 'prepare') return await prepare(req, res, exchange)
    if (action === 'complete') return await complete(req, res, exchange, first)
    return await receive(req, res, exchange, first)
  } catch (error) {
    refuse(req, res, error)
  }
}

async function prepare(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const body = await readJson(req)
  const ctx = await checkedContext(res, exchange, body)
  if (!ctx) return
  const fileName = textOf(body.fileName)
  const prepared = await prepareUpload(ctx, { fileName, fileType: textOf(body.fileType) })
  // A path, since the page may have been opened under another host name than the site's own.
  answer(res, 200, { ...prepared, url: uploadAddress(prepared.id) })
}

async function complete(req: IncomingMessage, res: ServerResponse, exchange: Exchange, fileId: string): Promise<void> {
  const ctx = await checkedContext(res, exchange, await readJson(req))
  if (!ctx) return
  const { originalFileName, name, size } = await completeUpload(ctx, { fileId })
  answer(res, 200, { originalFileName, name, size, url: fileAddress(name) })
}

const staleForm = 'This page was open for too long. Please reload it and try again.'

const signedOut = 'You have been logged out. Log in again, then press Retry.'

/** Null if this function has already answered. */
async function checkedContext(
  res: ServerResponse,
  exchange: Exchange,
  body: Record<string, unknown>,
): Promise<Ctx | null> {
  const ctx = await contextOf(exchange)
  if (!ctx.viewer) {
    answer(res, 401, { error: signedOut })
    return null
  }
  const token = exchange.header('x-csrftoken') ?? textOf(body.csrf)
  if (await isCsrfTokenValid(ctx, exchange, token)) return ctx
  answer(res, 403, { error: staleForm })
  return null
}

async function receive(
  req: IncomingMessage,
  res: ServerResponse,
  exchange: Exchange,
  uploadUid: string,
): Promise<void> {
  const ctx = await anonymousContextOf(exchange)
  const { maxBytes } = await getOpenUpload(ctx, { uploadUid })
  const contentType = exchange.header('content-type') ?? ''
  if (!isMultipart(contentType)) throw new MultipartRefused(400, 'This is not a form with files.')
  // A file that is slightly too large is detected while it is read. A body that cannot fit is not read at all.
  const tooLong = Number(exchange.header('content-length') ?? 0) > maxBytes + overheadBytes
  if (tooLong) throw new Invalid(fileTooLarge, {}, 'file.too_large')
  let isReceived = false
  const onFile = async (file: FilePart, fields: FormFields) => {
    if (file.field !== 'file') throw new MultipartRefused(400, 'The file must be in the field "file".')
    const signed = { policy: fieldOf(fields, 'policy'), signature: fieldOf(fields, 'signature') }
    await receivePost(ctx, { uploadUid, fields: signed, source: file.wholeSource() })
    isReceived = true
  }
  const limits = { maxBytes: maxBytes + overheadBytes, maxFields: 4, maxFieldBytes: 4000, maxFiles: 1 }
  await readMultipart(req, contentType, { ...limits, onFile })
  if (!isReceived) throw new MultipartRefused(400, 'There is no file in this form.')
  answer(res, 200, {})
}

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  if (!(error instanceof ServiceError || error instanceof MultipartRefused)) throw error
  linger(req)
  const fieldErrors = error instanceof ServiceError ? error.fieldErrors : {}
  answer(res, refusalStatus(error), { error: error.message, fieldErrors })
}

function refusalStatus(error: ServiceError | MultipartRefused): number {
  if (error instanceof MultipartRefused) return error.status
  return error.code === 'file.too_large' ? 413 : statusOf(error)
}

/** Keeps reading for a while: a browser that is still sending cannot read an answer if its connection is closed. */
function linger(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return
  let size = 0
  const cut = () => req.socket.destroy()
  const timer = setTimeout(cut, lingerMs)
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > lingerBytes) cut()
  })
  req.once('close', () => clearTimeout(timer))
  req.resume()
}

/**
 * Returns an empty object if the body is not a JSON object; the checks that follow refuse it with their own messages.
 */
async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop would close the connection before the answer. So excess bytes are read and dropped, up to more
    // than any client of ours sends.
    if (size <= maxJsonBytes) chunks.push(chunk)
    else if (size > lingerBytes) break
  }
  if (size > maxJsonBytes) throw new MultipartRefused(413, 'This request is too large.')
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function answer(res: ServerResponse, status: number, body?: object): void {
  res.setHeader('Cache-Control', 'no-store')
  if (body) res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.statusCode = status
  res.end(body && JSON.stringify(body))
}
