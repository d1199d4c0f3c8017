import type { IncomingMessage } from 'node:http'
import { Forbidden, Invalid } from '~/services/errors.ts'
import type { XapiVersion } from '~/services/xapi/xapi.server.ts'

/**
 * A request to the record store, however it came: plainly, or in the alternate syntax of xAPI 1.0.3 (communication
 * 1.3).
 */
export type XapiRequest = {
  method: string
  /** Below /xapi/, without slashes at either end: `statements`, `activities/state`. */
  resource: string
  params: Map<string, string>
  version: XapiVersion
  header(name: string): string | undefined
  /** Reads the body on first use, so that nobody sends one before we know who asks. */
  body(): Promise<Buffer>
}

export const maxBodyBytes = 10 * 1024 * 1024
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i
const formHeaders = [
  'authorization',
  'x-experience-api-version',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'accept-language',
]

/** `url` is the path and query as they were sent, `/xapi` included. */
export async function readXapiRequest(req: IncomingMessage, url: string): Promise<XapiRequest> {
  const { pathname, searchParams } = new URL(url.replace(/^\/+/, '/'), 'http://xapi')
  const resource = pathname
    .split('/')
    .filter((segment) => segment !== '')
    .slice(1)
    .join('/')
  const method = (req.method ?? 'GET').toUpperCase()
  if (method === 'POST' && searchParams.has('method')) return alternateRequest(req, resource, searchParams)
  const header = (name: string) => {
    const value = req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  let read: Promise<Buffer> | undefined
  return {
    method,
    resource,
    params: singleParams(searchParams),
    version: versionOf(header('x-experience-api-version'), resource),
    header,
    body: () => {
      read ??= readBody(req)
      return read
    },
  }
}

/** Everything is a field of a form: parameters, headers and, as `content`, the body. */
async function alternateRequest(
  req: IncomingMessage,
  resource: string,
  searchParams: URLSearchParams,
): Promise<XapiRequest> {
  if ([...searchParams.keys()].some((name) => name !== 'method')) {
    throw new Invalid('With the parameter "method" all others belong into the form.', {}, 'xapi.alternate')
  }
  if (!formType.test(req.headers['content-type'] ?? '')) {
    throw new Invalid('With the parameter "method" the body must be a form.', {}, 'xapi.alternate')
  }
  const form = new URLSearchParams((await readBody(req)).toString('utf8'))
  const headers = new Map<string, string>()
  const params = new Map<string, string>()
  let content = ''
  for (const [name, value] of form) {
    if (name.toLowerCase() === 'content') content = value
    else if (formHeaders.includes(name.toLowerCase())) headers.set(name.toLowerCase(), value)
    else setOnce(params, name, value)
  }
  const header = (name: string) => {
    const value = headers.get(name) ?? req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  const version = versionOf(header('x-experience-api-version'), resource)
  if (version !== '1.0.3') {
    throw new Invalid('xAPI 2.0 has no alternate request syntax.', {}, 'xapi.alternate')
  }
  const method = (searchParams.get('method') ?? '').toUpperCase()
  if (!['GET', 'PUT', 'POST', 'DELETE'].includes(method)) {
    throw new Invalid('The method is one of GET, PUT, POST and DELETE.', {}, 'xapi.alternate')
  }
  return {
    method,
    resource,
    params,
    version,
    // The form's own type says nothing about what is in `content`.
    header: (name) => (name === 'content-type' ? (headers.get(name) ?? 'application/json') : header(name)),
    body: async () => Buffer.from(content),
  }
}

function singleParams(searchParams: URLSearchParams): Map<string, string> {
  const params = new Map<string, string>()
  for (const [name, value] of searchParams) setOnce(params, name, value)
  return params
}

function setOnce(params: Map<string, string>, name: string, value: string): void {
  if (params.has(name)) throw new Invalid(`The parameter ${name} is given twice.`, {}, 'xapi.parameter')
  params.set(name, value)
}

/** xAPI 1.0.3 communication 3.3: every request names its version, but for `about`. */
function versionOf(header: string | undefined, resource: string): XapiVersion {
  if (header !== undefined && /^1\.0(\.\d+)?$/.test(header.trim())) return '1.0.3'
  if (header !== undefined && /^2\.0(\.\d+)?$/.test(header.trim())) return '2.0.0'
  if (header === undefined && resource === 'about') return '2.0.0'
  throw new Invalid(
    header === undefined
      ? 'The header X-Experience-API-Version is missing.'
      : 'The header X-Experience-API-Version must be 1.0.x or 2.0.x.',
    {},
    'xapi.version',
  )
}

export class TooLarge extends Invalid {
  constructor() {
    super(`The body is larger than ${maxBodyBytes / 1024 / 1024} MB.`, {}, 'xapi.too_large')
  }
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) throw new TooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) throw new TooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parameters that nobody knows are refused, so that a misspelt filter never answers with everything. */
export function allowParams(request: XapiRequest, allowed: readonly string[]): void {
  for (const name of request.params.keys()) {
    if (!allowed.includes(name)) throw new Invalid(`There is no parameter ${name} here.`, {}, 'xapi.parameter')
  }
}

export function requireParam(request: XapiRequest, name: string): string {
  const value = request.params.get(name)
  if (value === undefined || value === '') throw new Invalid(`The parameter ${name} is missing.`, {}, 'xapi.parameter')
  return value
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Invalid(`${what} is not JSON.`, {}, 'xapi.json')
  }
}

export function unauthorized(): Forbidden {
  return new Forbidden('The key, token or secret is missing or not valid.', 'xapi.unauthorized')
}
