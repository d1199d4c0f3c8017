/** The documents of the search: the jobs that each write queues, and what they write. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { indexMissingContent } from '~/jobs/index-content.ts'
import { wordsVersion } from '~/lib/search-words.ts'
import type { Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import { deleteModule, publishModule, restoreModule, unpublishModule } from '~/services/modules/modules.server.ts'
import { updateModule } from '~/services/modules/save-module.server.ts'
import { textOfHtml } from '~/services/packages/html-text.ts'
import { readMissingContents } from '~/services/packages/packages.server.ts'
import { indexContent } from '~/services/search/documents.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { queryCounter } from '~db/client.server.ts'
import { seedGlossary } from '../../seed/glossary.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aContext, asOperator, aUser } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'
import { documentsOf, runIndexJobs } from '../support/search.ts'
import { db } from '../support/test.ts'

let author: Ctx
aStorage()

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
})

async function plans(): Promise<string[]> {
  const rows = await db.selectFrom('access_plans').select('uid').where('site_id', '=', author.site.id).execute()
  return rows.map(({ uid }) => uid)
}

const xml = courseXml(auXml({ title: 'The Gradient Unit', description: 'About elution' }))

/** Saved by an author; its package has not been read. */
async function aModule(name = `Module ${randomUUID().slice(0, 8)}`, pages: Record<string, string> = {}) {
  const zip = await aZip(author, packageZip(xml, pages))
  const module = await createModule(author, {
    name,
    description: 'What it is about',
    coverImg: (await aCover(author)).name,
    coverImgDesc: 'Green',
    accessPlanUids: await plans(),
    tags: [],
    chapterUid: null,
    inSelfStudy: true,
    comingSoon: false,
    cmi5Zip: zip.name,
  } as Parameters<typeof createModule>[1])
  return module
}

async function parse(moduleUid: string) {
  const row = await db
    .selectFrom('cmi5_packages')
    .innerJoin('module_versions', 'module_versions.id', 'cmi5_packages.module_version_id')
    .innerJoin('modules', 'modules.id', 'module_versions.module_id')
    .select('cmi5_packages.uid')
    .where('modules.uid', '=', moduleUid)
    .orderBy('module_versions.version', 'desc')
    .executeTakeFirstOrThrow()
  return finishPackage(author, { packageUid: row.uid })
}

test('each write of a module queues one job, and the job writes the state at that time', async () => {
  const module = await aModule('Chromatography')
  const { uid } = module
  const writes: [string, () => Promise<unknown>][] = [
    ['parsed', () => parse(uid)],
    ['updated', () => updateModule(author, { moduleUid: uid, description: 'Peaks and troughs' })],
    ['published', () => publishModule(author, { moduleUid: uid })],
    ['unpublished', () => unpublishModule(author, { moduleUid: uid })],
    ['deleted', () => deleteModule(author, { moduleUid: uid })],
    ['restored', () => restoreModule(author, { moduleUid: uid })],
  ]
  expect(await takeJobs(db, 'index-content')).toEqual([{ kind: 'module', uids: [uid] }])
  for (const [name, write] of writes) {
    await write()
    const isThere = name !== 'deleted'
    expect(await runIndexJobs(author), name).toBe(1)
    expect((await documentsOf(db, 'module', 'Chromatography')).length, name).toBe(isThere ? 1 : 0)
  }
  const [document] = await documentsOf(db, 'module', 'Chromatography')
  expect(document?.body).toContain('Peaks and troughs')
  expect(document?.body).toContain('The Gradient Unit')
  expect(document?.body).toContain('About elution')
})

test('a change that is rolled back queues nothing, and neither does one that changes nothing', async () => {
  const module = await aModule()
  await takeJobs(db, 'index-content')
  await expect(publishModule(author, { moduleUid: module.uid })).rejects.toThrow("hasn't been processed")
  await updateModule(author, { moduleUid: module.uid, name: module.name })
  expect(await takeJobs(db, 'index-content')).toEqual([])
})

test('a document has the pages of the package without scripts, and those of the published version until the next is published', async () => {
  const page = (words: string) =>
    `<!doctype html><html><head><title>T</title><style>.hidden{}</style></head><body><h1>${words}</h1><script>const secret = 1</script></body></html>`
  const module = await aModule('Two Versions', {
    'index.html': page('monolithic columns &amp; more'),
    'a/b.htm': page('Zorbax'),
  })
  await parse(module.uid)
  await publishModule(author, { moduleUid: module.uid })
  const zip = await aZip(author, packageZip(xml, { 'index.html': page('reversed phases') }))
  await updateModule(author, { moduleUid: module.uid, cmi5Zip: zip.name })
  await parse(module.uid)
  await runIndexJobs(author)
  const bodyOf = async () => (await documentsOf(db, 'module', 'Two Versions'))[0]?.body ?? ''
  expect(await bodyOf()).toContain('monolithic columns & more')
  expect(await bodyOf()).toContain('Zorbax')
  expect(await bodyOf()).not.toMatch(/secret|hidden|reversed phases/)
  await publishModule(author, { moduleUid: module.uid })
  await runIndexJobs(author)
  expect(await bodyOf()).toContain('reversed phases')
  expect(await bodyOf()).not.toContain('monolithic')
})

test('missing documents are written, also for packages from before texts were kept; a second run does nothing', async () => {
  const module = await aModule('From Before', { 'index.html': '<p>affinity tags</p>' })
  await parse(module.uid)
  await seedGlossary(asOperator(author))
  await takeJobs(db, 'index-content')
  await db.updateTable('cmi5_packages').set({ search_text: null }).execute()
  await db.deleteFrom('search_documents').execute()
  await indexMissingContent(author)
  expect((await documentsOf(db, 'module', 'From Before'))[0]?.body).toContain('affinity tags')
  expect(await documentsOf(db, 'glossary', 'Biomarker')).toHaveLength(1)
  const before = await db.selectFrom('search_documents').select(['kind', 'entity_id', 'updated_at']).execute()
  await indexMissingContent(await aContext(db))
  expect(await db.selectFrom('search_documents').select(['kind', 'entity_id', 'updated_at']).execute()).toEqual(before)
})

test('documents that older rules for words have written are written again at the next start', async () => {
  await seedGlossary(asOperator(author))
  await db
    .updateTable('search_documents')
    .set({ words_version: 0, search_key: 'old' })
    .where('kind', '=', 'glossary')
    .execute()
  await indexMissingContent(author)
  const rows = await db
    .selectFrom('search_documents')
    .select(['search_key', 'words_version'])
    .where('kind', '=', 'glossary')
    .execute()
  expect(rows.length).toBeGreaterThan(50)
  expect(
    rows.filter(({ search_key, words_version }) => search_key === 'old' || words_version !== wordsVersion),
  ).toEqual([])
})

test('deleting a tag writes the documents of everything with it again, and no others', async () => {
  const module = await aModule()
  const other = await aModule()
  const operator = asOperator(author)
  await updateModule(author, { moduleUid: module.uid, tags: ['Umbrellas'] })
  await updateModule(author, { moduleUid: other.uid, tags: ['Raincoats'] })
  await runIndexJobs(author)
  await Promise.all(Array.from({ length: 10 }, () => deleteTags(operator, { tagsToDelete: ['umbrellas'] })))
  const stale = await db.selectFrom('search_documents').select('title').where('words_version', '=', 0).execute()
  expect(stale).toEqual([{ title: module.name }])
  expect(await takeJobs(db, 'index-missing-content')).toHaveLength(1)
})

test('a module is found by the names of its step and phase, until it leaves them', async () => {
  const module = await aModule()
  const place = await db
    .selectFrom('chapters')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select(['chapters.uid', 'chapters.name as step', 'sections.name as phase'])
    .where('sections.site_id', '=', author.site.id)
    .orderBy('chapters.id')
    .executeTakeFirstOrThrow()
  const isFoundBy = async (name: string) => {
    const { rows } = await sql`
      select from search_documents where title = ${module.name} and tsv @@ phraseto_tsquery('english', ${name})`.execute(
      db,
    )
    return rows.length === 1
  }
  await updateModule(author, { moduleUid: module.uid, chapterUid: place.uid })
  await runIndexJobs(author)
  expect([await isFoundBy(place.step), await isFoundBy(place.phase)]).toEqual([true, true])
  await updateModule(author, { moduleUid: module.uid, chapterUid: null })
  await runIndexJobs(author)
  expect([await isFoundBy(place.step), await isFoundBy(place.phase)]).toEqual([false, false])
})

test('the texts of many packages are saved in batches, not one by one', async () => {
  const module = await aModule('Many Versions', { 'index.html': '<p>half a character: &#xD800;, and affinity</p>' })
  await parse(module.uid)
  await sql`
    with version as (
      insert into module_versions (module_id, version, author_name)
      select modules.id, n, '' from modules, generate_series(2, 45) n where modules.uid = ${module.uid} returning id)
    insert into cmi5_packages (module_version_id, status, zip_file_id)
    select version.id, 'parsed', first.zip_file_id from version, cmi5_packages first
    join module_versions on module_versions.id = first.module_version_id
    join modules on modules.id = module_versions.module_id where modules.uid = ${module.uid}`.execute(db)
  await db.updateTable('cmi5_packages').set({ search_text: null }).execute()
  const counter = { queries: 0 }
  await queryCounter.run(counter, () => readMissingContents(author, { moduleUids: [module.uid] }))
  expect(counter.queries).toBe(4)
  const { rows } = await sql<{ text: string }>`
    select distinct search_text as text from cmi5_packages
    join module_versions on module_versions.id = module_version_id
    join modules on modules.id = module_id where modules.uid = ${module.uid}`.execute(db)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.text).toContain('affinity')
})

test('a missing file does not stop the others from being indexed', async () => {
  const module = await aModule('Lost File')
  await parse(module.uid)
  await db.updateTable('cmi5_packages').set({ search_text: null }).execute()
  await db
    .updateTable('stored_files')
    .set({ storage_key: sql`gen_random_uuid()` })
    .where('kind', '=', 'cmi5_zip')
    .execute()
  await runIndexJobs(author)
  expect(await documentsOf(db, 'module', 'Lost File')).toHaveLength(1)
})

test('ten jobs at once leave one document with the current state', async () => {
  const module = await aModule('At Once')
  await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      await updateModule(author, { moduleUid: module.uid, description: `Number ${n}` })
      await indexContent(author, { kind: 'module', uids: [module.uid] })
    }),
  )
  const row = await db
    .selectFrom('modules')
    .select('description')
    .where('uid', '=', module.uid)
    .executeTakeFirstOrThrow()
  const documents = await documentsOf(db, 'module', 'At Once')
  expect(documents).toHaveLength(1)
  expect(documents[0]?.body).toContain(row.description)
})

test('a course from a seed is found by its name, objectives and sections', async () => {
  const uid = randomUUID()
  await createCourse(author, {
    uid,
    name: 'A Searchable Course',
    synopsis: 'In short.',
    description: 'At length.',
    learningObjectives: ['Tell a peak from noise.'],
    coverImgDesc: 'Green',
    tags: [],
    accessPlanUids: await plans(),
    sections: [{ name: 'Baselines', description: 'Drift', chapters: [] }],
    publish: true,
  })
  await runIndexJobs(author)
  const [document] = await documentsOf(db, 'course', 'A Searchable Course')
  for (const words of ['In short.', 'At length.', 'Tell a peak from noise.', 'Baselines', 'Drift'])
    expect(document?.body).toContain(words)
})

test('unknown ids are ignored', async () => {
  await indexContent(author, { kind: 'video', uids: [randomUUID(), 'nothing', ''] })
})

test.each([
  ['<p>One</p><p>two</p>', 'One two'],
  ['H<sub>2</sub>O and <b>bo</b>ld', 'H2O and bold'],
  [
    'a < b &lt; c &#946; &#x3b2; &beta; &amp;amp; &unknown; &#0; &#xd800; &#9999999;',
    'a < b < c β β β &amp; &unknown;',
  ],
  ['<!-- not > this -->seen<script>if (a < b) {}</script >after', 'seen after'],
  ['<style>p{}', ''],
  ['text <unfinished', 'text'],
  ['<SCRIPT>x</SCRIPT><P>Upper</P>', 'Upper'],
  ['<p>İ</p><script>var answer = "B"</script><P>end</p>', 'İ end'],
  ['<!DOCTYPE html><?xml?>x', 'x'],
])('reads the words of %s', (html, words) => {
  expect(textOfHtml(html)).toBe(words)
})

test('a page that is made to be slow is read in one pass', () => {
  const startedAt = performance.now()
  for (const piece of ['<', '<!--', '<script>', '<a', '&', '</', '<p>x</p>']) textOfHtml(piece.repeat(200_000))
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})
