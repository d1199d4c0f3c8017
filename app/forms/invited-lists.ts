/** A list of people to invite, from a CSV file. */
import { z } from 'zod'
import { tick } from './optional-fields.ts'
import { textField } from './text.ts'

export const csvRequired = 'CSV file is required'

/** The name of the uploaded file's field, in forms and addresses. */
export const peopleField = 'people'

/** The form's field for the corrected value of a cell. */
export function fixField(line: number, key: string): string {
  return `fix-${line}-${key}`
}

/** The value of a cell in its field, which has one line: a browser sends it on without line breaks. */
export function lineOfCell(value: string): string {
  return value.replace(/[\r\n]+/g, ' ')
}

/** The corrected cells of a form, by line and column. */
export type CellFixes = Map<number, Record<string, string>>

export function fixesIn(form: Iterable<[string, unknown]>): CellFixes {
  const fixes: CellFixes = new Map()
  for (const [name, value] of form) {
    const [, line, key] = /^fix-(\d{1,6})-(\w{1,40})$/.exec(name) ?? []
    if (!line || !key || typeof value !== 'string') continue
    fixes.set(Number(line), { ...fixes.get(Number(line)), [key]: value })
  }
  return fixes
}

export const invitedListForm = z.object({ people: textField({ max: 300 }).optional(), remind: tick })

/** How many rows of a list are on one page. */
export const rowsOnPage = 50

export type RowsShown = { show: 'faulty' | 'all'; page: number }

/** The intent of a button that checks the list and shows these rows of it. */
export function showIntent({ show, page }: RowsShown): string {
  return `check-${show}-${page}`
}

/** Reads what a button wants to see; the first faulty rows for any other intent. */
export function rowsShownOf(intent: string): RowsShown {
  const [, show, page] = /^check-(faulty|all)-(\d{1,6})$/.exec(intent) ?? []
  return { show: show === 'all' ? 'all' : 'faulty', page: Math.max(1, Number(page ?? 1)) }
}
