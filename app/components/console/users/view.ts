/** What the pages about users show. Dates are formatted in the site's time zone. */
import type { UserStatus } from '~/forms/user-tables.ts'

export type UserRow = {
  uid: string
  name: string
  email: string
  status: UserStatus
  groups: string[]
  institutionUid: string | null
  plan: string | null
  planUid: string | null
  /** "Subsidized", "Free Access" or "Paid Access". */
  subscription: string | null
  /** Dates as text, and in milliseconds to sort by. */
  validToOn: string | null
  validTo: number | null
  joinedOn: string | null
  joinedAt: number | null
  lastLoginOn: string | null
  lastLoginAt: number | null
  invitedOn: string
  invitedAt: number
  completedModules: number
  completedCourses: number
  /** The values of the filters "Last login" and "Valid until" that match this row. */
  loginValues: string[]
  expiryValues: string[]
}
