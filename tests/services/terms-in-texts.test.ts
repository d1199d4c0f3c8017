import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { updateCourse } from '~/services/courses/save-course.server.ts'
import { createGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { createGlossaryTerm, deleteGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { findTermsInTexts } from '~/services/glossary/terms-in-texts.server.ts'
import { updateLecture } from '~/services/lectures/save-lecture.server.ts'
import { updateModule } from '~/services/modules/save-module.server.ts'
import { updateVideo } from '~/services/videos/save-video.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { ctx, db } from '../support/test.ts'

let operator: Ctx
let ada: Ctx

beforeAll(async () => {
  operator = await aContext(db, { isOperator: true })
  ada = await aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })
  for (const name of ['Biomarker', 'Clinical trials', 'Ménière’s disease', '5-HT', 'α-helix', 'API', 'Analyses']) {
    await createGlossaryTerm(operator, { name, definition: `What ${name} means.` })
  }
})

const namesIn = async (...texts: string[]) => (await findTermsInTexts(ctx, { texts })).map(({ name }) => name)

test.each([
  ['Two biomarkers.', ['Biomarker']],
  ['A CLINICAL TRIAL', ['Clinical trials']],
  ['It is Ménière’s disease', ['Ménière’s disease']],
  ['5-HT and an α-helix', ['5-HT', 'α-helix']],
  ['an analysis', ['Analyses']],
  ['APIs', ['API']],
  ['nothing of this', []],
  ['', []],
])('the glossary is searched for the words of %j', async (text, expected) => {
  expect((await namesIn(text)).sort()).toEqual([...expected].sort())
})

test('all texts of a page are searched at once', async () => {
  expect(await namesIn('A biomarker', 'in an API')).toEqual(['API', 'Biomarker'])
  const [term] = await findTermsInTexts(ctx, { texts: ['biomarker'] })
  expect(term).toEqual({ slug: 'biomarker', name: 'Biomarker', definition: 'What Biomarker means.' })
})

test('what is removed, of the other site, or switched off is not found', async () => {
  const { uid } = await createGlossaryTerm(operator, { name: 'Ephemeral', definition: 'Gone soon.' })
  expect(await namesIn('ephemeral')).toEqual(['Ephemeral'])
  await deleteGlossaryTerm(operator, { termUid: uid })
  expect(await namesIn('ephemeral')).toEqual([])
  const elsewhere = await aContext(db, { site: 'ns' })
  expect(await findTermsInTexts(elsewhere, { texts: ['biomarker'] })).toEqual([])
  const setFlag = (isOn: boolean) =>
    db
      .updateTable('feature_flags')
      .set({ is_on: isOn })
      .where('site_id', '=', ctx.site.id)
      .where('name', '=', 'GLOSSARY')
      .execute()
  await setFlag(false)
  expect(await namesIn('biomarker')).toEqual([])
  await setFlag(true)
  expect(await namesIn('biomarker')).toEqual(['Biomarker'])
})

describe('an author switches the definitions off', () => {
  test.each([
    [
      'courses',
      async () => (await aCourse(db)).uid,
      (courseUid: string, showsTerms: boolean) => updateCourse(ada, { courseUid, showsTerms }),
    ],
    [
      'modules',
      async () => (await aModule(operator, { comingSoon: true })).uid,
      (moduleUid: string, showsTerms: boolean) => updateModule(ada, { moduleUid, showsTerms }),
    ],
    [
      'lectures',
      async () => (await aLecture(db)).uid,
      (lectureUid: string, showsTerms: boolean) => updateLecture(ada, { lectureUid, showsTerms }),
    ],
    [
      'videos',
      async () => (await aVideo(db)).uid,
      (videoUid: string, showsTerms: boolean) => updateVideo(ada, { videoUid, showsTerms }),
    ],
  ] as const)('of %s, and on again, and each change is in the audit log', async (kind, make, write) => {
    const uid = await make()
    const found = async () => (await findTermsInTexts(ctx, { texts: ['biomarker'], of: { kind, uid } })).length
    expect(await found()).toBe(1)
    expect(await write(uid, false)).toMatchObject({ showsTerms: false })
    expect(await found()).toBe(0)
    await write(uid, false)
    expect(await write(uid, true)).toMatchObject({ showsTerms: true })
    expect(await found()).toBe(1)
    const { rows } = await sql`
      select before, after from audit_entries where entity_uid = ${uid} and after ? 'showsTerms' order by id`.execute(
      db,
    )
    expect(rows).toMatchObject([
      { before: { showsTerms: true }, after: { showsTerms: false, revision: 1 } },
      { before: { showsTerms: false }, after: { showsTerms: true, revision: 2 } },
    ])
  })

  test('an item that is not there has no definitions', async () => {
    const of = { kind: 'courses', uid: randomUUID() } as const
    expect(await findTermsInTexts(ctx, { texts: ['biomarker'], of })).toEqual([])
  })
})

test('of 5,000 terms only those of the text are read, by an index', async () => {
  const terms = Array.from({ length: 5000 }, (_, index) => ({ name: `Word${index} of many`, definition: 'One.' }))
  await createGlossaryTerms(operator, { terms })
  expect(await namesIn('word7 of many, word4321')).toEqual(['Word4321 of many', 'Word7 of many'])
  await sql`analyze glossary_terms`.execute(db)
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select slug from glossary_terms
    where site_id = ${ctx.site.id} and deleted_at is null and first_word = any(${['word7', 'word8']}::text[])`.execute(
    db,
  )
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('glossary_terms_by_first_word')
})

test('hostile texts find nothing and raise no error', async () => {
  const texts = [
    ' '.repeat(20_000),
    'a'.repeat(20_000),
    '\u{1d11e}\u0301 '.repeat(3000),
    '{"},\\\'"'.repeat(2000),
    'ﷺ'.repeat(5000),
  ]
  for (const text of texts) expect(await namesIn(text)).toEqual([])
})
