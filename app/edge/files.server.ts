/**
 * Serves uploaded files on the app hosts. `/files/{name}` is an original, as an attachment, for its uploader and staff.
 * `/images/{uid}.webp` is a picture that we re-encoded, for anyone who has the address.
 * `/captions/{lectures|videos}/{uid}.{language}.vtt` are a film's captions, without a language those that are shown by
 * default, and `/film-files/{lectures|videos}/{uid}.mp4` is the film itself, if it was uploaded: both for people who may
 * open the film. None of them can run, frame or load anything.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isHomeFilm } from '~/config/home.ts'
import { anonymousContextOf, contextOf } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { previewingContextOf } from '~/http/preview-cookie.server.ts'
import { attachment, refuseFile, serveBytes, serveText } from '~/http/serve-file.server.ts'
import { readFilmFileAddress } from '~/lib/film-address.ts'
import { isFilmPlayable } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { getCaptionsToServe, getFilmFileToServe } from '~/services/films/watch-media.server.ts'
import { storage } from '~/services/storage/storage.server.ts'
import { getFileToServe, getImageToServe, type ServedFile } from '~/services/uploads/uploads.server.ts'

const aYear = 'public, max-age=31536000, immutable'
/** The browser asks again each time, since access can change and several people may share a machine. */
const askAgain = 'private, no-cache'

export async function handleFile(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const name = /^\/files\/([^/?]+)\/?(?:\?|$)/.exec(exchange.url)?.[1] ?? ''
  await serve(req, res, async () => {
    const file = await getFileToServe(await contextOf(exchange), { name })
    res.setHeader('Content-Disposition', attachment(file.originalFileName))
    return { file, cacheControl: askAgain }
  })
}

export async function handleImage(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  // These pictures are for everybody, and pages of the same server under another name show them too.
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  const uid = /^\/images\/([^/?]+)\.webp(?:\?|$)/.exec(exchange.url)?.[1] ?? ''
  await serve(req, res, async () => {
    const ctx: Ctx = await anonymousContextOf(exchange)
    return { file: await getImageToServe(ctx, { uid }), cacheControl: aYear }
  })
}

export async function handleCaptions(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const [, kind, uid = '', language = null] =
    /^\/captions\/(lecture|video)s\/([^/?.]+)(?:\.([a-zA-Z-]{2,20}))?\.vtt(?:\?|$)/.exec(exchange.url) ?? []
  await serve(req, res, async () => {
    const ctx = await previewingContextOf(exchange)
    const film = { kind: kind === 'lecture' ? ('lecture' as const) : ('video' as const), uid }
    const captions = await getCaptionsToServe(ctx, { ...film, language })
    const contentType = 'text/vtt; charset=utf-8'
    if (captions.kind === 'file') return { file: { ...captions.file, contentType }, cacheControl: askAgain }
    return { text: captions.text, etag: `"${captions.hash}"`, contentType, cacheControl: askAgain }
  })
}

export async function handleFilmFile(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  const film = readFilmFileAddress(exchange.url.split('?', 1)[0] ?? '')
  await serve(req, res, async () => {
    if (!film) throw new NotFound()
    const file = await getFilmFileToServe(await previewingContextOf(exchange), film)
    return { file, cacheControl: askAgain }
  })
}

/** True for films of the home page, and for films of lectures and videos that this person may open. */
export async function mayFetchFilm(exchange: Exchange, address: string): Promise<boolean> {
  return isHomeFilm(address) || isFilmPlayable(await previewingContextOf(exchange), { address })
}

type Served = { cacheControl: string } & ({ file: Bytes } | { text: string; etag: string; contentType: string })
type Bytes = Pick<ServedFile, 'uid' | 'storageKey' | 'size' | 'contentType'>

async function serve(req: IncomingMessage, res: ServerResponse, find: () => Promise<Served>): Promise<void> {
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuseFile(res, 405, { Allow: 'GET, HEAD' })
  try {
    const found = await find()
    if ('text' in found) return serveText(req, res, found)
    const { file, cacheControl } = found
    const { storageKey, size, contentType } = file
    if (!(await storage().stat(storageKey))) throw new NotFound()
    const etag = `"${file.uid.replaceAll('-', '')}"`
    await serveBytes(req, res, storage(), { storageKey, size, etag, contentType, cacheControl })
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    refuseFile(res, 404)
  }
}
