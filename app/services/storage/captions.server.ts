/** The captions of a film, as they are stored. */
import { buffer } from 'node:stream/consumers'
import { type Cue, parseCues } from '~/lib/webvtt.ts'
import type { Ctx } from '../context.ts'
import { FileMissing, storage } from './storage.server.ts'

/** A stored captions file. */
export type CaptionsFile = { uid: string; storageKey: string; size: number }

/** Reads a small stored text whole. */
export async function readStoredText(storageKey: string): Promise<string> {
  return (await buffer(await storage().read(storageKey))).toString('utf8')
}

/** Reads the cues of a film's captions. Empty if they are gone or are none, since the film can be watched without. */
export async function readStoredCues(ctx: Ctx, file: Pick<CaptionsFile, 'uid' | 'storageKey'>): Promise<Cue[]> {
  try {
    return parseCues(await readStoredText(file.storageKey)) ?? []
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error
    ctx.log.warn({ fileUid: file.uid }, 'captions are missing in storage')
    return []
  }
}
