/** The reports of the console: what each needs, on which tab it stands, and what its figures mean. */

export const reportTabs = [
  { id: 'search-terms', label: 'Search Terms Report', path: '/dashboard/reports/' },
  { id: 'users', label: 'User Reports', path: '/dashboard/reports/users/' },
  { id: 'modules', label: 'Module Reports', path: '/dashboard/reports/modules/' },
  { id: 'videos', label: 'Video Reports', path: '/dashboard/reports/videos/' },
] as const
export type ReportTab = (typeof reportTabs)[number]['id']

export type ReportNeed = 'period' | 'interval' | 'aggregate' | 'fields'

export type ReportDefinition = {
  /** The name of its page below `/dashboard/reports/`. */
  id: string
  /** The address below `/api/reports/`, as the specification spells it. */
  path: string
  /** The report about messages is asked for in Manage Messages. */
  tab: ReportTab | 'messages'
  title: string
  /** One sentence: what a row is, and what the figures mean. */
  note: string
  /** What the figure is, in the words of docs/words.md. */
  meaning: string
  /** What its lines are, for their number: "Search terms". */
  lines: string
  needs: readonly ReportNeed[]
  /** Works without a period too, and then has everything (C-249). */
  isPeriodOptional?: boolean
  /** The path of the report whose figures count its lines. It stands on no tab; figures lead to it. */
  countedIn?: string
  /** Its `uid` asks for one message, which has no period (C-236, C-249), or for one film in the period. */
  one?: 'message' | 'film'
}

/** C-116, C-117 */
export const reports = [
  {
    id: 'search-terms',
    path: 'search_terms',
    tab: 'search-terms',
    title: 'Search terms',
    note: 'One row per term, with how often people searched for it and how often they found nothing.',
    meaning: 'Search term: what somebody searched for, in lowercase and without spaces around it.',
    lines: 'Search terms',
    needs: ['period'],
  },
  {
    id: 'searches',
    path: 'search_terms/searches',
    tab: 'search-terms',
    title: 'Searches',
    note: 'One row per search in the period, with how much it found. Who searched is not listed.',
    meaning: 'Search: each time that somebody looked for some words.',
    lines: 'Searches',
    needs: ['period'],
    countedIn: 'search_terms',
  },
  {
    id: 'accounts',
    path: 'users',
    tab: 'users',
    title: 'Users',
    note: 'One row per account that joined in the period, or for All Time per account. Deleted and invited people are not in it.',
    meaning: 'Account: somebody who registered, also if an admin disabled it, and who was not deleted.',
    lines: 'Accounts',
    needs: ['period', 'fields'],
    isPeriodOptional: true,
  },
  {
    id: 'pending-users',
    path: 'pending-users',
    tab: 'users',
    title: 'Pending users',
    note: 'One row per person who was invited in the period and has not registered.',
    meaning: 'Invitation: an account that nobody has opened yet, with its link.',
    lines: 'Pending users',
    needs: ['period'],
    isPeriodOptional: true,
  },
  {
    id: 'logins-total',
    path: 'logins/total',
    tab: 'users',
    title: 'Login totals',
    note: 'How often people logged in.',
    meaning: 'Login: each time that somebody signed in with a password or opened their account.',
    lines: 'People',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'logins-avg',
    path: 'logins/avg',
    tab: 'users',
    title: 'Average logins',
    note: 'Logins divided by the days, weeks or months of the period that have begun. One that the period cuts counts whole.',
    meaning:
      'Average logins: logins divided by the intervals of the period that have begun. One that the period cuts counts whole.',
    lines: 'People',
    needs: ['period', 'interval', 'aggregate'],
  },
  {
    id: 'logins-avg-time-between-logins',
    path: 'logins/avg_time_between_logins',
    tab: 'users',
    title: 'Average time between logins',
    note: 'From one login of a person to the next in the period. People who logged in once are not in it.',
    meaning: 'Time between logins: from one login of a person to their next in the period.',
    lines: 'People',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'sessions-averages',
    path: 'sessions/averages',
    tab: 'users',
    title: 'Session averages',
    note: 'The total time of sessions divided by their number. A session ends when nothing was opened for 30 minutes.',
    meaning: 'Session: a visit from the first page to the last, without a pause of 30 minutes.',
    lines: 'People',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'sessions-total',
    path: 'sessions/total',
    tab: 'users',
    title: 'Session totals',
    note: 'How many sessions people began and how long these were. A session ends when nothing was opened for 30 minutes.',
    meaning: 'Session: a visit from the first page to the last, without a pause of 30 minutes.',
    lines: 'People',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'logins',
    path: 'logins',
    tab: 'users',
    title: 'Logins',
    note: 'One row per login in the period.',
    meaning: 'Login: each time that somebody signed in with a password or opened their account.',
    lines: 'Logins',
    needs: ['period'],
    countedIn: 'logins/total',
  },
  {
    id: 'sessions',
    path: 'sessions',
    tab: 'users',
    title: 'Sessions',
    note: 'One row per session that began in the period. A session ends when nothing was opened for 30 minutes.',
    meaning: 'Session: a visit from the first page to the last, without a pause of 30 minutes.',
    lines: 'Sessions',
    needs: ['period'],
    countedIn: 'sessions/total',
  },
  {
    id: 'modules-started-completed',
    path: 'modules/started_completed',
    tab: 'modules',
    title: 'Modules started and completed',
    note: 'How many modules people started and completed in the period. A module counts once for each person.',
    meaning: 'Started, completed: the first start and the first completion of a module by a person.',
    lines: 'People',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'modules-time-to-complete',
    path: 'modules/time_to_complete',
    tab: 'modules',
    title: 'Time to complete',
    note: 'One row for each module that a person completed in the period: the time from the first start to completion.',
    meaning:
      'Time to complete: from the first start of a module by a person to its first completion, in whole seconds.',
    lines: 'Completions',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'modules-time-to-complete-avg',
    path: 'modules/time_to_complete/avg',
    tab: 'modules',
    title: 'Average time to complete',
    note: 'The mean of the times to complete: one row per module and institution, position or group, or one per person.',
    meaning:
      'Time to complete: from the first start of a module by a person to its first completion, in whole seconds.',
    lines: 'Rows',
    needs: ['period', 'aggregate'],
  },
  {
    id: 'modules-quiz-answers',
    path: 'modules/quiz-answers',
    tab: 'modules',
    title: 'Quiz answers',
    note: 'One row per answer, with whether it was correct and its score.',
    meaning: 'Quiz answer: the answer to a question that has a right answer or was scored.',
    lines: 'Answers',
    needs: ['period'],
  },
  {
    id: 'modules-survey',
    path: 'modules/survey',
    tab: 'modules',
    title: 'Survey answers',
    note: 'One row per answer to a question that has no right or wrong.',
    meaning: 'Survey answer: the answer to a question that has no right answer and was not scored.',
    lines: 'Answers',
    needs: ['period'],
  },
  {
    // Its page was named before there was a list of plays.
    id: 'plays',
    path: 'videos',
    tab: 'videos',
    title: 'Videos',
    note: 'One row per video, lecture or film of the home page that people played in the period.',
    meaning: 'Play: one person watching one film, without a pause of 30 minutes.',
    lines: 'Films',
    needs: ['period'],
    one: 'film',
  },
  {
    id: 'film-plays',
    path: 'videos/plays',
    tab: 'videos',
    title: 'Plays',
    note: 'One row per play that began in the period.',
    meaning: 'Play: one person watching one film, without a pause of 30 minutes.',
    lines: 'Plays',
    needs: ['period'],
    one: 'film',
    countedIn: 'videos',
  },
  {
    id: 'messages',
    path: 'announcements',
    tab: 'messages',
    title: 'Messages',
    note: 'One row per message that was sent in the period, with what became of it.',
    meaning: 'Recipient: somebody who gets a message or has been chosen for it.',
    lines: 'Messages',
    needs: ['period'],
    one: 'message',
  },
] as const satisfies readonly ReportDefinition[]

export type ReportPath = (typeof reports)[number]['path']

export function findReport(path: string): (ReportDefinition & { path: ReportPath }) | undefined {
  return reports.find((report) => report.path === path)
}

export function reportPagePath({ id }: Pick<ReportDefinition, 'id'>): string {
  return `/dashboard/reports/${id}/`
}

/** The report of a page. */
export function findReportOfPage(id: string): (ReportDefinition & { path: ReportPath }) | undefined {
  return reports.find((report) => report.id === id)
}

/** One message is reported on as a whole. */
export function isWithoutPeriod({ one }: Pick<ReportDefinition, 'one'>, { uid }: { uid: string | null }): boolean {
  return one === 'message' && uid !== null
}
