/** Captions of films. The file is read before the transaction that attaches the upload. */
import { transcriptOf } from '~/lib/webvtt.ts'
import type { Ctx } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { readStoredCues } from '../storage/captions.server.ts'
import { getUploadedFile } from './uploads.server.ts'

const kind = 'captions'
const field = 'captions'

type Captions = { fileUid: string; transcript: string }

/** Reads uploaded captions and makes the transcript from them. Storage may be far away, so call it without holding locks. */
export async function prepareCaptions(ctx: Ctx, input: { name: string }): Promise<Captions> {
  const { uid } = await getUploadedFile(ctx, { name: input.name, kind, field })
  const cues = await readStoredCues(uid)
  if (cues) return { fileUid: uid, transcript: transcriptOf(cues) }
  const sentence = 'The captions are not a WebVTT file.'
  throw new Invalid(sentence, { captions: sentence })
}

/** Confirms prepared captions in the transaction that attaches them, which protects the file from the sweep. */
export async function recordCaptions(ctx: Ctx, input: { name: string; prepared: Captions | null }): Promise<void> {
  const { uid } = await getUploadedFile(ctx, { name: input.name, kind, field })
  if (input.prepared?.fileUid !== uid) throw new NotFound()
}
