/** The captions of a film, as they are stored. */
import { buffer } from 'node:stream/consumers'
import { type Cue, parseCues } from '~/lib/webvtt.ts'
import type { Ctx } from '../context.ts'
import { FileMissing, storage } from './storage.server.ts'

/** A stored captions file. */
export type CaptionsFile = { uid: string; storageKey: string; size: number }

/** Returns null if the file is not WebVTT. */
export async function readStoredCues(storageKey: string): Promise<Cue[] | null> {
  return parseCues((await buffer(await storage().read(storageKey))).toString('utf8'))
}

/** Reads cues for the transcript next to the film. Empty if it has no captions. */
export async function readCues(ctx: Ctx, file: CaptionsFile | null): Promise<Cue[]> {
  if (!file) return []
  try {
    return (await readStoredCues(file.storageKey)) ?? []
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error
    ctx.log.warn({ fileUid: file.uid }, 'captions are missing in storage')
    return []
  }
}
