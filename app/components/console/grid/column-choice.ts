import { useEffect, useMemo, useState } from 'react'
import { useShell } from '../../layout/shell.ts'
import type { Column } from './types.ts'

type Remembered = { shown?: string[]; widths?: Record<string, number> }

export type ColumnChoice<Row> = {
  shown: Column<Row>[]
  /** In pixels, by column: those that somebody has dragged. */
  widths: Record<string, number>
  isUsual: boolean
  show: (columns: Column<Row>[]) => void
  resize: (id: string, width: number) => void
  reset: () => void
}

/** Which columns a person wants to see in a table, and how wide. This browser remembers it for each person and table. */
export function useColumnChoice<Row>(
  label: string,
  columns: readonly Column<Row>[],
  asked: string[],
): ColumnChoice<Row> {
  const place = `titrate.columns.${label}.${keyOf(useShell().viewer?.email ?? '')}`
  const [own, setOwn] = useState<Remembered>({})
  useEffect(() => setOwn(recall(place)), [place])
  const wanted = own.shown ?? asked
  const shown = useMemo(() => {
    const known = columns.filter(({ id, isLead }) => isLead || wanted.includes(id))
    return known.some(({ isLead }) => !isLead) ? known : [...columns]
  }, [columns, wanted])
  const change = (next: Remembered) => {
    setOwn(next)
    remember(place, next)
  }
  return {
    shown,
    widths: own.widths ?? noWidths,
    isUsual: shown.length === columns.length && own.widths === undefined,
    show: (next) => change({ ...own, shown: next.length === columns.length ? undefined : next.map(({ id }) => id) }),
    resize: (id, width) => change({ ...own, widths: { ...own.widths, [id]: Math.round(width) } }),
    reset: () => change({}),
  }
}

const noWidths: Record<string, number> = {}

function recall(place: string): Remembered {
  try {
    const { shown, widths } = JSON.parse(localStorage.getItem(place) ?? '{}') as Remembered
    return {
      ...(Array.isArray(shown) && { shown: shown.map(String) }),
      ...(typeof widths === 'object' && widths !== null && { widths }),
    }
  } catch {
    // What is no JSON, and a browser that stores nothing.
    return {}
  }
}

function remember(place: string, choice: Remembered): void {
  try {
    if (choice.shown || choice.widths) localStorage.setItem(place, JSON.stringify(choice))
    else localStorage.removeItem(place)
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** Tells people apart who share a browser, without leaving their addresses in it (FNV-1a). */
function keyOf(email: string): string {
  let hash = 0x811c9dc5
  for (const character of email) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}
