/** Apart from lib/webvtt.ts, so that learners' pages do not load the reader of captions. */
import type { Cue } from './webvtt.ts'

/** The cue at a moment: the last one that has started; -1 before the first. */
export function cueIndexAt(cues: Pick<Cue, 'from'>[], seconds: number): number {
  return cues.findLastIndex(({ from }) => from <= seconds + 0.05)
}
