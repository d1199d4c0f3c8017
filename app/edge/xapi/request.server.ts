import type { IncomingMessage } from 'node:http'
import { env } from '~/config/env.server.ts'
import { Forbidden, Invalid, TooLarge } from '~/services/errors.ts'
import type { XapiVersion } from '~/services/xapi/xapi.server.ts'
import { repeatsKey } from './json-keys.ts'

/** A request to the record store, sent plainly or in the alternate syntax of xAPI 1.0.3 (communication 1.3). */
export type XapiRequest = {
  method: string
  /** The path below /xapi/, without slashes at either end: `statements`, `activities/state`. */
  resource: string
  params: Map<string, string>
  version: XapiVersion
  header(name: string): string | undefined
  /**
   * Reads a plain request's body on first use, which is after authentication. A form of the alternate syntax is read
   * before that, since the key may be in it.
   */
  body(): Promise<Buffer>
}

const megabyte = 1024 * 1024
const formType = /^(application\/x-www-form-urlencoded|text\/plain)\s*(;|$)/i
const formHeaders = [
  'authorization',
  'x-experience-api-version',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'accept-language',
]
const formMethods = ['GET', 'PUT', 'POST', 'DELETE']
const maxFields = 100
/**
 * The limit for a form without a key in its header: a few hundred KB of text may need three times as much when encoded.
 */
const maxAnonymousForm = megabyte

/** `url` is the path and query as sent, including `/xapi`. */
export async function readXapiRequest(req: IncomingMessage, url: string): Promise<XapiRequest> {
  const { pathname } = new URL(url.replace(/^\/+/, '/'), 'http://xapi')
  const searchParams = readFields(url.slice(url.indexOf('?') + 1 || url.length), 'The query')
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

/** In the alternate syntax everything is a field of a form: parameters, headers and, as `content`, the body. */
async function alternateRequest(
  req: IncomingMessage,
  resource: string,
  searchParams: URLSearchParams,
): Promise<XapiRequest> {
  if ([...searchParams.keys()].some((name) => name !== 'method')) {
    throw new Invalid('With the parameter "method", all other parameters must be in the form.', {}, 'xapi.alternate')
  }
  // The browsers that use this cannot set headers, so no type or text/plain means a form too (1.3.s3.b9).
  if (!formType.test(req.headers['content-type'] ?? 'text/plain')) {
    throw new Invalid('With the parameter "method", the body must be a form.', {}, 'xapi.alternate')
  }
  const method = (singleParams(searchParams).get('method') ?? '').toUpperCase()
  if (!formMethods.includes(method)) {
    throw new Invalid('The method must be GET, PUT, POST or DELETE.', {}, 'xapi.alternate')
  }
  const real = req.headers['x-experience-api-version']?.toString()
  if (real !== undefined) requireOldVersion(real, resource)
  const headers = new Map<string, string>()
  const params = new Map<string, string>()
  const contents = new Map<string, string>()
  for (const [name, value] of await readForm(req)) {
    const lower = name.toLowerCase()
    if (lower === 'content') setOnce(contents, lower, value)
    else if (formHeaders.includes(lower)) setOnce(headers, lower, value)
    else setOnce(params, name, value)
  }
  const header = (name: string) => {
    const value = headers.get(name) ?? req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  // A version in the form counts like the header. If both are given, both must be valid.
  requireOldVersion(header('x-experience-api-version'), resource)
  const content = contents.get('content')
  if (content === undefined && (method === 'PUT' || method === 'POST')) {
    throw new Invalid('The form must have the body as "content".', {}, 'xapi.alternate')
  }
  const body = Buffer.from(content ?? '')
  return {
    method,
    resource,
    params,
    version: '1.0.3',
    // The form's own type says nothing about the type of `content`.
    header: (name) => (name === 'content-type' ? (headers.get(name) ?? 'application/json') : header(name)),
    body: async () => body,
  }
}

function requireOldVersion(version: string | undefined, resource: string): void {
  if (versionOf(version, resource) !== '1.0.3') {
    throw new Invalid('xAPI 2.0 has no alternate request syntax.', {}, 'xapi.alternate')
  }
}

/**
 * Reads a form. Anybody can make us read one, so it must be small unless the Authorization header is present, valid or
 * not, and it must have few fields.
 */
async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const bytes = req.headers.authorization
    ? await readBody(req)
    : await readBody(req, maxAnonymousForm, 'Without the Authorization header, a form may have at most 1 MB.')
  let fields = 1
  for (let at = bytes.indexOf('&'); at !== -1; at = bytes.indexOf('&', at + 1)) {
    if (++fields > maxFields) {
      throw new Invalid(`The form has more than ${maxFields} fields.`, {}, 'xapi.alternate')
    }
  }
  return readFields(utf8Of(bytes, 'The form'), 'The form')
}

/** Refuses invalid encoding, because URLSearchParams would turn it into a different text. */
function readFields(encoded: string, what: string): URLSearchParams {
  try {
    decodeURIComponent(encoded)
  } catch {
    throw new Invalid(`${what} is not percent-encoded UTF-8.`, {}, 'xapi.parameter')
  }
  return new URLSearchParams(encoded)
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

/** xAPI 1.0.3 communication 3.3: every request names its version, but `about` answers any version (2.8). */
function versionOf(header: string | undefined, resource: string): XapiVersion {
  if (header !== undefined && /^1\.0(\.\d+)?$/.test(header.trim())) return '1.0.3'
  if (header !== undefined && /^2\.0(\.\d+)?$/.test(header.trim())) return '2.0.0'
  if (resource === 'about') return '2.0.0'
  throw new Invalid(
    header === undefined
      ? 'The header X-Experience-API-Version is missing.'
      : 'The header X-Experience-API-Version must be 1.0.x or 2.0.x.',
    {},
    'xapi.version',
  )
}

async function readBody(
  req: IncomingMessage,
  maxBytes = env().XAPI_MAX_MB * megabyte,
  sentence = `The body is larger than ${env().XAPI_MAX_MB} MB.`,
): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw new TooLarge(sentence, 'xapi.too_large')
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop must leave the rest unread and the connection open for the answer.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new TooLarge(sentence, 'xapi.too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Refuses unknown parameters, so that a misspelled filter never returns everything. */
export function allowParams(request: XapiRequest, allowed: readonly string[]): void {
  for (const name of request.params.keys()) {
    if (!allowed.includes(name)) throw new Invalid(`This resource has no parameter ${name}.`, {}, 'xapi.parameter')
  }
}

export function requireParam(request: XapiRequest, name: string): string {
  const value = request.params.get(name)
  if (value === undefined || value === '') throw new Invalid(`The parameter ${name} is missing.`, {}, 'xapi.parameter')
  return value
}

export function parseJson(text: string, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Invalid(`${what} is not JSON.`, {}, 'xapi.json')
  }
  // 2.0 4.2.1, 1.0.3 data 2.2.
  if (repeatsKey(text, value)) throw new Invalid(`${what} has an object that uses a property twice.`, {}, 'xapi.json')
  return value
}

export function parseJsonBytes(bytes: Buffer, what: string): unknown {
  return parseJson(utf8Of(bytes, what), what)
}

/** 1.0.3 communication 1.4: UTF-8 and nothing else. */
function utf8Of(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Invalid(`${what} is not UTF-8.`, {}, 'xapi.json')
  }
}

export function unauthorized(): Forbidden {
  return new Forbidden('The key, token or secret is missing or not valid.', 'xapi.unauthorized')
}
