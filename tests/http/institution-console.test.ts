/** Institutions in the console with plain forms, as without JavaScript. */
import { beforeAll, expect, test } from 'vitest'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer } from '../support/http.ts'
import { fieldsOf, press, readPage } from '../support/plain-forms.ts'

const list = '/dashboard/institutions/'
let admin: Browser
let basel: string
let bern: string
let home: string

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const viewer = await aUser(db, { groups: ['admins'], email: 'admin@titrate.example' })
    const ctx = await aContext(db, { viewer })
    basel = (await ensureUniversity(ctx, { name: 'Basel University' })).uid
    bern = (await ensureUniversity(ctx, { name: 'Bern University' })).uid
    const conditions = [{ about: 'institution', how: 'is', values: [basel] }]
    await createAudience(ctx, { name: 'People of Basel', conditions })
    home = (await ensureUniversity(ctx, { name: 'Home University' })).uid
    await db
      .updateTable('sites')
      .set((eb) => ({ default_university_id: eb.selectFrom('universities').select('id').where('uid', '=', home) }))
      .where('id', '=', ctx.site.id)
      .execute()
    await close()
  })
  admin = aBrowser(server)
  await admin.signIn('admin@titrate.example')
})

/** The institutions that a list of the page offers. */
function offered(page: string, name: string): string[] {
  const [, options = ''] = new RegExp(`<select [^>]*name="${name}"[^>]*>(.*?)</select>`, 's').exec(page) ?? []
  return [...options.matchAll(/<option value="([^"]+)"/g)].map(([, uid = '']) => uid)
}

test('C-109 without JavaScript, too, an institution is not offered as its own replacement', async () => {
  const page = await readPage(admin, `${list}delete/?institution=${basel}`)
  expect(offered(page, 'institution')).toContain(basel)
  expect(offered(page, 'replacement')).toContain(bern)
  expect(offered(page, 'replacement')).not.toContain(basel)
  const searched = await readPage(admin, `${list}?search=basel`)
  expect(searched, 'the search does not become a part of the uid').toContain(
    `delete/?institution=${basel}&amp;search=basel"`,
  )
})

test('a name that another institution has leads to merging the two, which can be undone', async () => {
  const edit = `${list}${basel}/`
  const typed = { name: 'BERN university', intent: 'save' }
  const refused = await press(admin, edit, await readPage(admin, edit), typed)
  expect(refused.page).toContain('There is already an institution “Bern University”. You can merge the two.')
  const merge = await press(admin, edit, refused.page, { intent: 'merge' })
  expect(merge.to).toBe(`${list}${basel}/merge/?into=${bern}`)
  expect(merge.page).toContain('Merge “Basel University”')
  expect(fieldsOf(merge.page).replacement, 'the other one is filled in').toBe(bern)
  expect(offered(merge.page, 'replacement')).not.toContain(basel)
  // Only what somebody has seen the consequences of is done.
  const seen = await press(admin, merge.to, merge.page, { intent: 'merge' })
  expect(seen.page).toContain('Nobody belongs to “Basel University”.')
  expect(seen.page).toContain(
    '“Basel University” is then deleted. One audience will no longer find people by it. You can undo this for thirty days.',
  )
  const other = await press(admin, merge.to, seen.page, { intent: 'merge', replacement: home })
  expect(other.to, 'another choice is shown first, too').toBe('')
  const done = await press(admin, merge.to, seen.page, { intent: 'merge' })
  expect([done.to, done.page.includes('“Basel University” has been merged into “Bern University”.')]).toEqual([
    list,
    true,
  ])
  const [undo = ''] = /\/dashboard\/institutions\/removed\/[^"]+\/restore\//.exec(done.page) ?? []
  expect((await press(admin, undo, done.page, {})).page).toContain('“Basel University” is back.')
})

test('the default institution stays when it is renamed to another one, which is merged into it', async () => {
  const edit = `${list}${home}/`
  const tampered = await press(admin, edit, await readPage(admin, edit), { intent: 'merge' })
  expect([tampered.status, tampered.page.includes('Choose the other institution.')]).toEqual([400, true])
  const opened = await readPage(admin, edit)
  expect(opened).not.toContain('>Merge<')
  const refused = await press(admin, edit, opened, { name: 'Bern University', intent: 'save' })
  const merge = await press(admin, edit, refused.page, { intent: 'merge' })
  expect(merge.to).toBe(`${list}${bern}/merge/?into=${home}`)
  const other = await admin.send({ path: `${list}${home}/merge/?into=${bern}` })
  expect(other.headers.location).toBe(`${list}${bern}/merge/?into=${home}`)
  for (const nothing of ['', `?into=${home}`]) {
    const { headers } = await admin.send({ path: `${list}${home}/merge/${nothing}` })
    expect(headers.location, nothing).toBe(`${list}${home}/`)
  }
  const renamed = await press(admin, edit, refused.page, { name: 'House', intent: 'save' })
  expect(renamed.page, 'another name can still be typed').toContain('Universities have been updated.')
})
