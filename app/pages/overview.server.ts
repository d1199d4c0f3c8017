/** The overview for staff: what happened in the last seven days and what somebody should look at, with links to it. */
import type { OverviewFigure, OverviewView } from '~/components/console/overview/view.ts'
import { messageStateOptions } from '~/forms/announcement-tables.ts'
import { findReport, type ReportPath, reportPagePath } from '~/forms/report-list.ts'
import type { ReportPeriodName } from '~/lib/report-periods.ts'
import {
  listMessagesGoingOut,
  type MessageGoingOut,
  type StateGoingOut,
  statesGoingOut,
} from '~/services/announcements/going-out.server.ts'
import { actsAsAdmin, type Ctx } from '~/services/context.ts'
import { listFailingModules } from '~/services/progress/failing-modules.server.ts'
import { listFirstLines, listReportFigures, type ReportFigures } from '~/services/reports/reports.server.ts'
import { listFeatureFlags } from '~/services/sites/sites.server.ts'
import { countUsersFound } from '~/services/users/table.server.ts'
import { noteOf } from './messages.server.ts'
import { daysInWords } from './reports.server.ts'

/** How many rows each list has. The page that it leads to has all. */
export const mostRows = 5

const period: ReportPeriodName = '7days'

/** Reads the overview, for staff. Authors get what they can read elsewhere. */
export async function getOverview(ctx: Ctx): Promise<OverviewView> {
  const [failing, admins] = await Promise.all([
    listFailingModules(ctx, { limit: mostRows }),
    actsAsAdmin(ctx) ? forAdmins(ctx) : null,
  ])
  return {
    admins,
    failing: {
      rows: failing.map(({ uid, name, learners }) => ({
        id: uid,
        name,
        to: `/dashboard/modules/${uid}/report/learners/?learners.filter=state-failing`,
        learners: inWords(learners),
      })),
    },
  }
}

/** Each report is asked for as its page is, with what its address says. */
const asked = (path: ReportPath) => ({ path, question: { period } })
/** The pages of some reports compare with the seven days before. */
const compared = { compare: 'previous' }
/** The column of the report about search terms with the searches that found nothing, from 0. */
const withoutResults = 3

async function forAdmins(ctx: Ctx): Promise<OverviewView['admins']> {
  const [[sessions], [modules], [answers, searches], terms, people, messages] = await Promise.all([
    listReportFigures(ctx, [asked('sessions/total')]),
    listReportFigures(ctx, [asked('modules/started_completed')]),
    listReportFigures(ctx, [asked('modules/quiz-answers'), asked('search_terms')]),
    listFirstLines(ctx, {
      ...asked('search_terms'),
      sort: { column: withoutResults, isDescending: true },
      limit: mostRows,
    }),
    countUsersFound(
      ctx,
      peopleToDo.map(({ filters }) => ({ tab: 'learners', filters })),
    ),
    messagesOf(ctx),
  ])
  if (!sessions || !modules || !answers || !searches) throw new Error('A report has no figures')
  return {
    days: daysInWords(sessions.period),
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
    lastDays: [
      {
        ...figureOf('sessions/total', 'People with a session', compared),
        value: inWords(sessions.count),
        note: null,
        meaning: 'A session is a visit from the first page to the last, without a pause of 30 minutes.',
      },
      startedOrCompleted(modules, 'Modules started', 'The first start of a module by a person.'),
      startedOrCompleted(modules, 'Modules completed', 'The first completion of a module by a person.'),
      {
        ...figureOf('modules/quiz-answers', 'Quiz answers'),
        value: inWords(answers.count),
        note: shareInWords(totalOf(answers, 'Correct'), answers.count, 'correct'),
        meaning: 'Answers to questions that have a right answer or were scored.',
      },
      {
        ...figureOf('search_terms', 'Searches without results', { results: 'none' }),
        value: inWords(totalOf(searches, 'Searches without results')),
        note: `Of ${inWords(totalOf(searches, 'Searches'))}`,
        meaning: 'Searches on the site that found nothing.',
      },
    ],
    toDo: peopleToDo.map(({ label, meaning, search }, index) => ({
      label,
      meaning,
      to: `/dashboard/users/?${search}`,
      value: inWords(people[index] ?? 0),
      note: null,
    })),
    messages,
    searches: {
      to: `${reportAddress('search_terms')}&sort=-${withoutResults}`,
      rows: terms
        .filter((line) => Number(line[withoutResults]) > 0)
        .map((line) => ({
          term: String(line[0] ?? ''),
          without: inWords(Number(line[withoutResults])),
          searches: inWords(Number(line[1])),
        })),
    },
  }
}

/** Learners in the table of users, by one of its filters. */
const peopleToDo: { label: string; meaning: string; filters: Record<string, string[]>; search: string }[] = [
  {
    label: 'Learners with late work',
    meaning: 'In the last 30 days the due date of an assignment has passed that they have not completed.',
    filters: { due: ['late30'] },
    search: 'filter=due-late30',
  },
  {
    label: 'Learners with work due in 7 days',
    meaning: 'They have not completed an assignment that is due today or in the next seven days.',
    filters: { due: ['7'] },
    search: 'filter=due-7',
  },
  {
    label: 'Learners whose access ends in 30 days',
    meaning: 'The time of their access plan ends. Renew it, or write to them.',
    filters: { expiry: ['30'] },
    search: 'filter=expiry-30',
  },
]

function reportAddress(path: ReportPath, more: Record<string, string> = {}): string {
  const report = findReport(path)
  return `${report ? reportPagePath(report) : ''}?${new URLSearchParams({ period, ...more })}`
}

function figureOf(path: ReportPath, label: string, more: Record<string, string> = {}) {
  return { label, to: reportAddress(path, more) }
}

function startedOrCompleted(figures: ReportFigures, label: string, meaning: string): OverviewFigure {
  return {
    ...figureOf('modules/started_completed', label, compared),
    value: inWords(totalOf(figures, label)),
    note: null,
    meaning,
  }
}

function totalOf({ totals }: Pick<ReportFigures, 'totals'>, label: string): number {
  return totals.find((total) => total.label === label)?.value ?? 0
}

async function messagesOf(ctx: Ctx): Promise<NonNullable<OverviewView['admins']>['messages']> {
  // A site without messages has no page of them.
  const [flags, { counts, items }] = await Promise.all([
    listFeatureFlags(ctx),
    listMessagesGoingOut(ctx, { limit: mostRows }),
  ])
  if (!flags.includes('ANNOUNCEMENTS')) return null
  return {
    figures: statesGoingOut.map((state) => ({
      label: labelOf(state),
      to: `/dashboard/messages/?filter=status-${state}`,
      value: inWords(counts[state]),
      note: null,
      meaning: meanings[state],
    })),
    rows: items.map((message) => ({
      id: message.uid,
      name: message.name,
      to: `/dashboard/messages/${message.uid}/${message.sending === 'late' ? 'late/' : ''}`,
      state: stateInWords(ctx, message),
      inDoubt: inWords(message.inDoubt),
    })),
  }
}

const meanings: Record<StateGoingOut, string> = {
  late: 'Their time has passed, and they wait for your decision.',
  stopped: 'Somebody stopped them. Resume them, or leave it at that.',
  sending: 'They are on their way now.',
  scheduled: 'They are sent at their time.',
}

function labelOf(state: StateGoingOut): string {
  return messageStateOptions.find(({ value }) => value === state)?.label ?? state
}

function stateInWords(ctx: Ctx, message: MessageGoingOut): string {
  if (message.sending === 'stopped') return labelOf('stopped')
  return noteOf(ctx, message) ?? 'Sent'
}

function shareInWords(part: number, whole: number, word: string): string | null {
  if (whole === 0) return null
  const percent = Math.round((part / whole) * 100)
  // What is not all of them is not 100%.
  return `${inWords(part)} ${word} (${inWords(part < whole ? Math.min(percent, 99) : percent)}%)`
}

function inWords(value: number): string {
  return value.toLocaleString('en')
}
