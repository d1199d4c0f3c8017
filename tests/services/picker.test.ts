/** The server's side of a two-list picker: what is posted without JavaScript, and everything that is found. */
import { beforeAll, expect, test } from 'vitest'
import { pickerNames } from '~/forms/picked.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { modulesToPick } from '~/pages/parts.server.ts'
import { answerPicker, loadPicker, type PickerSource, withPicker } from '~/pages/picker.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

const most = 5
let source: PickerSource
/** By name, without those of `drafts`. */
let published: string[]
let drafts: string[]

beforeAll(async () => {
  const author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  source = modulesToPick(author, { field: 'chosen', most })
  const named = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${word} ${String(index).padStart(3, '0')}`)
  const insert = async (names: string[]) => {
    const rows = await db
      .insertInto('modules')
      .values(
        names.map((name) => ({ site_id: author.site.id, name, name_key: caseKey(name), search_key: searchKey(name) })),
      )
      .returning(['id', 'uid', 'name'])
      .execute()
    return rows.sort((one, other) => (one.name < other.name ? -1 : 1))
  }
  // The drafts come first by name.
  drafts = (await insert(named('Assay draft', 250))).map(({ uid }) => uid)
  const modules = await insert(named('Assay ready', 8))
  for (const { id } of modules) {
    const version = await db
      .insertInto('module_versions')
      .values({ module_id: id, version: 1 })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .updateTable('modules')
      .set({ latest_version_id: version.id, published_version_id: version.id })
      .where('id', '=', id)
      .execute()
  }
  published = modules.map(({ uid }) => uid)
})

const names = pickerNames('chosen')

/** A press of a button, with what else the form holds. */
async function press(button: string, values: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...values, [names.button]: button })) form.set(name, value)
  const view = await answerPicker(source, form)
  return view && { ...view, chosen: view.chosen.map(({ uid }) => uid), cleared: view.cleared.map(({ uid }) => uid) }
}

test('all that is found and can be chosen is added, up to the maximum, in as many queries for many as for few', async () => {
  const count = async (search: string) => {
    const counter = { queries: 0 }
    const view = await queryCounter.run(counter, () =>
      loadPicker(source, new Request(`http://x/?all=1&search=${search}`)),
    )
    return { queries: counter.queries, all: view.all?.map(({ uid }) => uid) ?? null, total: view.total }
  }
  const many = await count('assay')
  expect(many).toMatchObject({ total: 258, all: published.slice(0, most) })
  const few = await count('assay+ready')
  expect(few).toMatchObject({ total: 8, all: published.slice(0, most) })
  expect(many.queries).toBe(few.queries)
  // A search with no more results than the maximum says how many of them were left out.
  const mixed = await loadPicker(source, new Request('http://x/?all=1&search=007'))
  expect(mixed).toMatchObject({ total: 2, all: [{ uid: published[7] }], leftOut: 1 })
  expect(await press('all', { [names.search]: '007' })).toMatchObject({
    chosen: [published[7]],
    all: [{ uid: published[7] }],
    leftOut: 1,
  })
  const [draft = ''] = drafts
  const view = await press('all', { chosen: published[7] ?? '', [names.search]: 'assay' })
  expect(view?.chosen).toEqual([published[7], ...published.slice(0, most - 1)])
  expect(view?.chosen).not.toContain(draft)
})

test('a candidate with a problem is shown with it and cannot be added', async () => {
  const [draft = ''] = drafts
  const view = await press(`add:${draft}`, { [names.search]: 'assay' })
  expect(view?.chosen).toEqual([])
  expect(view?.candidates[0]).toMatchObject({ uid: draft, problem: 'Not published yet' })
  const [ready = ''] = published
  expect((await press(`add:${ready}`, { [names.search]: 'assay ready' }))?.chosen).toEqual([ready])
  // It is not on the page that the form shows.
  expect((await press(`add:${ready}`, { [names.search]: 'assay draft' }))?.chosen).toEqual([])
})

test('no more than the maximum is chosen with buttons, and Clear can be undone', async () => {
  const chosen = published.slice(0, most).join(' ')
  const search = { [names.search]: 'assay ready' }
  expect((await press(`add:${published[6]}`, { chosen, ...search }))?.chosen).toEqual(published.slice(0, most))
  const cleared = await press('clear', { chosen })
  expect(cleared).toMatchObject({ chosen: [], cleared: published.slice(0, most) })
  expect((await press('undo', { [names.cleared]: chosen }))?.chosen).toEqual(published.slice(0, most))
  expect((await press(`remove:${published[1]}`, { chosen }))?.chosen).toEqual([
    published[0],
    ...published.slice(2, most),
  ])
})

test('posted nonsense chooses nothing and leads to a page that exists', async () => {
  const nonsense = { chosen: `x ' ${drafts[0]}x \u0000`, [names.cleared]: '../', [names.page]: '-1e9' }
  for (const button of ['add:', 'add:x', 'remove:\u0000', 'page:x', 'page:-1', 'evil', 'undo', 'search', ':']) {
    const view = await press(button, nonsense)
    if (button === ':') expect(view).toBe(null)
    else expect(view, button).toMatchObject({ chosen: [], cleared: [], page: 1 })
  }
  const beyond = await press('page:99999', { [names.search]: 'assay' })
  expect(beyond).toMatchObject({ page: 26, total: 258 })
  expect(beyond?.candidates).toHaveLength(8)
  const unknown = '00000000-0000-4000-8000-000000000000'
  expect((await press('search', { chosen: unknown }))?.chosen).toEqual([])
  for (const search of ['\u0000', '\ud800', '%', "' or true --"]) {
    expect(await press('all', { [names.search]: search }), search).toMatchObject({ chosen: [] })
  }
  // The button of another picker in the same form.
  const form = new FormData()
  form.set(pickerNames('others').button, 'clear')
  expect(await answerPicker(source, form)).toBe(null)
})

test('a refused form gets its picker back, and any other answer stays as it is', async () => {
  const values = { chosen: published[2] ?? '', [names.search]: 'assay ready' }
  const refused = await withPicker(source, {
    type: 'DataWithResponseInit',
    data: { message: 'No', fieldErrors: {}, values, repeated: {}, csrf: '' },
    init: { status: 400 },
  })
  expect(refused).toMatchObject({
    data: { message: 'No', picker: { search: 'assay ready', total: 8, chosen: [{ uid: published[2] }] } },
    init: { status: 400 },
  })
  const answer = { picker: null }
  expect(await withPicker(source, answer)).toBe(answer)
})
