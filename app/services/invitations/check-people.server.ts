/** Checks a file of people to invite: whom it would invite, and what is wrong in which cell. Writes nothing. */
import { type CellFixes, lineOfCell } from '~/forms/invited-lists.ts'
import { type InvitedRow, invitedColumns, invitedRowForm } from '~/forms/users.ts'
import { isFormula } from '~/lib/csv.ts'
import { checkCsv, textOfCell } from '~/lib/csv-import.server.ts'
import type { CsvFault, CsvReading } from '~/lib/csv-import.ts'
import { caseKey, cutText, isStorable } from '~/lib/text.ts'
import { listAccessPlans } from '../access/plans.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'
import { listMissingUniversities } from '../institutions/institutions.server.ts'
import { readUploadedCsv } from '../uploads/csv.server.ts'
import { type Invitee, listKnownAddresses, whyKnown } from '../users/create-users.server.ts'

export type PeopleFile = {
  csvPath: string
  mapping?: Record<string, string>
  fixes?: CellFixes
  /** The field that a refusal of the file belongs to. */
  field?: string
}

/** A row as the file has it, with corrections. `person` is null if something is wrong with it. */
export type PlannedRow = { line: number; cells: Record<string, string>; person: Invitee | null }

/** What a file of people would do. Rows and faults are in the order of their lines. */
export type InvitePlan = Omit<CsvReading, 'records' | 'faults'> & {
  rows: PlannedRow[]
  faults: CsvFault[]
  /** The names of the institutions that inviting the valid rows would add. */
  newInstitutions: string[]
}

const formulaReason =
  'This begins like a formula of a spreadsheet. If it is meant as text, put an apostrophe before it.'

/**
 * Reads and checks an uploaded file of people to invite, for admins. `plan` is null if its columns must be chosen first.
 * A value in `fixes` replaces the cell of the file; those that differ from it are returned.
 */
export async function checkPeople(ctx: Ctx, { csvPath, mapping, fixes: given, field = 'csvPath' }: PeopleFile) {
  requireAdmin(ctx)
  const result = await readUploadedCsv(ctx, { name: csvPath, field }, { columns: invitedColumns, mapping })
  if (!result.reading) return { plan: null, problem: result.problem, found: result.found }
  const fixes = realFixes(result.reading, given ?? new Map())
  const reading = withFixes(result.reading, fixes)
  const { records, faults: _, ...head } = reading
  const checked = checkCsv(reading, invitedRowForm, { unique: ['email'] })
  const faults = faultsByCell(reading, checked.faults)
  const valid = new Map(checked.valid.map(({ line, value }) => [line, value]))
  const everyPlan = await listAccessPlans(ctx)
  const plans = new Map(everyPlan.map(({ uid, name }) => [caseKey(name), uid]))
  const retired = new Set(everyPlan.filter(({ isRetired }) => isRetired).map(({ name }) => caseKey(name)))
  const emails = records.map(({ cells }) => cells.email ?? '').filter((email) => email !== '' && isStorable(email))
  const known = await listKnownAddresses(ctx, emails)
  for (const { line, cells } of records) {
    const { email = '', accessPlan = '' } = cells
    const taken = known.get(email)
    if (taken) faults.add(line, 'email', email, whyKnown(taken))
    const isAdmin = isYes(cells.isAdmin)
    if (accessPlan !== '' && !isAdmin && !plans.has(caseKey(accessPlan))) {
      faults.add(line, 'accessPlan', accessPlan, `There is no access plan “${cutText(accessPlan, 100)}”.`)
    }
    // People who are here already keep a retired plan, so a list of them needs no other fault.
    if (!taken && !isAdmin && retired.has(caseKey(accessPlan))) {
      faults.add(line, 'accessPlan', accessPlan, 'This access plan has been retired.')
    }
  }
  const found = faults.all()
  const faulty = new Set(found.map(({ line }) => line))
  const rows = new Map<number, PlannedRow>(found.map(({ line }) => [line, { line, cells: {}, person: null }]))
  for (const { line, cells } of records) {
    const value = faulty.has(line) ? undefined : valid.get(line)
    rows.set(line, { line, cells, person: value ? inviteeOf(value, plans) : null })
  }
  const inOrder = [...rows.values()].sort((one, other) => one.line - other.line)
  const names = [...new Set(inOrder.flatMap(({ person }) => person?.university ?? []))]
  const newInstitutions = await listMissingUniversities(ctx, { names })
  const plan: InvitePlan = { ...head, rows: inOrder, faults: found, newInstitutions }
  const { headings, headingOf } = plan
  return { plan, problem: null, found: { headings, headingOf }, fixes }
}

/** The same where nobody can choose columns. Throws Invalid if they are not clear. */
export async function planInvitations(ctx: Ctx, input: PeopleFile): Promise<InvitePlan> {
  const { plan, problem } = await checkPeople(ctx, input)
  if (!plan) throw new Invalid(problem, { csvPath: problem }, 'csv.columns')
  return plan
}

function isYes(value = ''): boolean {
  return ['true', 'yes', '1'].includes(value.trim().toLowerCase())
}

/** Leaves out what is the same as in the field of the cell: the form sends every faulty cell, corrected or not. */
function realFixes({ records }: CsvReading, fixes: CellFixes): CellFixes {
  const inFile = new Map(records.map(({ line, cells }) => [line, cells]))
  const real: CellFixes = new Map()
  for (const [line, values] of fixes) {
    const changed = Object.entries(values).filter(
      ([key, value]) => lineOfCell(inFile.get(line)?.[key] ?? '') !== lineOfCell(value),
    )
    if (changed.length > 0) real.set(line, Object.fromEntries(changed))
  }
  return real
}

/** Replaces cells by their corrections, and drops the faults of those cells. */
function withFixes(reading: CsvReading, fixes: CellFixes): CsvReading {
  if (fixes.size === 0) return reading
  const isFixed = ({ line, column }: CsvFault) =>
    Object.keys(fixes.get(line) ?? {}).some((key) => reading.headingOf[key] === column)
  return {
    ...reading,
    faults: reading.faults.filter((fault) => !isFixed(fault)),
    records: reading.records.map((record) => {
      const known = Object.entries(fixes.get(record.line) ?? {}).filter(([key]) => key in record.cells)
      if (known.length === 0) return record
      const fixed = new Set(known.map(([key]) => key))
      return {
        ...record,
        cells: {
          ...record.cells,
          ...Object.fromEntries(known.map(([key, value]) => [key, textOfCell(value, { isOurs: false })])),
        },
        formulas: [
          ...record.formulas.filter((key) => !fixed.has(key)),
          ...known.filter(([, value]) => isFormula(value)).map(([key]) => key),
        ],
      }
    }),
  }
}

/** Collects one fault for each cell: the first one that is found. Formulas come first. */
function faultsByCell({ records, headingOf }: CsvReading, checked: CsvFault[]) {
  const byCell = new Map<string, CsvFault>()
  const put = (fault: CsvFault) => {
    const cell = `${fault.line} ${fault.column ?? ''}`
    if (!byCell.has(cell)) byCell.set(cell, fault)
  }
  const add = (line: number, key: string, value: string, reason: string) =>
    put({ line, column: headingOf[key] ?? null, value: value.slice(0, 100), reason })
  for (const { line, cells, formulas } of records) {
    for (const key of formulas) add(line, key, cells[key] ?? '', formulaReason)
  }
  for (const fault of checked) put(fault)
  return { add, all: () => [...byCell.values()].sort((one, other) => one.line - other.line) }
}

function inviteeOf(row: InvitedRow, plans: Map<string, string>): Invitee {
  const { firstName, lastName, email, university, isAdmin = false, autoRenew, subscriptionDurationDays } = row
  const days = autoRenew ? null : subscriptionDurationDays
  const accessPlanUid = isAdmin ? null : (plans.get(caseKey(row.accessPlan)) ?? null)
  return { firstName, lastName, email, university, isAdmin, accessPlanUid, days }
}
