import { maxParts, type Played, readPlayed, writePlayed } from '~/lib/played.ts'

/**
 * What was played while its viewer was signed out. It is kept in this tab only, and only for the person who watched, who
 * finds it counted once signed in again.
 */
type Whose = { uid: string; owner: string }
type Kept = { played: Played; positionSeconds: number }

const keyOf = (uid: string) => `played:${uid}`

export function keepPlayed(whose: Whose, { played, positionSeconds }: Kept): void {
  try {
    const kept = { owner: whose.owner, played: writePlayed(played.slice(0, maxParts)), positionSeconds }
    sessionStorage.setItem(keyOf(whose.uid), JSON.stringify(kept))
  } catch {
    // Without storage it is lost.
  }
}

/** Returns what was kept and removes it from storage. */
export function takePlayed({ uid, owner }: Whose): Kept | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(uid)) ?? '{}') as Record<string, unknown>
    if (kept.owner !== owner) return null
    sessionStorage.removeItem(keyOf(uid))
    const played = readPlayed(String(kept.played), null)
    return played && { played, positionSeconds: Number(kept.positionSeconds) }
  } catch {
    return null
  }
}
