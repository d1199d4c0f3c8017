/** What lies beside a film: its cover and its captions. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { uploadRules } from '~/forms/uploads.ts'
import { type Cue, parseCues, transcriptOf } from '~/lib/webvtt.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { createStoredFile, discardFile, fileIdOf, type ReceivedFile, receiveFile } from './files.server.ts'
import { createDerivative, type Derivative, makeCover } from './images.server.ts'
import { FileMissing, storage } from './storage.server.ts'

/** Where the bytes of captions are, and which they are. */
export type CaptionsFile = { uid: string; storageKey: string; size: number }

const maxCaptionsBytes = 500_000

export type FilmFiles = { cover: Derivative; captions: ReceivedFile | null; transcript: string | null }

export type GivenFilmFiles = {
  /** A PNG. */
  cover: Readable
  /** A WebVTT file's text; the transcript is made of it. */
  captions: string | null
}

/**
 * Takes the files in, then writes the film in one transaction. Where `write` throws or says that the film was there already, nothing of them
 * is left, but for the cover, which is swept after a day.
 */
export async function withFilmFiles(
  ctx: Ctx,
  given: GivenFilmFiles,
  write: (ctx: Ctx, files: FilmFiles) => Promise<boolean>,
): Promise<void> {
  const files = await receiveFilmFiles(ctx, given)
  let isWritten = false
  try {
    isWritten = await inTransaction(ctx, (ctx) => write(ctx, files))
  } finally {
    if (files.captions && !isWritten) await discardFile(files.captions)
  }
}

async function receiveFilmFiles(ctx: Ctx, given: GivenFilmFiles): Promise<FilmFiles> {
  const cues = given.captions === null ? null : parseCues(given.captions)
  if (given.captions !== null && cues === null) throw new Invalid('The captions are no WebVTT file.')
  const original = await receiveFile(given.cover, {
    kind: 'cover_img',
    fileName: 'cover.png',
    contentType: 'image/png',
    maxBytes: uploadRules.cover_img.maxBytes,
  })
  await createStoredFile(ctx, original)
  const cover = await makeCover(ctx, { fileUid: original.uid })
  const captions =
    given.captions === null
      ? null
      : await receiveFile(Readable.from([Buffer.from(given.captions)]), {
          kind: 'captions',
          fileName: 'captions.vtt',
          contentType: 'text/vtt; charset=utf-8',
          maxBytes: maxCaptionsBytes,
        })
  return { cover, captions, transcript: cues && transcriptOf(cues) }
}

/** In the transaction that attaches them; the columns of the film that refer to them. */
export async function recordFilmFiles(ctx: Ctx, { cover, captions }: FilmFiles) {
  await createDerivative(ctx, cover)
  if (captions) await createStoredFile(ctx, captions)
  return { cover_file_id: fileIdOf(ctx, cover.originalUid), captions_file_id: fileIdOf(ctx, captions?.uid ?? null) }
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
