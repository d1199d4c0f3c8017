/**
 * An admin brings in a class of three hundred: a file with twelve faults is checked, corrected and invited by mail.
 * Twenty people register and get two courses that are due tomorrow. One of them is late, and is reminded.
 */
import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { brands } from '~/config/brands.ts'
import { dayOf, instantsOf } from '~/lib/zoned-time.ts'
import { remindOfDueWork, sendDueReminder } from '~/services/assignments/remind-of-due-work.server.ts'
import type { Ctx } from '~/services/context.ts'
import { confirmInvitation } from '~/services/invitations/invitations.server.ts'
import { aContext, testPassword } from '../../support/context.ts'
import { aCourse } from '../../support/courses.ts'
import type { Hand } from '../support/hands.ts'
import { journey } from '../support/journey.ts'
import { test } from '../support/server.ts'

const dayMs = 86_400_000
const registered = 20

test.use({ usesSmtp: true })

journey('class', ['without JavaScript'], async (hand, { crowd, product, site, smtp, comeAs }) => {
  const { page, press, reach, type, hasScripts } = hand
  const { db } = product
  const { assignVerb, assignedLabel } = brands[site]
  const ctx = await aContext(db, { site })
  const admin = await crowd.anAdmin()
  const mark = randomUUID().slice(0, 6)
  const domain = `class-${mark}.example`
  const plan = brands[site].subsidizedPlan
  const courses = [
    await aCourse(db, { site, plan, name: `Foundations ${mark}` }),
    await aCourse(db, { site, plan, name: `Practice ${mark}` }),
  ]
  await comeAs(admin)

  await page.goto('/dashboard/users/invite/')
  await press(page.getByRole('link', { name: 'Many, from a CSV file' }))
  await reach(page.getByRole('button', { name: 'Check the file' }))
  const file = { name: 'class.csv', mimeType: 'text/csv', buffer: Buffer.from(listOf(domain, plan)) }
  await page.locator('input[type=file]').setInputFiles(file)
  if (hasScripts) await expect(page.getByText('class.csv', { exact: true })).toBeVisible()
  await press(page.getByRole('button', { name: 'Check the file' }))
  await reach(page.getByText('12 faults in 12 rows of 300.'))
  for (let line = 2; line < 14; line++) {
    await type(page.getByRole('textbox', { name: `email in line ${line}`, exact: true }), `learner${line}@${domain}`)
  }
  await press(page.getByRole('button', { name: 'Check again' }))
  await reach(page.getByText('300 people can be invited.'))
  await press(page.getByRole('button', { name: 'Invite 300 people' }))
  await shown(hand, '300 people invited')
  const invitedBy = () => smtp.received.filter(({ to }) => to[0]?.endsWith(`@${domain}`))
  await expect(async () => expect(invitedBy()).toHaveLength(300)).toPass({ timeout: 60_000 })
  expect(new Set(invitedBy().map(({ to }) => to[0])).size).toBe(300)

  const links = invitedBy()
    .slice(0, registered)
    .map(({ text }) => text.split(/\s/).find((word) => word.includes('/confirm-invitation/')) ?? '')
  await register(ctx, links)

  await page.goto(`/dashboard/users/?search=${domain}`)
  await reach(page.getByRole('heading', { level: 1, name: 'Manage Users' }))
  // With scripts, the actions appear once somebody is selected.
  if (hasScripts) await hand.choose(page.getByRole('checkbox', { name: /^Select (?!all)/ }).first())
  await press(page.getByRole('button', { name: `${assignVerb} content to all ${registered} found` }))
  await reach(page.getByText(`To ${registered} people`))
  await type(page.getByLabel('Search modules and courses'), mark)
  await press(page.getByRole('button', { name: 'Search', exact: true }))
  for (const { name } of courses) {
    await reach(page.getByRole('checkbox', { name: new RegExp(name) }))
    await hand.choose(page.getByRole('checkbox', { name: new RegExp(name) }))
  }
  const tomorrow = dayOf(new Date(Date.now() + dayMs), ctx.site.timeZone)
  await page.getByLabel(/^Due date/).fill(tomorrow)
  await press(page.getByRole('button', { name: assignVerb, exact: true }))
  await shown(hand, new RegExp(`${assignedLabel}.*${registered}|${registered}.*${assignedLabel.toLowerCase()}`, 'i'))

  const late = invitedBy()[0]?.to[0] ?? ''
  await completeFor(ctx, courses, { domain, except: late })
  const dayAfter = dayOf(new Date(Date.now() + 2 * dayMs), ctx.site.timeZone)
  const [tenOClock = new Date()] = instantsOf(`${dayAfter}T10:00`, ctx.site.timeZone)
  await remind({ ...ctx, now: tenOClock })
  const reminders = () => invitedBy().filter(({ text }) => text.includes(courses[0]?.name ?? ''))
  await expect(async () => expect(reminders().map(({ to }) => to[0])).toEqual([late])).toPass()
  expect(reminders()[0]?.text).toContain(courses[1]?.name)

  await comeAs(await crowd.find(late))
  await page.goto('/my-learning/assigned/')
  await reach(page.getByRole('heading', { level: 1 }))
  await reach(page.getByText(courses[0]?.name ?? '').first())
  await reach(page.getByText(/^Due /).first())
})

/** Three hundred rows, the first twelve of which have no valid address. */
function listOf(domain: string, plan: string): string {
  const rows = Array.from({ length: 300 }, (_, n) => {
    const address = n < 12 ? `nobody ${n}` : `learner${n + 2}@${domain}`
    return `Ann,Number ${n},${address},Helvik University,${plan},,,`
  })
  return `firstName,lastName,email,university,accessPlan,isAdmin,autoRenew,subscriptionDurationDays\n${rows.join('\n')}\n`
}

/** Waits for a result. Without scripts, a page shows the progress of longer work only when it is loaded again. */
async function shown({ page, hasScripts }: Hand, text: string | RegExp): Promise<void> {
  await expect(async () => {
    if (!hasScripts) await page.reload()
    await expect(page.getByText(text).first()).toBeVisible({ timeout: 1000 })
  }).toPass({ timeout: 30_000 })
}

/** Opens the accounts of these invitations, as their people do on the page that the link leads to. */
async function register(ctx: Ctx, links: string[]): Promise<void> {
  for (const link of links) {
    const [, userUid64b = '', token = ''] = /confirm-invitation\/([^/]+)\/([^/]+)\//.exec(link) ?? []
    await confirmInvitation(ctx, { userUid64b, token, password: testPassword, password2: testPassword })
  }
}

/** Writes that the people of the class have completed the courses, all but one. */
async function completeFor(
  { db, site }: Ctx,
  courses: { id: number }[],
  { domain, except }: { domain: string; except: string },
): Promise<void> {
  const people = await db
    .selectFrom('users')
    .select('id')
    .where('email', 'like', `%@${domain}`)
    .where('email', '<>', except)
    .where('is_active', '=', true)
    .execute()
  const rows = people.flatMap(({ id }) =>
    courses.map((course) => ({
      site_id: site.id,
      user_id: id,
      course_id: course.id,
      completed_at: new Date(),
    })),
  )
  await db.insertInto('course_progress').values(rows).execute()
}

/** Does the hourly job and sends what it has found, at the context's time. The product's worker has another time. */
async function remind(ctx: Ctx): Promise<void> {
  await remindOfDueWork(ctx)
  const reminders = await ctx.db
    .selectFrom('assignment_reminders')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .execute()
  for (const { uid } of reminders) await sendDueReminder(ctx, { reminderUid: uid })
}
