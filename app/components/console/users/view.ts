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
  /** The last mail with the invitation: whether it was accepted, and when it was last tried. */
  mail: 'accepted' | 'refused' | 'failing' | 'in_doubt' | 'waiting' | null
  mailTriedOn: string | null
  completedModules: number
  completedCourses: number
  /** The values of the filters "Last login" and "Valid until" that match this row. */
  loginValues: string[]
  expiryValues: string[]
  /** The values of the filter "Due work" that match: `late` is marked in the row too. */
  dueValues: string[]
}

/** The due date and the note of one assignment, in the form that changes them. */
export type DueOfUser = {
  userUid: string
  name: string
  what: string
  kind: ProgressKind
  /** The day of the site, before which nothing can be due. */
  today: string
  dueOn: string
  note: string
}

/** The head of a person's dialog. */
export type UserHead = { uid: string; name: string; email: string; status: UserStatus }

/** What the profile tab shows. */
export type UserProfile = {
  uid: string
  email: string
  revision: number
  /** The state that the form is opened with, as JSON: a save is merged with what others have saved since. */
  opened: string
  values: {
    firstName: string
    lastName: string
    university: string
    isLearner: boolean
    isAdmin: boolean
    isInstructor: boolean
    isAuthor: boolean
    accessPlanUid: string
    subscriptionType: string
    renewal: 'keep' | 'auto'
  }
  /** How access lasts now, in words; null without a plan. */
  access: string | null
  plans: { value: string; label: string }[]
  universities: string[]
  facts: { label: string; value: string }[]
  isOwn: boolean
  /** A learner who can log in, and no admin or author. */
  canBeViewed: boolean
  isActive: boolean
  isPending: boolean
  /** The new address that waits to be confirmed. */
  waitingEmail: string | null
}

/** The dialog in which an admin changes the address of somebody else. */
export type AddressChangeView = {
  uid: string
  name: string
  email: string
  isPending: boolean
  /** The change that waits to be confirmed. */
  waiting: { email: string; askedOn: string; until: string; canBeSentAgain: boolean } | null
}

export type ProgressKind = 'modules' | 'courses'
export type ProgressList = 'progress' | 'completed' | 'assigned'

export type UserProgressView = {
  userUid: string
  kind: ProgressKind
  list: ProgressList
  assignedLabel: string
  unassignLabel: string
  rows: {
    uid: string
    name: string
    score: number | null
    percent: number | null
    /** The attempts of a module; null for a course. */
    to: string | null
    /** False for an assigned item that the plan does not include. */
    isIncluded: boolean
    /** "Due Nov 20, late" or "Due Nov 20, 2026, completed". */
    due: string | null
    note: string | null
  }[]
}

export type UserSessions = { uid: string; agent: string; address: string; since: string; seen: string }[]

export type UserMessages = {
  uid: string
  subject: string
  channel: string
  state: string
  sent: string
  opened: string
}[]

export type UserHistory = { what: string; by: string; at: string }[]
