/**
 * An admin finds out why many people fail a module: from the overview to those who fail, to the answers to one question
 * and to a person. The report on it goes to a colleague every month, who opens the link of its mail.
 */
import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { sql } from 'kysely'
import { brands } from '~/config/brands.ts'
import type { Ctx } from '~/services/context.ts'
import { runScheduledReports } from '~/services/reports/run-scheduled-reports.server.ts'
import { aModule, visit } from '../../support/cmi5.ts'
import { aContext } from '../../support/context.ts'
import { journey } from '../support/journey.ts'

journey('reports', ['without JavaScript'], async (hand, { crowd, product, site, comeAs }) => {
  const { page, press, reach, choose } = hand
  const ctx = await aContext(product.db, { site, isOperator: true })
  const mark = randomUUID().slice(0, 6)
  const name = `Dose response ${mark}`
  const plan = brands[site].subsidizedPlan
  const module = await aModule(ctx, { name, plan, units: [{ moveOn: 'Passed', masteryScore: 0.8 }] })
  const question = `Which curve is a dose response? ${mark}`
  const people = await Promise.all(Array.from({ length: 3 }, () => crowd.aLearner()))
  for (const viewer of people) await fails({ ...ctx, viewer, isOperator: false }, module, question)
  const [admin, colleague] = [await crowd.anAdmin(), await crowd.anAdmin()]
  await comeAs(admin)

  await page.goto('/dashboard/overview/')
  await press(page.getByRole('link', { name }))
  await reach(page.getByText('Mara Lindqvist').first())

  await page.goto('/dashboard/reports/modules/')
  await press(page.getByRole('link', { name: 'Quiz answers' }))
  // Until then, its radio buttons are those of the report before.
  await reach(page.getByRole('heading', { level: 2, name: 'Quiz answers' }))
  await choose(page.getByRole('radio', { name: 'Last 7 days' }))
  await press(page.getByRole('button', { name: 'View' }))
  await reach(page.getByRole('heading', { level: 2, name: 'Quiz answers' }))
  const lines = page.getByRole('region', { name: 'Quiz answers, table' })
  await reach(lines.getByRole('row').filter({ hasText: question }).first())
  const report = page.url()
  await press(
    lines.getByRole('row').filter({ hasText: question }).first().getByRole('link', { name: 'Mara Lindqvist' }),
  )
  await reach(page.getByText(name).first())

  await page.goto(report)
  await press(page.getByRole('main').getByRole('link', { name: 'Schedule', exact: true }))
  await choose(page.getByRole('radio', { name: 'Every month' }))
  await choose(page.getByRole('checkbox', { name: new RegExp(colleague.email) }))
  await press(page.getByRole('button', { name: 'Schedule', exact: true }))
  await reach(page.getByText('The report is scheduled.'))

  const link = await send(ctx, admin.id)
  await comeAs(colleague)
  await page.goto(link)
  await reach(page.getByRole('heading', { level: 2, name: 'Quiz answers' }))
  await expect(lines.getByRole('row').filter({ hasText: question }).first()).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { level: 2, name: 'Quiz answers' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show', exact: true })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Saved views' })).toBeHidden()
  await page.emulateMedia({ media: null })
  await page.goto('/dashboard/reports/scheduled/')
  await expect(page.getByText('Opened by').first()).toBeVisible()
})

/** Somebody answers a question of the test wrong and fails it. */
async function fails(ctx: Ctx, module: { versionUid: string; id: number }, question: string): Promise<void> {
  const score = { scaled: 0.2 }
  await visit(ctx, { moduleVersionUid: module.versionUid }, ['failed', { score }])
  await sql`
    insert into question_answers (seq, site_id, user_id, module_id, kind, question_iri, question, response, is_correct,
      answered_at)
    values ((select coalesce(max(seq), 0) + 1 from question_answers), ${ctx.site.id}, ${ctx.viewer?.id}, ${module.id},
      'quiz', 'https://titrate.example/curve', ${question}, 'A', false, now())`.execute(ctx.db)
}

/** Makes the report of this owner due, does the job, and returns the address in its mail. */
async function send(ctx: Ctx, ownerId: number): Promise<string> {
  await sql`
    update scheduled_reports set next_at = date_trunc('second', now()) where owner_id = ${ownerId}`.execute(ctx.db)
  await runScheduledReports({ ...ctx, now: new Date(), isOperator: false, viewer: null })
  const { rows } = await sql<{ uid: string }>`
    select run.uid from report_runs run join scheduled_reports report on report.id = run.scheduled_report_id
    where report.owner_id = ${ownerId}`.execute(ctx.db)
  return `/dashboard/reports/sent/${rows[0]?.uid}/`
}
