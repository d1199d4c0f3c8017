/** The queries that the addresses of the console's tables of users may contain. Services and pages use the same names. */

export const userTabs = ['learners', 'admins', 'pending'] as const
export type UserTab = (typeof userTabs)[number]

export const userTabLabels: Record<UserTab, string> = {
  learners: 'Learners',
  admins: 'Admins',
  pending: 'Pending Users',
}

/** Reads the tab of an address; the first one for anything unknown. */
export function userTabOf(value: string | null | undefined): UserTab {
  return userTabs.find((tab) => tab === value) ?? 'learners'
}

const activeSorts = ['name', 'email', 'joined', 'login', 'plan', 'type', 'until', 'modules', 'courses'] as const
const pendingSorts = ['name', 'email', 'invited', 'mail'] as const
export type UserSort = (typeof activeSorts)[number] | (typeof pendingSorts)[number]

const activeTable = {
  prefix: '',
  sorts: activeSorts,
  descendingFirst: ['joined', 'login', 'until', 'modules', 'courses'],
  sizes: [10, 20],
  filters: ['status', 'institution', 'plan', 'group', 'login', 'expiry', 'due'],
} as const

export const userTables = {
  learners: activeTable,
  admins: activeTable,
  pending: {
    prefix: '',
    sorts: pendingSorts,
    descendingFirst: ['invited'],
    sizes: [10, 20],
    filters: ['status', 'institution', 'plan', 'group'],
  },
} as const satisfies Record<UserTab, object>

/**
 * `inactive`: an account that nobody has used for ninety days. `disabled`: one that an admin has closed. `invited`: one
 * that nobody has opened yet (C-157, C-158).
 */
export const userStatuses = ['active', 'inactive', 'disabled', 'invited'] as const
export type UserStatus = (typeof userStatuses)[number]

export const userStatusLabels: Record<UserStatus, string> = {
  active: 'Active',
  inactive: 'Inactive',
  disabled: 'Disabled',
  invited: 'Invited',
}

export const statusesOfTab: Record<UserTab, UserStatus[]> = {
  learners: ['active', 'inactive'],
  admins: ['active', 'inactive'],
  pending: ['invited', 'disabled'],
}

/** How many days ago somebody logged in for the last time. */
export const loginChoices = [
  { value: '7', label: 'In the last 7 days' },
  { value: '30', label: 'In the last 30 days' },
  { value: '90', label: 'In the last 90 days' },
  { value: 'older', label: 'More than 90 days ago' },
  { value: 'never', label: 'Never' },
]

/** In how many days access ends. */
export const expiryChoices = [
  { value: 'ended', label: 'Has ended' },
  { value: '30', label: 'Ends in 30 days' },
  { value: '60', label: 'Ends in 60 days' },
  { value: '90', label: 'Ends in 90 days' },
  { value: 'never', label: 'Does not end' },
]

/** What somebody has been assigned and not completed, by its due date. */
export const dueChoices = [
  { value: 'late', label: 'Late' },
  { value: 'late30', label: 'Late by up to 30 days' },
  { value: '7', label: 'Due in 7 days' },
]

export const groupChoices = [
  { value: 'learners', label: 'Learners' },
  { value: 'instructors', label: 'Instructors' },
  { value: 'authors', label: 'Authors' },
  { value: 'admins', label: 'Admins' },
]

/** The filter value for people without an institution or plan. */
export const noneOfThem = 'none'

/** How many users can be selected for one action. */
export const mostUsersAtOnce = 10_000

export function resentInWords({ count, tooSoon }: { count: number; tooSoon: number }): string {
  const sent =
    count === 1
      ? 'The invitation is being sent again.'
      : `${count.toLocaleString('en')} invitations are being sent again.`
  return tooSoon === 0 ? sent : `${sent} ${tooSoonInWords(tooSoon)}`
}

/** An invitation is sent to a person at most once an hour. */
export function tooSoonInWords(people: number): string {
  const who = people === 1 ? 'One person was' : `${people.toLocaleString('en')} people were`
  return `${who} sent a mail less than an hour ago and can get the next one an hour after it.`
}
