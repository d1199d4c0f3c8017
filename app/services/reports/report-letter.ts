/** The mail that tells somebody of a scheduled report. It has a link, and nothing about single people. */
import { brands } from '~/config/brands.ts'
import { formatCalendarDay } from '~/lib/dates.ts'
import { type ReportPeriodName, reportPeriodLabels } from '~/lib/report-periods.ts'
import type { Site } from '../context.ts'
import { composeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'
import type { RunContent } from './make-run.server.ts'
import type { ReportTotal } from './reports.server.ts'

type Told = {
  content: RunContent
  runUid: string
  /** Empty if nobody gave it one. */
  name: string
  owner: string
  firstName: string
  lastName: string
  email: string
}

/** How many figures of a report a mail has. */
const mostFigures = 6

export function reportLetter(site: Site, told: Told, { unsubscribeUrl }: { unsubscribeUrl: string }): Mail {
  const { content, runUid, name, owner, firstName, lastName, email } = told
  const { title, isEmpty, figures, unopened } = content
  const days = daysOf(content)
  return composeLetter({
    site,
    to: { firstName, lastName, address: email },
    subject: `${name || title}: ${isEmpty ? 'nothing in ' : ''}${days}`,
    before: [
      `This is the report “${title}” of ${brands[site.key].name}.`,
      `Period: ${reportPeriodLabels[(content.period ?? 'all_time') as ReportPeriodName]}, ${days}.`,
      ...(isEmpty
        ? ['There is nothing in this period.']
        : (figures ?? []).slice(0, mostFigures).map((figure) => `${figure.label}: ${figureInWords(figure)}`)),
      ...(unopened === 2
        ? [
            'Nobody has opened the last two of these reports. If nobody opens this one either, they pause until an admin resumes them.',
          ]
        : []),
    ],
    action: { label: 'Open the report', url: `${site.baseUrl}/dashboard/reports/sent/${runUid}/` },
    after: [
      'You have to be logged in as an admin to open it.',
      `${owner || 'A colleague'} scheduled it. You can change or end it here: ${site.baseUrl}/dashboard/reports/scheduled/`,
    ],
    unsubscribe: { label: 'Stop reports by email', url: unsubscribeUrl },
  })
}

/** "Nov 1, 2026 to Nov 30, 2026" */
function daysOf({ firstDay, lastDay }: RunContent): string {
  const last = formatCalendarDay(lastDay)
  return firstDay === null ? `everything until ${last}` : `${formatCalendarDay(firstDay)} to ${last}`
}

function figureInWords({ value, isDuration }: ReportTotal): string {
  if (value === null) return 'none'
  if (!isDuration) return value.toLocaleString('en', { maximumFractionDigits: 2 })
  const seconds = Math.round(value)
  const two = (part: number) => String(part % 60).padStart(2, '0')
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)} hours`
}
