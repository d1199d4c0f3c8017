import { useMemo, useState } from 'react'
import { applyPick, type PickStep } from '~/forms/picked.ts'
import type { PickItem } from './view.ts'

export type Chosen = {
  items: PickItem[]
  uids: ReadonlySet<string>
  /** The items that Clear removed, for Undo. */
  cleared: PickItem[]
  add: (items: PickItem[]) => void
  remove: (uid: string) => void
  clear: () => void
  undo: () => void
}

/** Keeps the chosen items, by the same rules as the server. */
export function usePicked(given: { chosen: PickItem[]; cleared: PickItem[] }, most: number): Chosen {
  const [{ items, cleared }, setPicked] = useState({ items: given.chosen, cleared: given.cleared })
  const uids = useMemo(() => new Set(items.map(({ uid }) => uid)), [items])
  const change = (step: PickStep, added: PickItem[] = []) =>
    setPicked((before) => {
      const known = new Map([...before.items, ...before.cleared, ...added].map((item) => [item.uid, item]))
      const itemsOf = (list: string[]) => list.flatMap((uid) => known.get(uid) ?? [])
      const uidsOf = (list: PickItem[]) => list.map(({ uid }) => uid)
      const after = applyPick({ chosen: uidsOf(before.items), cleared: uidsOf(before.cleared) }, step, most)
      return { items: itemsOf(after.chosen), cleared: itemsOf(after.cleared) }
    })
  return {
    items,
    uids,
    cleared,
    add: (added) => change({ kind: 'add', uids: added.map(({ uid }) => uid) }, added),
    remove: (uid) => change({ kind: 'remove', uid }),
    clear: () => change({ kind: 'clear' }),
    undo: () => change({ kind: 'undo' }),
  }
}
