import type { StatementFilters } from '~/forms/statements.ts'

export type StatementsView = {
  rows: {
    seq: number
    at: string
    words: { verb: string; object: string; details: string[]; sentence: string }
    json: string
    /** Addresses of what the statement is about; null if it is nobody or nothing of the site. */
    personTo: string | null
    registrationTo: string | null
    activityTo: string | null
  }[]
  filters: Omit<StatementFilters, 'before'>
  /** The titles of modules to choose from. */
  modules: string[]
  /** Why nothing could be searched for. */
  problem: string | null
  next: string | null
  newest: string | null
  isFiltered: boolean
  timeZone: string
}
