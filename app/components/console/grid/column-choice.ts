import { useEffect, useMemo, useState } from 'react'
import { useShell } from '../../layout/shell.ts'
import type { Column } from './types.ts'

type StoredChoice = { shown?: string[]; widths?: Record<string, number> }

export type ColumnChoice<Row> = {
  shown: Column<Row>[]
  /** The widths of resized columns, in pixels by column id. */
  widths: Record<string, number>
  isUsual: boolean
  show: (columns: Column<Row>[]) => void
  resize: (id: string, width: number) => void
  reset: () => void
}

/**
 * Tracks which columns a person shows in a table, and their widths. The browser remembers them per person and table.
 */
export function useColumnChoice<Row>(
  label: string,
  columns: readonly Column<Row>[],
  asked: string[],
): ColumnChoice<Row> {
  const storageKey = `titrate.columns.${label}.${keyOf(useShell().viewer?.email ?? '')}`
  const [own, setOwn] = useState<StoredChoice>({})
  useEffect(() => setOwn(readChoice(storageKey)), [storageKey])
  const wanted = own.shown ?? asked
  const usual = useMemo(() => columns.filter(({ isExtra }) => !isExtra), [columns])
  const shown = useMemo(() => {
    const known = columns.filter(({ id, isLead }) => isLead || wanted.includes(id))
    return known.some(({ isLead }) => !isLead) ? known : usual
  }, [columns, usual, wanted])
  const change = (next: StoredChoice) => {
    setOwn(next)
    storeChoice(storageKey, next)
  }
  return {
    shown,
    widths: own.widths ?? noWidths,
    isUsual: isSame(shown, usual) && own.widths === undefined,
    show: (next) => change({ ...own, shown: isSame(next, usual) ? undefined : next.map(({ id }) => id) }),
    resize: (id, width) => change({ ...own, widths: { ...own.widths, [id]: Math.round(width) } }),
    reset: () => change({}),
  }
}

function isSame<Row>(some: Column<Row>[], others: Column<Row>[]): boolean {
  return some.length === others.length && some.every((column, index) => column === others[index])
}

const noWidths: Record<string, number> = {}

/** The widths in pixels that a column can be resized to. */
export const columnLimits = { least: 20, most: 2000 }

function readChoice(storageKey: string): StoredChoice {
  try {
    return parseChoice(localStorage.getItem(storageKey) ?? '{}')
  } catch {
    // The stored text is not JSON, or the browser allows no storage.
    return {}
  }
}

/** Reads a stored choice. Widths that the table cannot have are left out. */
export function parseChoice(text: string): StoredChoice {
  const { shown, widths } = JSON.parse(text) as StoredChoice
  const valid = Object.entries(widths ?? {}).filter(([, width]) => isWidth(width))
  return {
    ...(Array.isArray(shown) && { shown: shown.map(String) }),
    ...(valid.length > 0 && { widths: Object.fromEntries(valid) }),
  }
}

function isWidth(width: unknown): boolean {
  return typeof width === 'number' && width >= columnLimits.least && width <= columnLimits.most
}

function storeChoice(storageKey: string, choice: StoredChoice): void {
  try {
    if (choice.shown || choice.widths) localStorage.setItem(storageKey, JSON.stringify(choice))
    else localStorage.removeItem(storageKey)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** Hashes the address (FNV-1a), to separate people who share a browser without storing their addresses in it. */
function keyOf(email: string): string {
  let hash = 0x811c9dc5
  for (const character of email) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}
