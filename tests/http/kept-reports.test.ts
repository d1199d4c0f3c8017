/** Saved views and scheduled reports with plain forms, as without JavaScript. */

import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { runScheduledReports } from '~/services/reports/run-scheduled-reports.server.ts'
import { deleteUniversity } from '~/services/users/replace-university.server.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'
import { fieldsOf, press, readPage } from '../support/plain-forms.ts'

let server: TestServer
let db: Database
let admin: Browser
let colleague: Browser
let author: Browser
let nsAdmin: Browser
let colleagueUid: string
const views = '/dashboard/reports/views/'
const scheduled = '/dashboard/reports/scheduled/'
const report = '/dashboard/reports/logins-total/'
const question = '?period=7days&aggregate_by=Institution'

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const opened = await openTestDatabase(url)
    const lead = { groups: ['admins' as const], lastName: 'Moreau' }
    await aUser(opened.db, { ...lead, email: 'admin@titrate.example', firstName: 'Ana' })
    colleagueUid = (await aUser(opened.db, { ...lead, email: 'otto@titrate.example', firstName: 'Otto' })).uid
    await aUser(opened.db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(opened.db, { email: 'admin@ns.example', groups: ['admins'], site: 'ns', plan: null })
    await opened.close()
  })
  ;({ db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 }))
  ;[admin, colleague, author] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  nsAdmin = aBrowser(server, { host: server.host().replace('localhost', 'ns.localhost') })
  await admin.signIn('admin@titrate.example')
  await colleague.signIn('otto@titrate.example')
  await author.signIn('author@titrate.example')
  await nsAdmin.signIn('admin@ns.example')
  return () => db.destroy()
})

/** The first address on a page that matches. */
function linkIn(page: string, pattern: RegExp): string {
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => to.replaceAll('&amp;', '&'))
  return links.find((to) => pattern.test(to)) ?? ''
}

async function refused(browser: Browser, path: string): Promise<number> {
  return (await browser.send({ path })).status
}

test('a report keeps its order when it is scheduled, or not', async () => {
  const sorted = `${question}&sort=-2`
  const scheduleTo = linkIn(await readPage(admin, report + sorted), /logins-total\/schedule\//)
  expect(scheduleTo).toContain('sort=-2')
  expect(await readPage(admin, scheduleTo)).toContain(`href="${report}${sorted.replaceAll('&', '&amp;')}"`)
})

test('an admin saves a view, shares, renames, opens and deletes it, and brings it back', async () => {
  const page = await readPage(admin, report + question)
  const saveTo = linkIn(page, /\/save\//)
  expect(saveTo).toBe(`${report}save/${question}`)
  const dialog = await readPage(admin, saveTo)
  expect(fieldsOf(dialog).name).toBe('Login totals, Last 7 days, by institution')
  const nameless = await press(admin, saveTo, dialog, { name: '', isShared: 'on' })
  expect([nameless.status, nameless.page.includes('Name is required')]).toEqual([400, true])
  const saved = await press(admin, saveTo, dialog, { name: 'Logins <b>here</b>', isShared: 'on' })
  expect(saved.to.replace(/[0-9a-f-]{36}$/, 'uid')).toBe(`${report}${question}&view=uid`)
  expect(saved.page).toContain('has been saved')

  const list = await readPage(admin, views)
  expect(list).toContain('Logins &lt;b&gt;here&lt;/b&gt;')
  expect(list).toContain('Shared with all admins')
  expect(linkIn(list, /logins-total/)).toBe(saved.to)
  const seen = await readPage(colleague, views)
  expect(seen).toContain('Shared by Ana Moreau')
  const editTo = linkIn(list, /views\/[0-9a-f-]{36}\/$/)
  expect(linkIn(seen, /views\/[0-9a-f-]{36}\/$/), 'only its owner changes it').toBe('')
  expect([await refused(colleague, editTo), await refused(author, editTo), await refused(nsAdmin, editTo)]).toEqual([
    403, 403, 404,
  ])

  // Without a tick it is no longer shared.
  const { isShared: _, ...fields } = fieldsOf(await readPage(admin, editTo))
  await admin.post(editTo, { ...fields, name: 'Logins' })
  expect(await readPage(colleague, views)).not.toContain('Logins')

  const deleteTo = `${editTo}delete/`
  const deleted = await press(admin, deleteTo, await readPage(admin, deleteTo), { intent: 'confirm' })
  expect(deleted.page).toContain('has been deleted')
  expect(await readPage(admin, saved.to)).toContain('The saved view of this address was deleted')
  const restoreTo = `${views}removed/${editTo.split('/').at(-2)}/restore/`
  expect(deleted.page).toContain(restoreTo)
  const back = await press(admin, restoreTo, deleted.page, {})
  expect(back.page).toContain('“Logins” is back.')
})

test('a report that was opened from a saved view says so, and saves what was changed into it', async () => {
  const saveTo = `${report}save/${question}`
  const saved = await press(admin, saveTo, await readPage(admin, saveTo), { name: 'Week <b>', isShared: 'on' })
  const opened = saved.to
  const view = new URL(opened, 'http://here.invalid').searchParams.get('view') ?? ''
  const text = (page: string) => page.replaceAll('<!-- -->', '')
  const page = text(await readPage(admin, opened))
  expect(page).toMatch(/Saved view <strong[^>]*>Week &lt;b&gt;</)
  expect(page).not.toContain('Save changes')
  expect(page, 'the form keeps it').toMatch(new RegExp(`type="hidden" name="view" value="${view}"`))
  expect(linkIn(page, /sort=/), 'and so does the order').toContain(`view=${view}`)
  expect(linkIn(page, /\/api\/reports\/logins/)).not.toContain('view=')

  const changedTo = `${report}?period=last_month&aggregate_by=&group=learners&view=${view}&sort=-2`
  const changed = text(await readPage(admin, changedTo))
  expect(changed).toContain('You have changed what it shows.')
  expect(linkIn(changed, /period=7days.*view=/), 'as it was saved').toBe(opened)
  const [, action = ''] = /<form method="post" action="([^"]*\/view\/[^"]*)"/.exec(changed) ?? []
  const to = action.replaceAll('&amp;', '&')
  const shared = text(await readPage(colleague, changedTo))
  expect(shared).toContain('Shared by Ana Moreau')
  expect(shared, 'only its owner changes it').not.toContain('Save changes')
  const refusal = await press(colleague, to, await readPage(colleague, views), {})
  expect(refusal.page).not.toContain('has been saved')
  const kept = await press(admin, to, changed, {})
  expect(kept.page).toContain('View “Week &lt;b&gt;” has been saved.')
  expect(kept.page).not.toContain('You have changed what it shows.')
  const list = await readPage(admin, views)
  expect(linkIn(list, new RegExp(view))).toBe(
    `${report}?period=last_month&aggregate_by=&group=learners&sort=-2&view=${view}`,
  )
  const visit = await admin.send({ path: to })
  expect([visit.status, visit.headers.location]).toEqual([302, to.replace('view/?', '?')])
  for (const path of [`${report}${question}&view=nothing`, `/dashboard/reports/plays/?period=7days&view=${view}`]) {
    expect(await readPage(admin, path), path).not.toContain('Saved view ')
  }
})

test('a question that nobody can ask is not saved or scheduled, and a view that is gone does not break the list', async () => {
  for (const what of ['save', 'schedule']) {
    expect(await refused(admin, `/dashboard/reports/passwords/${what}/?period=7days`)).toBe(404)
    expect(await refused(author, `${report}${what}/${question}`)).toBe(403)
  }
  await sql`
    insert into saved_views (site_id, user_id, name, name_key, report, question)
    select site_id, id, 'Old', 'old', 'horoscopes', '{}' from users where email = 'admin@titrate.example'`.execute(db)
  expect(await readPage(admin, views)).toContain('This report no longer exists.')
  expect(await readPage(admin, `${views}?page=99`)).toContain('This page is empty')
})

test('an admin schedules a report, edits, pauses, resumes, sends and deletes it', async () => {
  const page = await readPage(admin, report + question)
  const scheduleTo = linkIn(page, /logins-total\/schedule\//)
  const dialog = await readPage(admin, scheduleTo)
  expect(dialog).toContain('Otto Moreau (otto@titrate.example)')
  expect(dialog).not.toContain('author@titrate.example')
  const isShort = 'On day 1, This Month covers only one day. Choose Last Month in the report for the whole month.'
  expect(dialog).not.toContain(isShort)
  expect(await readPage(admin, scheduleTo.replace('7days', 'this_month'))).toContain(isShort)
  const typed = { name: 'Logins each month', often: 'monthly', monthDay: 'last', time: '08:30' }
  const nobody = await press(admin, scheduleTo, dialog, typed)
  expect([nobody.status, nobody.page.includes('Choose one or more colleagues')]).toEqual([400, true])
  expect(fieldsOf(nobody.page)).toMatchObject(typed)
  const made = await press(admin, scheduleTo, nobody.page, { ...typed, recipients: colleagueUid })
  expect(made.to).toBe(report + question)
  expect(made.page).toContain('The report is scheduled. It goes out on')

  const list = await readPage(colleague, scheduled)
  expect(list).toContain('Every month on the last day at 8:30 AM')
  expect(list).toContain('Scheduled by Ana Moreau')
  const editTo = linkIn(list, /scheduled\/[0-9a-f-]{36}\/$/)
  for (const path of [editTo, `${editTo}send/`, `${editTo}delete/`]) {
    expect([await refused(author, path), await refused(nsAdmin, path)], path).toEqual([403, 404])
  }
  const form = await readPage(colleague, editTo)
  expect(fieldsOf(form)).toMatchObject({ ...typed, recipients: colleagueUid })
  const edited = await press(colleague, editTo, form, { often: 'weekly', weekday: '5' })
  expect(edited.page).toContain('Every week on Friday at 8:30 AM')
  // Who opened the form before is told.
  const late = await press(admin, editTo, form, {
    often: 'daily',
    csrf: fieldsOf(await readPage(admin, editTo)).csrf ?? '',
  })
  expect([late.status, late.page.includes('It is now: Every week on Friday')]).toEqual([409, true])

  const stateTo = `${editTo}state/`
  const paused = await press(admin, stateTo, await readPage(admin, scheduled), { intent: 'pause' })
  expect(paused.page).toContain('“Logins each month” is paused.')
  expect(await readPage(admin, editTo)).toContain('This report is paused.')
  const neither = await press(admin, stateTo, paused.page, { intent: 'x' })
  expect(neither.page).toContain('Press Pause or Resume.')
  const resumed = await press(admin, stateTo, paused.page, { intent: 'resume' })
  expect(resumed.page).toContain('“Logins each month” goes out again on')

  const sendTo = `${editTo}send/`
  const sent = await press(admin, sendTo, await readPage(admin, sendTo), { intent: 'confirm' })
  expect(sent.page).toContain('The report goes out to one colleague.')
  expect(sent.page).toContain('Not opened yet')
  const sentTo = linkIn(sent.page, /reports\/sent\//)
  expect((await admin.send({ path: sentTo })).status, 'it can be opened from the list').toBe(302)

  const deleted = await press(admin, `${editTo}delete/`, await readPage(admin, `${editTo}delete/`), {
    intent: 'confirm',
  })
  expect(deleted.page).toContain('The scheduled report has been deleted.')
  const restoreTo = `${scheduled}removed/${editTo.split('/').at(-2)}/restore/`
  expect((await press(admin, restoreTo, deleted.page, {})).page).toContain('The scheduled report is back.')
})

test('a scheduled report whose institution was deleted says so, and gets another one', async () => {
  const viewer = await aUser(db, { groups: ['admins'] })
  const ctx = await aContext(db, { viewer })
  const aUniversity = async (name: string) => (await ensureUniversity(ctx, { name })).uid
  const [gone, other] = [await aUniversity('Gone University'), await aUniversity('Other University')]
  const another = await aUniversity('Another University')
  const scheduleTo = `${report}schedule/${question}&institution=${gone}`
  const typed = { name: 'About one', often: 'daily', time: '08:00', recipients: colleagueUid }
  await press(admin, scheduleTo, await readPage(admin, scheduleTo), typed)
  const rowIn = (page: string) => page.split('<tr').find((row) => row.includes('About one')) ?? ''
  const before = rowIn(await readPage(admin, scheduled))
  expect([before.includes('Next: '), before.includes('>Pause<'), before.includes('Send now')]).toEqual([
    true,
    true,
    true,
  ])
  const listBefore = await readPage(admin, scheduled)
  await deleteUniversity(ctx, { institution: gone, replacement: other })
  const row = rowIn(await readPage(admin, scheduled))
  for (const word of ['Next: ', '>Pause<', '>Resume<', 'Send now']) expect(row).not.toContain(word)
  expect(row).toContain('Login totals, Last 7 days, by institution, Gone University (deleted)')
  expect(row).toContain('Stopped')
  expect(row).toContain('The institution of this report no longer exists.')
  expect(await readPage(admin, linkIn(row, /scheduled\/[0-9a-f-]{36}\/$/))).toContain(
    'This report has stopped. The institution of this report no longer exists.',
  )
  const institutionTo = linkIn(row, /\/institution\/$/)
  const stateTo = institutionTo.replace('institution/', 'state/')
  for (const intent of ['pause', 'resume']) {
    const refused = await press(admin, stateTo, listBefore, { intent })
    expect(refused.to).toBe(scheduled)
    expect(refused.page, `${intent} from an old list`).toContain(
      'The institution of this report no longer exists. Choose another institution.',
    )
  }
  const sendTo = institutionTo.replace('institution/', 'send/')
  const asked = await readPage(admin, sendTo)
  expect(asked).toContain('“About one” cannot go out. The institution of this report no longer exists.')
  expect(asked).not.toContain('Send now')
  const dialog = await readPage(admin, institutionTo)
  const nothing = await press(admin, institutionTo, dialog, {})
  expect([nothing.status, nothing.page.includes('Choose an institution')]).toEqual([400, true])
  const unknown = await press(admin, institutionTo, dialog, { institution: gone })
  expect([unknown.status, unknown.page.includes('This institution no longer exists. Choose another one.')]).toEqual([
    400,
    true,
  ])
  const saved = await press(admin, institutionTo, dialog, { institution: other })
  expect([saved.to, saved.page.includes('The report has another institution. It goes out on')]).toEqual([
    scheduled,
    true,
  ])
  expect(rowIn(saved.page)).toContain('Other University')
  expect(rowIn(saved.page)).toContain('>Pause<')
  const visit = await readPage(admin, institutionTo)
  expect(visit, 'there is nothing to choose any more').toContain('This report does not need another institution.')
  const second = await press(admin, institutionTo, dialog, { institution: another })
  expect([second.status, second.page.includes('This report does not need another institution.')]).toEqual([422, true])
  await sql`delete from scheduled_reports where name = 'About one'`.execute(db)
})

test('what cannot be saved leads back to the report, which says why', async () => {
  const doubled = `${question}&period=all_time`
  for (const place of ['save/', 'schedule/']) {
    for (const asked of [doubled, '?period=foo', `${question}&on=2026-01-01`]) {
      const { status, headers } = await admin.send({ path: report + place + asked })
      expect([status, headers.location], place).toEqual([302, report + asked])
      expect(await refused(author, report + place + asked), place).toBe(403)
    }
  }
  const { text } = await admin.send({ path: report + doubled })
  expect(text).toContain('The address says the same thing more than once. Please choose again.')
  const saveTo = `${report}save/${question}&unknown=1`
  const saved = await press(admin, saveTo, await readPage(admin, saveTo), { name: 'Short address' })
  expect(saved.to.replace(/&view=[0-9a-f-]{36}$/, ''), 'only what is stored').toBe(report + question)
})

test('the link of a report requires signing in, shows the days of its mail, and counts as opened', async () => {
  await sql`delete from report_runs`.execute(db)
  await sql`update scheduled_reports set next_at = date_trunc('second', now()) where state = 'active'`.execute(db)
  const ctx = await aContext(db)
  expect((await runScheduledReports(ctx)).sent).toBe(1)
  // As if the mail were of yesterday: a report of today says nothing about its day.
  const { rows } = await sql<{ uid: string; day: string; today: string }>`
    update report_runs set as_of = as_of - 1 where not is_extra
    returning uid, as_of::text as day, (as_of + 1)::text as today`.execute(db)
  const link = `/dashboard/reports/sent/${rows[0]?.uid}/`
  const visitor = await server.send({ path: link, headers: { accept: 'text/html' } })
  expect([visitor.status, visitor.headers.location]).toEqual([302, `/login/?next=${encodeURIComponent(link)}`])
  expect([await refused(author, link), await refused(nsAdmin, link)]).toEqual([403, 404])
  expect(await readPage(admin, scheduled)).toContain('Not opened yet')
  const { status, headers } = await colleague.send({ path: link })
  expect([status, headers.location]).toEqual([302, `${report}${question}&on=${rows[0]?.day}`])
  const page = await readPage(colleague, String(headers.location))
  expect(page).toContain('This report is as of')
  expect(page, 'a day is no view').not.toContain('/save/')
  const today = await readPage(colleague, `${report}${question}&on=${rows[0]?.today}`)
  expect(today).toContain('/save/')
  expect(today, 'today needs no day').not.toContain('on=2')
  expect(linkIn(page, /\/api\/reports\//)).toContain(`on=${rows[0]?.day}`)
  await expect.poll(() => readPage(admin, scheduled)).toContain('Opened by Otto Moreau')
})

test('a name that no report has is not found, in any script', async () => {
  for (const name of ['nothing', '%E6%97%A5', 'a%0D%0Ab']) {
    expect([name, (await admin.send({ path: `/dashboard/reports/${name}/view/` })).status]).toEqual([name, 404])
  }
})
