/** The mail that tells somebody of a scheduled report. It has a link and no figures. */
import { brands } from '~/config/brands.ts'
import { formatCalendarDay } from '~/lib/dates.ts'
import { type ReportPeriodName, reportPeriodLabels } from '~/lib/report-periods.ts'
import type { Site } from '../context.ts'
import { composeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/mail.server.ts'
import type { RunContent } from './make-run.server.ts'

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

export function reportLetter(site: Site, told: Told, { unsubscribeUrl }: { unsubscribeUrl: string }): Mail {
  const { content, runUid, name, owner, firstName, lastName, email } = told
  const { title, isEmpty, unopened } = content
  const days = daysOf(content)
  return composeLetter({
    site,
    to: { firstName, lastName, address: email },
    subject: `${name || title}: ${isEmpty ? 'nothing ' : ''}${days}`,
    before: [
      `This is the report “${title}” of ${brands[site.key].name}.`,
      `Period: ${reportPeriodLabels[(content.period ?? 'all_time') as ReportPeriodName]}, ${days}.`,
      ...(isEmpty ? ['There is nothing in this period.'] : []),
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

/** "from Nov 1, 2026 to Nov 30, 2026" */
function daysOf({ firstDay, lastDay }: RunContent): string {
  const last = formatCalendarDay(lastDay)
  return firstDay === null ? `until ${last}` : `from ${formatCalendarDay(firstDay)} to ${last}`
}
