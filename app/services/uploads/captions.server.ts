import { transcriptOf } from '~/lib/webvtt.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { readStoredCues } from '../storage/captions.server.ts'
import { getUploadedFile } from './uploads.server.ts'

export type Captions = { fileUid: string; transcript: string }

/** Reads uploaded captions in the transaction that attaches them to a film, and makes the transcript from them. */
export async function readUploadedCaptions(ctx: Ctx, input: { name: string }): Promise<Captions> {
  const file = await getUploadedFile(ctx, { name: input.name, kind: 'captions', field: 'captions' })
  const cues = await readStoredCues(file.uid)
  if (cues) return { fileUid: file.uid, transcript: transcriptOf(cues) }
  const sentence = 'The captions are not a WebVTT file.'
  throw new Invalid(sentence, { captions: sentence })
}
