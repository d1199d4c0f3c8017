import { maxParts, type Played, readPlayed, writePlayed } from '~/lib/played.ts'

/**
 * What was played and has not been recorded: while its viewer was signed out, or because the page is being loaded again
 * before it could arrive. It is kept in this tab only, and only for the person who watched, who finds it counted.
 */
type Whose = { uid: string; owner: string }
type Kept = { played: Played; positionSeconds: number }

const keyOf = (uid: string) => `played:${uid}`

/** With `seconds`, it is kept only so long. */
export function keepPlayed(
  whose: Whose,
  { played, positionSeconds }: Kept,
  { seconds }: { seconds?: number } = {},
): void {
  try {
    const until = seconds === undefined ? null : Date.now() + seconds * 1000
    const kept = { owner: whose.owner, played: writePlayed(played.slice(0, maxParts)), positionSeconds, until }
    sessionStorage.setItem(keyOf(whose.uid), JSON.stringify(kept))
  } catch {
    // Without storage it is lost.
  }
}

function findPlayed({ uid, owner }: Whose): (Kept & { isForReload: boolean }) | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(uid)) ?? '{}') as Record<string, unknown>
    const isForReload = kept.until != null
    if (kept.owner !== owner || (isForReload && !(Number(kept.until) > Date.now()))) return null
    const played = readPlayed(String(kept.played), null)
    return played && { played, positionSeconds: Number(kept.positionSeconds), isForReload }
  } catch {
    return null
  }
}

/** Returns where the film was when its page was loaded again, in seconds; null at any other time, and on the server. */
export function placeBeforeReload(whose: Whose): number | null {
  const kept = findPlayed(whose)
  return kept?.isForReload ? kept.positionSeconds : null
}

/** Returns what was kept and removes it from storage. */
export function takePlayed(whose: Whose): Kept | null {
  const kept = findPlayed(whose)
  if (kept) sessionStorage.removeItem(keyOf(whose.uid))
  return kept
}
