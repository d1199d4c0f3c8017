/**
 * The fields of an audience's dialog. Each condition is a row with a key: `conditions` lists the keys in order, and the
 * fields of a row begin with its key (`c1-about`, `c1-how`, `c1-values`, `c1-days`, `c1-none`). So rows can be added and
 * removed by plain buttons, and the others keep what was typed.
 */
import { z } from 'zod'
import { type About, audienceForm, type Condition, conditionForm, isAbout, isPicked } from './audiences.ts'
import { isPickerState, readUids } from './picked.ts'
import { noneOfThem } from './user-tables.ts'

/** A posted form, where a name that came more than once is a list. */
type Values = Record<string, unknown>

export const rowsField = 'conditions'
/** What the next condition is about, for the button that adds it. */
export const addField = 'add-about'
export const addIntent = 'add'
export const countIntent = 'count'
/** The number of days in a new condition. */
export const usualDays = '30'
const removeIntent = 'remove:'

export function removeIntentOf(key: string): string {
  return removeIntent + key
}

export function fieldOfRow(key: string, field: 'about' | 'how' | 'values' | 'days' | 'none'): string {
  return `${key}-${field}`
}

/** A row as it was typed, right or wrong. `hasNone`: the box for people who have no institution. */
export type TypedRow = {
  key: string
  about: About
  how: string
  values: string[]
  hasNone: boolean
  days: string
}

const keyPattern = /^c\d{1,6}$/
/** Far more than the conditions of a rule, so that one too many can be reported. */
const mostRows = 50

/** Reads the rows of a form. Rows that make no sense are left out. */
export function readRows(values: Values): TypedRow[] {
  const keys = textsOf(values[rowsField]).filter((key) => keyPattern.test(key))
  return [...new Set(keys)].slice(0, mostRows).flatMap((key) => {
    const of = (field: Parameters<typeof fieldOfRow>[1]) => textsOf(values[fieldOfRow(key, field)])
    const [about] = of('about')
    if (!isAbout(about)) return []
    const given = of('values')
    return {
      key,
      about,
      how: of('how')[0] ?? '',
      values: isPicked(about) ? readUids(given.join(' ')) : given,
      hasNone: of('none').length > 0,
      days: of('days')[0] ?? '',
    }
  })
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((one): one is string => typeof one === 'string' && one !== '')
}

/** The condition of a row, unchecked. */
export function conditionOfRow({ about, how, values, hasNone, days }: TypedRow): Record<string, unknown> {
  const isInstitution = about === 'institution'
  return { about, how, values: isInstitution && hasNone ? [...values, noneOfThem] : values, days }
}

/** The fields that a stored rule has in the form. `first` is the number of the first key. */
export function rowsOfRule(conditions: Condition[], first = 1): TypedRow[] {
  return conditions.map((condition, index) => {
    const values = 'values' in condition ? condition.values : []
    const isInstitution = condition.about === 'institution'
    return {
      key: `c${first + index}`,
      about: condition.about,
      how: condition.how,
      values: isInstitution ? values.filter((value) => value !== noneOfThem) : values,
      hasNone: isInstitution && values.includes(noneOfThem),
      days: 'days' in condition && condition.days !== null ? String(condition.days) : '',
    }
  })
}

/** The values that rows post, by the names of their inputs. */
export function valuesOfRows(rows: TypedRow[]): Record<string, string | string[]> {
  const fields = rows.flatMap((row): [string, string | string[]][] => [
    [fieldOfRow(row.key, 'about'), row.about],
    [fieldOfRow(row.key, 'how'), row.how],
    [fieldOfRow(row.key, 'values'), isPicked(row.about) ? row.values.join(' ') : row.values],
    [fieldOfRow(row.key, 'none'), row.hasNone ? 'on' : []],
    [fieldOfRow(row.key, 'days'), row.days],
  ])
  return { [rowsField]: rows.map(({ key }) => key), ...Object.fromEntries(fields) }
}

/** The number after the highest key of these rows. */
export function nextRowNumber(rows: TypedRow[]): number {
  return Math.max(0, ...rows.map(({ key }) => Number(key.slice(1)))) + 1
}

export type RowStep = { kind: 'add'; about: About } | { kind: 'remove'; key: string }

/** What a button of the form does to its rows; null for other buttons. */
export function rowStepOf(intent: string, about: string): RowStep | null {
  if (intent === addIntent && isAbout(about)) return { kind: 'add', about }
  return intent.startsWith(removeIntent) ? { kind: 'remove', key: intent.slice(removeIntent.length) } : null
}

/** True for a field of a row that is part of the rule. */
export function isFieldOfRule(field: string): boolean {
  return (field === rowsField || /^c\d+-/.test(field)) && !isPickerState(field)
}

/** The form of the dialog. Its result is what services take; its messages have the names of the fields. */
export const audienceDialogForm = z.record(z.unknown()).transform((values, issues): z.output<typeof audienceForm> => {
  const rows = readRows(values)
  const checked = rows.map((row) => conditionForm.safeParse(conditionOfRow(row)))
  for (const [index, row] of rows.entries()) {
    for (const issue of checked[index]?.error?.issues ?? []) {
      const [field = 'how'] = issue.path
      issues.addIssue({ ...issue, path: [fieldOfRow(row.key, field as 'how')] })
    }
  }
  const isRight = checked.every(({ success }) => success)
  const whole = audienceForm.safeParse({
    name: values.name ?? '',
    conditions: checked.flatMap((result) => (result.success ? [result.data] : [])),
  })
  if (whole.success && isRight) return whole.data
  for (const issue of whole.error?.issues ?? []) {
    const [field] = issue.path
    // A rule without a single right condition has been reported by its rows.
    if (field === 'name' || isRight) issues.addIssue(issue)
  }
  return z.NEVER
})

/** The rule of a form or an address; null if it is not complete. */
export function findRule(values: Values): Condition[] | null {
  const parsed = audienceDialogForm.safeParse({ ...values, name: 'A rule' })
  return parsed.success ? parsed.data.conditions : null
}
