import { type Played, readPlayed, writePlayed } from '~/lib/played.ts'

/**
 * What was played while its viewer was signed out. It is kept in this tab only, and only for the person who watched, who
 * finds it counted once signed in again.
 */
type Whose = { uid: string; owner: string }
type Kept = { played: Played; positionSeconds: number }

const key = 'played'

export function keepPlayed(whose: Whose, { played, positionSeconds }: Kept): void {
  try {
    sessionStorage.setItem(key, JSON.stringify({ ...whose, played: writePlayed(played), positionSeconds }))
  } catch {
    // Without storage it is lost.
  }
}

/** Returns it once. */
export function takePlayed({ uid, owner }: Whose): Kept | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, unknown>
    if (kept.uid !== uid || kept.owner !== owner) return null
    sessionStorage.removeItem(key)
    const played = readPlayed(String(kept.played), null)
    return played && { played, positionSeconds: Number(kept.positionSeconds) }
  } catch {
    return null
  }
}
