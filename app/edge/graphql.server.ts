/** `/graphql/`: graphql-http over the same services as the pages (contract README). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ExecutionResult, validate } from 'graphql'
import { createHandler, type ResponseInit } from 'graphql-http'
import { buildNumber } from '~/config/build.server.ts'
import { env } from '~/config/env.server.ts'
import { bearerRule } from '~/graphql/bearer.ts'
import type { GraphqlContext } from '~/graphql/context.ts'
import { costRule } from '~/graphql/cost.ts'
import { toClientError } from '~/graphql/errors.server.ts'
import { maxBodyBytes, parseOnce, validateOnce } from '~/graphql/limits.ts'
import { createLoaders } from '~/graphql/loaders.server.ts'
import { schema } from '~/graphql/schema.server.ts'
import { noIntrospectionRule } from '~/graphql/visitors.ts'
import { bearerOf, contextOf, tokenContextOf } from '~/http/context.server.ts'
import { csrfToken, isCsrfTokenValid } from '~/http/csrf.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { isMultipart, MultipartRefused } from '~/http/multipart.server.ts'
import { decodeUtf8 } from '~/lib/utf8.ts'
import type { AccessScope } from '~/services/accounts/access-tokens.server.ts'
import { outageOf } from '~/services/errors.ts'
import { runWithFile } from './graphql-file.server.ts'

const handle = createHandler<Exchange, undefined, GraphqlContext>({
  schema,
  parse: parseOnce,
  // These rules depend on the request. The others run once for each document.
  validationRules: async (request, { variableValues }) => {
    const scope = scopeOf(request.raw)
    const isVisitor = (await contextOf(request.raw)).viewer === null
    return [
      costRule(env().GRAPHQL_MAX_COST, variableValues),
      ...(scope ? [bearerRule(scope)] : []),
      ...(isVisitor ? [noIntrospectionRule] : []),
    ]
  },
  validate: (schema, document, rules) => {
    const errors = validateOnce(schema, document)
    return errors.length > 0 ? errors : validate(schema, document, rules)
  },
  context: async (request) => {
    const ctx = await contextOf(request.raw)
    return {
      ctx,
      loaders: createLoaders(ctx),
      language: request.raw.header('accept-language') ?? '',
      idempotencyKey: request.raw.header('idempotency-key') ?? null,
    }
  },
  formatError: (error) => error as Error,
  onOperation: (request, _args, result) => ({
    ...result,
    ...(result.errors && {
      errors: result.errors.slice(0, maxErrors).map((error) => toClientError(error, request.raw.log)),
    }),
  }),
})

/** The scope of this request's bearer token; undefined without one. */
function scopeOf(exchange: Exchange): AccessScope | undefined {
  return exchange.memo.get('token-scope') as AccessScope | undefined
}

export async function handleGraphql(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  try {
    await answerRequest(req, res, exchange)
  } catch (error) {
    const outage = outageOf(error)
    if (!outage || res.headersSent) throw error
    exchange.log.error({ err: error }, 'graphql request failed')
    res.setHeader('Retry-After', String(outage.retryAfter))
    refuse(res, 503, outage.message, 'UNAVAILABLE')
  }
}

async function answerRequest(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const sent = exchange.header('x-build-number')
  if (sent !== undefined && sent !== buildNumber()) res.setHeader('X-Build-Mismatch', '1')
  const path = exchange.url.split('?', 1)[0] ?? ''
  if (/^\/graphql\/csrf\/?$/.test(path)) return answerToken(res, exchange)
  if (!/^\/graphql\/?$/.test(path)) return refuse(res, 404, 'Not found.', 'NOT_FOUND')
  if (exchange.method !== 'POST') {
    res.setHeader('Allow', 'POST')
    return refuse(res, 405, 'Send operations with POST.', 'BAD_USER_INPUT')
  }
  const bearer = bearerOf(exchange)
  if (bearer !== null) {
    const opened = await tokenContextOf(exchange, bearer)
    if (!opened) return refuseToken(res)
    exchange.memo.set('token-scope', opened.scope)
  }
  if (isMultipart(exchange.header('content-type'))) return answerWithFile(req, res, exchange)
  const bytes = await readBody(req)
  if (bytes === null) return refuse(res, 400, 'The body is larger than 1 MB.', 'BAD_USER_INPUT')
  const body = decodeUtf8(bytes)
  if (body === null) return refuse(res, 400, 'The body is not UTF-8.', 'BAD_USER_INPUT')
  if (/^\s*\[/.test(body)) {
    return refuse(res, 400, 'Send one operation per request: batches are not supported.', 'BAD_USER_INPUT')
  }
  if (!(await isOwnRequest(exchange))) return refuse(res, 403, 'CSRF failure', 'CSRF')
  await run(res, exchange, body)
}

async function run(res: ServerResponse, exchange: Exchange, body: string | Record<string, unknown>): Promise<void> {
  const contentType = typeof body === 'string' ? (exchange.header('content-type') ?? null) : 'application/json'
  const [answer, init] = await handle({
    method: 'POST',
    url: exchange.url,
    headers: { get: (name: string) => (name === 'content-type' ? contentType : (exchange.header(name) ?? null)) },
    body,
    raw: exchange,
    context: undefined,
  })
  // A new session has a new token. After signing out it is a visitor's token.
  if (!scopeOf(exchange)) res.setHeader('X-CSRFToken', await csrfToken(await contextOf(exchange), exchange))
  if (answer !== null && answer.length > maxAnswerLength) {
    return refuse(res, 400, 'The answer is larger than 5 MB. Ask for fewer items or fields.', 'BAD_USER_INPUT')
  }
  const canReadSchema = (await contextOf(exchange)).viewer !== null
  const refused = answer === null ? null : requestErrors(answer, canReadSchema)
  if (refused) return sendRefusal(res, init, refused)
  res.writeHead(init.status, init.statusText, init.headers)
  res.end(answer ?? undefined)
}

/**
 * GraphQL over HTTP 6.4: nothing of the operation ran. A client that accepts only application/json gets 200 for
 * well-formed JSON, as it cannot tell such an error from one of a proxy otherwise; a newer one gets 400.
 */
function sendRefusal(
  res: ServerResponse,
  init: ResponseInit,
  refused: { errors: object[]; isForbidden: boolean },
): void {
  const contentType = init.headers?.['content-type'] ?? 'application/json; charset=utf-8'
  const isNew = contentType.startsWith('application/graphql-response+json')
  const status = refused.isForbidden ? 403 : init.status >= 400 || isNew ? 400 : 200
  send(res, status, { errors: refused.errors }, contentType)
}

const maxAnswerLength = 5_000_000
const maxErrors = 100

/** True for a request that another site cannot forge. A bearer token needs no CSRF token, since no cookie is read. */
async function isOwnRequest(exchange: Exchange): Promise<boolean> {
  if (scopeOf(exchange)) return true
  return isCsrfTokenValid(await contextOf(exchange), exchange, exchange.header('x-csrftoken'))
}

/** Checks the CSRF token before it reads a byte of the file. */
async function answerWithFile(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  if (!(await isOwnRequest(exchange))) return refuse(res, 403, 'CSRF failure', 'CSRF')
  try {
    await runWithFile(req, exchange.header('content-type') ?? '', (operation) => run(res, exchange, operation))
  } catch (error) {
    if (!(error instanceof MultipartRefused)) throw error
    if (!res.headersSent) refuse(res, 400, error.message, 'BAD_USER_INPUT')
  }
}

/**
 * Errors of a request that was refused before anything ran (syntax, validation, limits, a token's scope), each with a
 * code. Whoever may not read the schema gets no suggestions from it.
 */
function requestErrors(answer: string, canReadSchema: boolean): { errors: object[]; isForbidden: boolean } | null {
  if (!answer.startsWith('{"errors":')) return null
  const result = JSON.parse(answer) as ExecutionResult
  if ('data' in result) return null
  const errors = (result.errors ?? []).map((error) => ({
    ...error,
    message: canReadSchema ? error.message : error.message.replace(/ Did you mean .*\?$/, ''),
    extensions: { ...error.extensions, code: error.extensions?.code ?? 'BAD_USER_INPUT' },
  }))
  return { errors, isForbidden: errors.every(({ extensions }) => extensions.code === 'FORBIDDEN') }
}

function refuseToken(res: ServerResponse): void {
  res.setHeader('WWW-Authenticate', 'Bearer error="invalid_token"')
  refuse(res, 401, 'This access token is unknown, expired or revoked.', 'LOGIN_REQUIRED')
}

async function answerToken(res: ServerResponse, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'GET') return refuse(res, 405, 'Request the token with GET.', 'BAD_USER_INPUT')
  res.setHeader('X-CSRFToken', await csrfToken(await contextOf(exchange), exchange))
  res.writeHead(204)
  res.end()
}

function refuse(res: ServerResponse, status: number, message: string, code: string): void {
  send(res, status, { errors: [{ message, extensions: { code } }] })
}

function send(
  res: ServerResponse,
  status: number,
  body: object,
  contentType = 'application/json; charset=utf-8',
): void {
  res.writeHead(status, { 'Content-Type': contentType })
  res.end(JSON.stringify(body))
}

/** Null if the body is too large. The rest is read and discarded, so that the client can read the answer. */
async function readBody(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
    else if (size > maxBodyBytes * 20) break
  }
  return size > maxBodyBytes ? null : Buffer.concat(chunks)
}
