/**
 * `POST /mail-events/` takes reports about mails from the program that sends them: JSON with a signature of the body and
 * the time. It reads no cookie. Without the setting MAIL_EVENTS_SECRET there is no such address.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { env } from '~/config/env.server.ts'
import type { MailEvent } from '~/forms/mail-events.ts'
import { anonymousContextOf } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { Invalid } from '~/services/errors.ts'
import { recordMailEvent } from '~/services/mail/record-returned.server.ts'
import { objectIn, readBody } from './json-body.server.ts'

const maxBytes = 64_000
/** A request that somebody has recorded is worth nothing after this time, and repeats nothing before. */
const validForSeconds = 300

export async function handleMailEvent(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  res.setHeader('Cache-Control', 'no-store')
  const [path = ''] = exchange.url.split('?', 1)
  const secret = env().MAIL_EVENTS_SECRET
  if (secret === undefined || !/^\/mail-events\/?$/.test(path)) return refuse(res, 404, 'Not found.')
  if (exchange.method !== 'POST') {
    res.setHeader('Allow', 'POST')
    return refuse(res, 405, 'Only POST is accepted.')
  }
  const body = await readBody(req, maxBytes)
  if (body === 'too large') return refuse(res, 413, 'The body may have 64 KB at most.')
  const problem = signatureProblem(exchange, body, secret)
  if (problem) return refuse(res, 401, problem)
  const event = objectIn(body)
  if (event === null) return refuse(res, 400, 'The body must be a JSON object.')
  try {
    const { isRecorded, sentence } = await recordMailEvent(await anonymousContextOf(exchange), event as MailEvent)
    exchange.log.info({ isRecorded, result: sentence }, 'mail event')
    answer(res, 200, { isRecorded, message: sentence })
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    refuse(res, 400, error.message)
  }
}

function signatureProblem(exchange: Exchange, body: Buffer, secret: string): string | null {
  const timestamp = exchange.header('x-titrate-timestamp') ?? ''
  const given = /^sha256=([0-9a-f]{64})$/i.exec(exchange.header('x-titrate-signature') ?? '')?.[1]
  const wrong = 'The signature is missing or wrong.'
  if (!/^\d{1,12}$/.test(timestamp) || !given) return wrong
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  if (!timingSafeEqual(expected, Buffer.from(given, 'hex'))) return wrong
  const age = Math.abs(exchange.startedAt.getTime() / 1000 - Number(timestamp))
  return age > validForSeconds ? 'The timestamp is more than five minutes away from the time of the server.' : null
}

function refuse(res: ServerResponse, status: number, message: string): void {
  answer(res, status, { message })
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify(body))
}
