/**
 * Serves package files, on content hosts only. The address itself is the permission (content-path.ts), and a module's
 * host serves no other module. On the app's own host name, on whichever port, there are none. No cookie is read or set,
 * and no query is made before the answer, except once a minute for the installation's keys. Package files may be hostile
 * to us and to other packages: they never share an origin with a session, and only our pages may frame them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contentModuleOf, contentProblem, isHostOfFiles } from '~/config/content.server.ts'
import { env } from '~/config/env.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { refuseFile, serveBytes } from '~/http/serve-file.server.ts'
import { touchLaunchesOfPackage } from '~/services/cmi5/cmi5.server.ts'
import { contentKeyPrefix, verifyContentPath } from '~/services/packages/content-path.ts'
import { contentTypeOf } from '~/services/packages/content-types.ts'
import { packageLimits } from '~/services/packages/limits.ts'
import { decodeSegment } from '~/services/packages/urls.ts'
import { verifyingKeys } from '~/services/sites/keys.server.ts'
import { type Storage, storage } from '~/services/storage/storage.server.ts'
import { onceAMinute } from './once-a-minute.ts'
import { baseContextOf } from './xapi/context.server.ts'

export type ContentOptions = {
  storage: Storage
  /** The installation's key; null on a host that has no files of modules. */
  key: string | null
  now: Date
  /** The module that the requested host belongs to; null on a host that modules share. */
  moduleUid: string | null
  /** The app's origins, whose pages frame units. */
  appOrigins: string[]
  /** True if content has no origin of its own. The browser then treats each document as an origin of its own. */
  isSandboxed: boolean
}

export async function handleContentFile(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const ctx = await baseContextOf(exchange)
  const asked = { path: pathOf(exchange.url), moduleUid: contentModuleOf(exchange.host), now: ctx.now }
  const [present = '', ...earlier] = await verifyingKeys(ctx.db, 'content_key')
  const key = earlier.find((one) => verifyContentPath(one, asked)) ?? present
  await serveContentFile(req, res, {
    storage: storage(),
    key: isHostOfFiles(exchange.host) ? key : null,
    now: ctx.now,
    moduleUid: asked.moduleUid,
    appOrigins: [env().SITE_ORIGIN, env().NS_SITE_ORIGIN],
    isSandboxed: env().CONTENT_ISOLATION === 'sandbox',
  })
  const read = res.statusCode < 400 && verifyContentPath(key, asked)
  if (read && asked.moduleUid === null) sayThatItIsShared(exchange)
  if (!read || !mayTouch(`${read.contentKey}/${read.userUid}`, ctx.now)) return
  await touchLaunchesOfPackage(ctx, read).catch((error) =>
    exchange.log.warn({ err: error }, 'last use was not recorded'),
  )
}

let isSaid = false

/** Says once that a browser could not resolve a module's own host. Where all modules share one, the start says so. */
function sayThatItIsShared(exchange: Exchange): void {
  if (isSaid || contentProblem() !== null) return
  isSaid = true
  exchange.log.warn(
    {},
    'a browser cannot reach the origin of a module, so it gets content from an origin that modules share; see docs/operations.md, Content',
  )
}

/** A learner who reads package files is active, although the page and the record store do not notice it. */
const mayTouch = onceAMinute()

/** Answers GET and HEAD for one file, with single ranges and conditional requests. Answers 404 for every other path. */
export async function serveContentFile(
  req: IncomingMessage,
  res: ServerResponse,
  options: ContentOptions,
): Promise<void> {
  setPolicies(res, options)
  if (req.method === 'OPTIONS') return answerPreflight(res)
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuseFile(res, 405, { Allow: 'GET, HEAD, OPTIONS' })
  const file = fileOf(req.url ?? '', options)
  const found = file && (await options.storage.stat(file.storageKey))
  if (!file || !found) return refuseFile(res, 404)

  await serveBytes(req, res, options.storage, {
    storageKey: file.storageKey,
    size: found.size,
    // Bytes under a content key never change, so the key and the length identify them.
    etag: `"${file.contentKey.replaceAll('-', '')}-${found.size.toString(36)}"`,
    contentType: contentTypeOf(file.storageKey),
    cacheControl: 'private, max-age=1209600, immutable',
  })
}

function fileOf(url: string, options: ContentOptions): { contentKey: string; storageKey: string } | null {
  const path = pathOf(url)
  const { key, moduleUid, now } = options
  const address = key === null ? null : verifyContentPath(key, { path, moduleUid, now })
  if (!address) return null
  const segments = address.rest.split('/').map(decodeSegment)
  const isPlain = segments.every((segment) => segment !== null && segment !== '' && segment !== '.' && segment !== '..')
  if (!isPlain || segments.some((segment) => Buffer.byteLength(segment ?? '') > 255) || path.length > 4000) return null
  const file = segments.join('/').normalize('NFC')
  if (file.length > packageLimits.pathLength) return null
  const { contentKey } = address
  return { contentKey, storageKey: `${contentKeyPrefix(contentKey)}${file}` }
}

function pathOf(url: string): string {
  return /^[^?#]*/.exec(url)?.[0] ?? ''
}

function setPolicies(res: ServerResponse, { appOrigins, isSandboxed, moduleUid }: ContentOptions): void {
  // 'self' is included because units frame their own pages, which then have the unit among their ancestors.
  const policies = [`frame-ancestors ${["'self'", ...appOrigins].join(' ')}`]
  if (isSandboxed) policies.push('sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads')
  res.setHeader('Content-Security-Policy', policies.join('; '))
  // Modules are subdomains of one domain. This keeps each in a process of its own and forbids document.domain.
  if (moduleUid !== null) res.setHeader('Origin-Agent-Cluster', '?1')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin')
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', 'Accept-Ranges, Content-Length, Content-Range, ETag')
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
}

function answerPreflight(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD')
  res.setHeader('Access-Control-Allow-Headers', 'Range, If-Range, If-None-Match, If-Match, X-Requested-With')
  res.setHeader('Access-Control-Max-Age', '86400')
  res.statusCode = 204
  res.end()
}
