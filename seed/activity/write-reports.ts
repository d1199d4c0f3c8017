/** The reports of the demo that admins keep: saved views, and a monthly report whose mails were opened. */
import { markReportOpened } from '../../app/services/reports/open-run.server.ts'
import { runScheduledReports } from '../../app/services/reports/run-scheduled-reports.server.ts'
import { createSavedView } from '../../app/services/reports/saved-views.server.ts'
import { createScheduledReport, getScheduledReport } from '../../app/services/reports/scheduled-reports.server.ts'
import { inTransaction } from '../../db/transaction.server.ts'
import { uidOf } from '../demo-parts.ts'
import { type DemoSite, dayBefore, viewerAt } from './demo-site.ts'

const views = [
  {
    slug: 'completions',
    name: 'Completions by institution',
    path: 'modules/started_completed',
    question: { period: 'this_quarter', aggregateBy: 'Institution', compare: 'previous' },
    isShared: true,
  },
  {
    slug: 'searches',
    name: 'What people search for and do not find',
    path: 'search_terms',
    question: { period: 'this_month' },
    sort: '-2',
    isShared: false,
  },
]

const daysAgo = 70

/** The reports of the last two months and the openings are one transaction, so an interrupted start writes none twice. */
export async function keepReports(demo: DemoSite): Promise<void> {
  const admin = demo.accounts.get('admin')
  const then = admin && (await viewerAt(demo.ctx, admin, dayBefore(demo, daysAgo)))
  if (!then) return
  for (const { slug, ...view } of views) await createSavedView(then, { ...view, uid: uidOf(then, 'view', slug) })
  const colleague = demo.accounts.get('lucia.ferrer') ?? admin
  await inTransaction(then, async (ctx) => {
    const reportUid = uidOf(ctx, 'scheduled report', 'completions')
    await createScheduledReport(ctx, {
      uid: reportUid,
      name: 'Completions of the month',
      path: 'modules/started_completed',
      question: { period: 'last_month', aggregateBy: 'Institution' },
      often: 'monthly',
      monthDay: '1',
      time: '08:00',
      recipients: [...new Set([admin, colleague])],
    })
    for (let days = daysAgo - 1; days > 0; days--) {
      const now = dayBefore(demo, days, 20)
      const { sent } = await runScheduledReports({ ...ctx, viewer: null, now })
      const reader = sent > 0 && (await viewerAt({ ...demo.ctx, db: ctx.db }, colleague, now))
      const { last } = await getScheduledReport(ctx, { reportUid })
      if (reader && last) await markReportOpened(reader, { runUid: last.runUid })
    }
  })
}
