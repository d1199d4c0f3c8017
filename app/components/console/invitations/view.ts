/** What the pages about invitations show. */
import type { CsvHeadings, CsvReading } from '~/lib/csv-import.ts'
import type { Option } from '../../ui/choice-fields.tsx'
import type { BulkView } from '../bulk/view.ts'
import type { SentFile } from '../send-file.ts'

/** What the dialog for one person offers. */
export type InviteChoices = {
  plans: Option[]
  universities: string[]
  /** The name of the site’s default institution; empty without any. */
  defaultUniversity: string
}

/** One cell of a row. `reason`: what is wrong with it; null if nothing is. */
export type CheckedCell = { key: string; value: string; reason: string | null }

export type CheckedRow = {
  line: number
  cells: CheckedCell[]
  /** What is wrong with the row as a whole; it can only be corrected in the file. */
  problem: string | null
}

/** What the check of a list has found. Nothing has been written yet. */
export type ListReport = Pick<CsvReading, 'encoding' | 'ignored'> & {
  /** Stands for the file, the corrections and the faults, so that nobody invites what they have not seen. */
  seen: string
  /** True if somebody wanted to invite, and something was not as at the last check. */
  isCheckedAgain: boolean
  /** One uid for each check, so that a double click begins one list. */
  listUid: string
  total: number
  valid: number
  /** What inviting the valid rows would add: how many institutions, and the first of their names. */
  newInstitutions: { total: number; names: string[] }
  faultCount: number
  faultyRows: number
  /** The address of a CSV file with all faults. */
  download: string
  /** The headings of the table, by column. */
  headings: { key: string; heading: string }[]
  show: 'faulty' | 'all'
  page: number
  pages: number
  rows: CheckedRow[]
  /** Corrections of rows that this page does not show. */
  otherFixes: { name: string; value: string }[]
  /** How many cells have been corrected here. */
  fixCount: number
}

/** The answer to a check: the columns must be chosen first (`problem`), or what was found. */
export type ListCheck = { file: SentFile; found: CsvHeadings } & (
  | { problem: string; report: null }
  | { problem: null; report: ListReport }
)

export type InvitedListView = {
  operation: BulkView
  fileName: string
  leftOut: number
  /** How many accounts could still be withdrawn. */
  withdrawable: number
  withdrawal: BulkView | null
}

/** A line in the table of lists. */
export type InvitedListLine = {
  uid: string
  fileName: string
  createdOn: string
  status: string
  invited: number
  total: number
  /** How many have not registered yet. */
  waiting: number
}
