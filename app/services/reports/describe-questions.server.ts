import { findReport } from '~/forms/report-list.ts'
import { type ReportChoice, type ReportQuestion, readReportQuestion } from '~/forms/reports.ts'
import { goneInWords, nameFilters } from '../audiences/narrow-people.server.ts'
import type { Ctx } from '../context.ts'
import { listUserReportFields } from '../users/report-fields.server.ts'
import { nameFilms } from './name-films.server.ts'
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

/** Reads stored questions, whose audience, film or field may be gone. Two to six queries, whatever their number. */
export async function describeQuestions(ctx: Ctx, stored: StoredQuestion[]): Promise<DescribedQuestion[]> {
  if (stored.length === 0) return []
  const choices = stored.map(({ path, question }) => {
    const report = findReport(path)
    const read = report && readReportQuestion(report, question)
    return read?.ok ? read.choice : null
  })
  const filmUids = stored.map(({ path }, index) => {
    const isOfFilm = findReport(path)?.one === 'film'
    return (isOfFilm && choices[index]?.uid) || null
  })
  const hasFields = choices.some((choice) => choice && choice.fields.length > 0)
  const all = choices.map((choice) => choice?.filters ?? {})
  const [films, people, rows, fields] = await Promise.all([
    nameFilms(
      ctx,
      filmUids.filter((uid) => uid !== null),
    ),
    nameFilters(ctx, all),
    nameRowFilters(ctx, all),
    hasFields ? listUserReportFields(ctx) : [],
  ])
  const known = new Set(fields.map(({ id }) => id))
  return choices.map((choice, index) => {
    if (!choice) return { choice, words: [], problem: 'This report no longer exists.', isInstitutionGone: false }
    const filmUid = filmUids[index] ?? null
    const film = filmUid === null ? null : (films.get(filmUid) ?? null)
    const words = [
      film,
      ...(people[index] ?? []).map(({ name, former }) => name ?? (former && `${former} (deleted)`)),
      ...(rows[index] ?? []).map(({ name }) => name),
    ]
    const gone = people[index]?.find(({ name }) => name === null)
    const goneRow = rows[index]?.find(({ name }) => name === null)
    const problems = [
      gone && goneInWords(gone.about),
      goneRow && goneRows(goneRow.about),
      filmUid !== null && film === null && 'The film of this report no longer exists.',
      choice.fields.some((field) => !known.has(field)) && 'A field of this report no longer exists.',
    ]
    return {
      choice,
      words: words.flatMap((word) => word ?? []),
      problem: problems.find((problem) => typeof problem === 'string') ?? null,
      isInstitutionGone: gone?.about === 'institution',
    }
  })
}
