/**
 * Drafts in this browser's storage. They are there at once after each change, so a crash of the browser loses nothing.
 * The same drafts are sent to the server, for other devices.
 */
import { type DraftFields, type DraftKind, newDraftsOf } from '~/forms/draft-fields.ts'

export type KeptDraft = { formKey: string; fields: DraftFields; typedAt: number }

const prefix = 'titrate.draft|'

export function keepDraftHere(owner: string, { formKey, ...draft }: KeptDraft): void {
  const text = JSON.stringify({ owner, ...draft })
  try {
    localStorage.setItem(prefix + formKey, text)
  } catch {
    // The storage is full or not allowed. The oldest drafts make room; without storage, only the server has them.
    for (const key of draftKeys().slice(0, -3)) dropHere(key)
    try {
      localStorage.setItem(prefix + formKey, text)
    } catch {}
  }
}

/** Finds the draft of a form that this person typed in this browser. */
export function findDraftHere(owner: string, formKey: string): KeptDraft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(prefix + formKey) ?? 'null') as (KeptDraft & { owner: string }) | null
    if (kept?.owner !== owner || !Array.isArray(kept.fields)) return null
    return { formKey, fields: kept.fields, typedAt: Number(kept.typedAt) || 0 }
  } catch {
    return null
  }
}

/** Finds the latest draft of a new thing of this kind. */
export function findNewDraftHere(owner: string, kind: DraftKind): KeptDraft | null {
  const found = draftKeys()
    .map((key) => key.slice(prefix.length))
    .filter((formKey) => formKey.startsWith(newDraftsOf(kind)))
    .flatMap((formKey) => findDraftHere(owner, formKey) ?? [])
  return found.at(-1) ?? null
}

export function dropDraftHere(formKey: string): void {
  dropHere(prefix + formKey)
}

function dropHere(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {}
}

/** The keys of all drafts in this browser, the oldest first. */
function draftKeys(): string[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    const typedAt = (key: string) => {
      try {
        return Number((JSON.parse(localStorage.getItem(key) ?? '{}') as KeptDraft).typedAt) || 0
      } catch {
        return 0
      }
    }
    return keys
      .map((key) => ({ key, at: typedAt(key) }))
      .sort((a, b) => a.at - b.at)
      .map(({ key }) => key)
  } catch {
    return []
  }
}
