/** What lies beside a film: its cover and its captions. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { uploadRules } from '~/forms/uploads.ts'
import { type Cue, parseCues, transcriptOf } from '~/lib/webvtt.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { createStoredFile, discardFile, type ReceivedFile, receiveFile } from './files.server.ts'
import { createDerivative, type Derivative, makeCover } from './images.server.ts'
import { FileMissing, storage } from './storage.server.ts'

/** Where the bytes of captions are, and which they are. */
export type CaptionsFile = { uid: string; storageKey: string; size: number }

const maxCaptionsBytes = 500_000

export type FilmFiles = { cover: Derivative; captions: ReceivedFile | null; transcript: string | null }

/** Before the transaction. Unless `recordFilmFiles` comes to pass, call `discardFilmFiles`; the cover is swept after a day. */
export async function receiveFilmFiles(
  ctx: Ctx,
  files: { cover: Readable; captions: string | null },
): Promise<FilmFiles> {
  const cues = files.captions === null ? null : parseCues(files.captions)
  if (files.captions !== null && cues === null) throw new Invalid('The captions are no WebVTT file.')
  const original = await receiveFile(files.cover, {
    kind: 'cover_img',
    fileName: 'cover.png',
    contentType: 'image/png',
    maxBytes: uploadRules.cover_img.maxBytes,
  })
  await createStoredFile(ctx, original)
  const cover = await makeCover(ctx, { fileUid: original.uid })
  const captions =
    files.captions === null
      ? null
      : await receiveFile(Readable.from([Buffer.from(files.captions)]), {
          kind: 'captions',
          fileName: 'captions.vtt',
          contentType: 'text/vtt; charset=utf-8',
          maxBytes: maxCaptionsBytes,
        })
  return { cover, captions, transcript: cues && transcriptOf(cues) }
}

/** In the transaction that attaches them. */
export async function recordFilmFiles(ctx: Ctx, files: FilmFiles): Promise<void> {
  await createDerivative(ctx, files.cover)
  if (files.captions) await createStoredFile(ctx, files.captions)
}

export async function discardFilmFiles(files: FilmFiles): Promise<void> {
  if (files.captions) await discardFile(files.captions)
}

/** For the transcript beside the film; empty where there are none. */
export async function readCues(ctx: Ctx, file: CaptionsFile | null): Promise<Cue[]> {
  if (!file) return []
  try {
    return parseCues((await buffer(await storage().read(file.storageKey))).toString('utf8')) ?? []
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error
    ctx.log.warn({ fileUid: file.uid }, 'captions are missing in storage')
    return []
  }
}
