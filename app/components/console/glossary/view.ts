import type { CsvHeadings } from '~/lib/csv-import.ts'
import type { CsvReport } from '../csv/csv-report.tsx'
import type { SentFile } from '../send-file.ts'

/** A term in the console's list. `address` is its public page, with the site's origin. */
export type TermRow = { uid: string; name: string; definition: string; letter: string; address: string }

export type GlossaryPageView = {
  headline: string
  description: string
  letters: { letter: string; total: number }[]
  terms: TermRow[]
  /** The number of terms in the search, the letter or the whole list. */
  total: number
  page: number
  size: number
}

/** The form of the heading; null while it is only shown. */
export type SettingsForm = { headline: string; description: string; revision: number } | null

/** What the check of a file answers. `problem`: it is not clear which of its columns are which. */
export type TermsCheck = { file: SentFile; found: CsvHeadings } & (
  | { problem: string }
  | { report: CsvReport; plan: ImportPlanView }
)

export type ImportPlanView = {
  /** Sent with the import, which does only what somebody has seen. */
  seen: string
  created: number
  changed: number
  unchanged: number
  /** The first of the changed terms. */
  examples: {
    line: number
    before: { name: string; definition: string }
    after: { name: string; definition: string }
  }[]
}
