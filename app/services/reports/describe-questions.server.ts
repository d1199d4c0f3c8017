import { findReport } from '~/forms/report-list.ts'
import { type ReportChoice, type ReportQuestion, readReportQuestion } from '~/forms/reports.ts'
import { goneInWords, nameFilters } from '../audiences/narrow-people.server.ts'
import type { Ctx } from '../context.ts'
import { listUserReportFields } from '../users/report-fields.server.ts'
import { goneRows, nameRowFilters } from './narrow-rows.server.ts'

/** A question as it is stored. */
export type StoredQuestion = { path: string; question: ReportQuestion }

export type DescribedQuestion = {
  /** Null if it can no longer be asked at all. */
  choice: ReportChoice | null
  /** What people are of: "University of Basel", or "University of Basel (deleted)". */
  words: string[]
  /** What it names that no longer exists, in a sentence. */
  problem: string | null
  /** Whether that is the institution: another one can be chosen. */
  isInstitutionGone: boolean
}

/** Reads stored questions, whose audience or field may be gone. Two to five queries, whatever their number. */
export async function describeQuestions(ctx: Ctx, stored: StoredQuestion[]): Promise<DescribedQuestion[]> {
  if (stored.length === 0) return []
  const choices = stored.map(({ path, question }) => {
    const report = findReport(path)
    const read = report && readReportQuestion(report, question)
    return read?.ok ? read.choice : null
  })
  const hasFields = choices.some((choice) => choice && choice.fields.length > 0)
  const all = choices.map((choice) => choice?.filters ?? {})
  const [people, rows, fields] = await Promise.all([
    nameFilters(ctx, all),
    nameRowFilters(ctx, all),
    hasFields ? listUserReportFields(ctx) : [],
  ])
  const known = new Set(fields.map(({ id }) => id))
  return choices.map((choice, index) => {
    if (!choice) return { choice, words: [], problem: 'This report no longer exists.', isInstitutionGone: false }
    const words = [
      ...(people[index] ?? []).map(({ name, former }) => name ?? (former && `${former} (deleted)`)),
      ...(rows[index] ?? []).map(({ name }) => name),
    ]
    const gone = people[index]?.find(({ name }) => name === null)
    const goneRow = rows[index]?.find(({ name }) => name === null)
    const whatIsGone = gone ? goneInWords(gone.about) : goneRow && goneRows(goneRow.about)
    const hasGoneField = choice.fields.some((field) => !known.has(field))
    return {
      choice,
      words: words.flatMap((word) => word ?? []),
      problem: whatIsGone ?? (hasGoneField ? 'A field of this report no longer exists.' : null),
      isInstitutionGone: gone?.about === 'institution',
    }
  })
}
