/** The trash: what it lists for whom, and bringing things back. Also whom the removal of a module concerns. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { moduleConsequencesInWords } from '~/pages/consequences.server.ts'
import { listTrashBatch, restoredInWords } from '~/pages/trash.server.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { deleteAnnouncement } from '~/services/announcements/delete-announcement.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { countPeopleInModule } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { getCourse } from '~/services/courses/courses.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { deleteCourse } from '~/services/courses/publish-course.server.ts'
import { Forbidden, Invalid } from '~/services/errors.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { createGlossaryTerm, deleteGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { deleteModule, getModule } from '~/services/modules/modules.server.ts'
import { countConsequencesOfModule } from '~/services/read/consequences.server.ts'
import { deleteTags, mergeTags } from '~/services/tags/change-tags.server.ts'
import { listAllTags } from '~/services/tags/tags.server.ts'
import { describeTrash, listTrash, listTrashKeys, restoreFromTrash } from '~/services/trash/trash.server.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { aDraft } from '../support/messages.ts'
import { aMember, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db, expectGuarded } from '../support/test.ts'

aStorage()

let system: Ctx
let admin: Ctx
let ada: Ctx

beforeAll(async () => {
  system = await aContext(db)
  admin = await aMember(db, ['admins'], { firstName: 'Ines' })
  ada = await aMember(db, ['authors'], { firstName: 'Ada' })
})

const namesFor = async (ctx: Ctx, input: Parameters<typeof listTrash>[1] = {}) =>
  (await listTrash(ctx, { size: 100, ...input })).items.map(({ name }) => name)

async function aDeletedCourse(name: string, ctx = ada): Promise<string> {
  const sections: [] = []
  const { uid } = await createCourse(ctx, { ...emptyCourse, name, sections, tags: [] })
  await deleteCourse(ctx, { courseUid: uid })
  return uid
}

const emptyCourse = {
  description: '',
  synopsis: '',
  learningObjectives: [],
  bannerImg: null,
  coverImg: null,
  coverImgDesc: '',
  durationMinutes: null,
  accessPlanUids: [],
}

async function aDeletedTerm(name: string): Promise<string> {
  const { uid } = await createGlossaryTerm(admin, { name, definition: 'A term' })
  await deleteGlossaryTerm(admin, { termUid: uid })
  return uid
}

async function aDeletedModule(name: string): Promise<string> {
  const { uid } = await aModule(system, { name })
  // A minute after everything else.
  await deleteModule({ ...ada, now: new Date(ada.now.getTime() + 60_000) }, { moduleUid: uid })
  return uid
}

/** A course that carries tags, so that the site has them. */
async function withTags(...tags: string[]): Promise<string> {
  return (await createCourse(ada, { ...emptyCourse, name: `Tagged ${randomUUID()}`, sections: [], tags })).uid
}

const tagUid = async (text: string) => (await listAllTags(admin)).find((tag) => tag.text === text)?.uid ?? ''

describe('the list', () => {
  test('holds what was removed in thirty days, by whom and when; terms and tags are for admins', async () => {
    const courseUid = await aDeletedCourse('Trash: a course')
    await aDeletedModule('Trash: b module')
    await aDeletedTerm('Trash: c term')
    await withTags('Trash: d tag', 'Trash: e tag', 'Trash: f tag')
    await deleteTags(admin, { tagsToDelete: ['Trash: d tag'] })
    await mergeTags(admin, { tagUid: await tagUid('Trash: e tag'), into: await tagUid('Trash: f tag') })
    const { items } = await listTrash(admin, { search: 'trash:', size: 100 })
    expect(items.map(({ kind, name, deletedBy, mergedInto }) => [kind, name, deletedBy, mergedInto])).toEqual([
      ['course', 'Trash: a course', 'Ada Okafor', null],
      ['module', 'Trash: b module', 'Ada Okafor', null],
      ['term', 'Trash: c term', 'Ines Okafor', null],
      ['tag', 'Trash: d tag', 'Ines Okafor', null],
      ['tag', 'Trash: e tag', 'Ines Okafor', 'Trash: f tag'],
    ])
    expect(items[0]).toMatchObject({ uid: courseUid, deletedAt: expect.any(Date) })
    expect(await namesFor(ada, { search: 'trash:' })).toEqual(['Trash: a course', 'Trash: b module'])
    const [row] = (await listTrashBatch(ada, { after: null })).rows.filter(({ name }) => name === 'Trash: a course')
    expect(row).toMatchObject({ kind: 'Course', history: `/dashboard/courses/${courseUid}/history/` })
    const later = { ...admin, now: new Date(Date.now() + 31 * 86_400_000) }
    expect(await namesFor(later)).toEqual([])
  })

  test('is searched, filtered, sorted and paged', async () => {
    for (const name of ['Find 100% Äpfel', 'Find a_b', 'Find a\\b']) await aDeletedCourse(name)
    await aDeletedModule('Find apfel')
    expect(await namesFor(admin, { search: 'find APFEL' })).toEqual(['Find 100% Äpfel', 'Find apfel'])
    expect(await namesFor(admin, { search: 'apfel' })).toEqual(['Find 100% Äpfel', 'Find apfel'])
    expect(await namesFor(admin, { search: '100%' })).toEqual(['Find 100% Äpfel'])
    expect(await namesFor(admin, { search: 'a_b' })).toEqual(['Find a_b'])
    expect(await namesFor(admin, { search: 'a\\b' })).toEqual(['Find a\\b'])
    expect(await namesFor(admin, { search: 'find \u0000' })).toEqual([])
    const find = { search: 'find' }
    expect(await namesFor(admin, { ...find, filters: { kind: ['module'] } })).toEqual(['Find apfel'])
    expect(await namesFor(admin, { ...find, filters: { kind: ['nothing'] } })).toEqual([])
    const newest = await namesFor(admin, { ...find, sort: 'deleted', isDescending: true })
    expect(newest[0]).toBe('Find apfel')
    expect((await namesFor(admin, { ...find, sort: 'deleted' })).at(-1)).toBe('Find apfel')
    for (const sort of ['kind', 'by']) expect(await namesFor(admin, { ...find, sort })).toHaveLength(4)
    const all = await namesFor(admin, find)
    const pages = [await namesFor(admin, { ...find, size: 3 }), await namesFor(admin, { ...find, size: 3, page: 2 })]
    expect(pages).toEqual([all.slice(0, 3), all.slice(3)])
    expect(await listTrash(admin, { ...find, size: 3, page: 9 })).toEqual({ items: [], total: 4 })
    expect(await listTrashKeys(admin, { ...find, most: 2 })).toHaveLength(2)
  })

  test('is for staff, and holds nothing of the other site', async () => {
    await aDeletedCourse('Only here')
    await expectGuarded(listTrash, {}, { by: ['authors', 'admins'], elsewhere: null })
    const there = await aMember(db, ['admins'], { site: 'ns' })
    expect(await namesFor(there)).toEqual([])
    expect(await describeTrash(there)).toEqual({ listed: 0, state: 'empty' })
  })

  test('the key of its state changes with every row', async () => {
    const before = await describeTrash(admin)
    const uid = await aDeletedCourse('State')
    const after = await describeTrash(admin)
    expect([after.listed, after.state === before.state]).toEqual([before.listed + 1, false])
    await restoreFromTrash(admin, { items: [`course:${uid}`] })
    expect(await describeTrash(admin)).toEqual(before)
  })

  test('has messages for admins, with those that were sent, and none while messages are switched off', async () => {
    const [draft, sent] = await Promise.all(
      ['Trash message Á', 'Trash message b'].map((subject) => aDraft(admin, { subject })),
    )
    await db
      .updateTable('announcements')
      .set({ status: 'sent' })
      .where('id', '=', sent?.id ?? 0)
      .execute()
    for (const message of [draft, sent]) await deleteAnnouncement(admin, { announcementUid: message?.uid ?? '' })
    const find = { search: 'trash message' }
    expect((await namesFor(admin, find)).sort()).toEqual(['Trash message b', 'Trash message Á'])
    expect(await namesFor(admin, { search: 'message a' })).toEqual(['Trash message Á'])
    expect(await namesFor(ada, find)).toEqual([])
    const item = `message:${draft?.uid}`
    expect((await restoreFromTrash(ada, { items: [item] })).names).toEqual([])
    const there = await aMember(db, ['admins'], { site: 'ns' })
    expect((await restoreFromTrash(there, { items: [item] })).names).toEqual([])
    const all = await Promise.all(Array.from({ length: 10 }, () => restoreFromTrash(admin, { items: [item] })))
    expect(all.every(({ names }) => names[0] === 'Trash message Á')).toBe(true)
    const restored = db
      .selectFrom('audit_entries')
      .where('entity_uid', '=', draft?.uid ?? '')
      .selectAll()
    expect(await restored.where('action', '=', 'announcement.restored').execute()).toHaveLength(1)
    const flag = db.updateTable('feature_flags').where('site_id', '=', admin.site.id)
    await flag.set({ is_on: false }).where('name', '=', 'ANNOUNCEMENTS').execute()
    expect(await namesFor(admin, find)).toEqual([])
    await flag.set({ is_on: true }).where('name', '=', 'ANNOUNCEMENTS').execute()
    expect(await namesFor(admin, find)).toEqual(['Trash message b'])
  })

  test('has no terms while the glossary is switched off', async () => {
    await aDeletedTerm('Switched off')
    const flag = db.updateTable('feature_flags').where('site_id', '=', admin.site.id).where('name', '=', 'GLOSSARY')
    await flag.set({ is_on: false }).execute()
    expect(await namesFor(admin, { search: 'switched off' })).toEqual([])
    await flag.set({ is_on: true }).execute()
    expect(await namesFor(admin, { search: 'switched off' })).toEqual(['Switched off'])
  })
})

describe('restoring', () => {
  test('brings back everything that is selected, and says what could not come back and why', async () => {
    const courseUid = await aDeletedCourse('Back: course')
    const moduleUid = await aDeletedModule('Back: module')
    const termUid = await aDeletedTerm('Back: term')
    await withTags('Back: tag')
    await deleteTags(admin, { tagsToDelete: ['Back: tag'] })
    const [tag] = (await listTrash(admin, { search: 'back: tag' })).items
    await createGlossaryTerm(admin, { name: 'Back: term', definition: 'It has taken the name' })
    const items = [
      `course:${courseUid}`,
      `module:${moduleUid}`,
      `term:${termUid}`,
      `tag:${tag?.uid}`,
      `course:${randomUUID()}`,
    ]
    const restored = await restoreFromTrash(admin, { items })
    expect(restored).toEqual({
      names: ['Back: course', 'Back: module', 'Back: tag'],
      refused: [
        { name: 'Back: term', reason: 'The glossary already has the term “Back: term”.' },
        { name: 'One item', reason: 'It is no longer in the trash.' },
      ],
    })
    expect(restoredInWords(restored)).toEqual({
      kind: 'error',
      text:
        '3 items are back. “Back: term” could not be restored: The glossary already has the term “Back: term”. ' +
        '“One item” could not be restored: It is no longer in the trash.',
    })
    expect((await getCourse(ada, { courseUid })).name).toBe('Back: course')
    expect((await getModule(ada, { moduleUid })).name).toBe('Back: module')
    expect(await tagUid('Back: tag')).not.toBe('')
  })

  test('is refused to those who could not have removed it', async () => {
    const course = `course:${await aDeletedCourse('Guarded')}`
    const term = `term:${await aDeletedTerm('Guarded')}`
    await expectGuarded(restoreFromTrash, { items: [course] }, { by: ['authors', 'admins'], elsewhere: null })
    const there = await aMember(db, ['admins'], { site: 'ns' })
    const nothing = { names: [], refused: [{ name: 'One item', reason: 'It is no longer in the trash.' }] }
    expect(await restoreFromTrash(there, { items: [course] })).toEqual(nothing)
    const { names, refused } = await restoreFromTrash(ada, { items: [term] })
    expect([names, refused[0]?.name]).toEqual([[], 'One item'])
    await expect(restoreFromTrash({ ...ada, scopes: ['read'] }, { items: [course] })).rejects.toThrow(Forbidden)
    expect(await namesFor(admin, { search: 'guarded' })).toEqual(['Guarded', 'Guarded'])
  })

  test('twice or ten times at once brings it back once', async () => {
    const courseUid = await aDeletedCourse('Tenfold')
    const all = await Promise.all(
      Array.from({ length: 10 }, () => restoreFromTrash(ada, { items: [`course:${courseUid}`] })),
    )
    expect(all.every(({ names }) => names[0] === 'Tenfold')).toBe(true)
    const restored = db.selectFrom('audit_entries').where('entity_uid', '=', courseUid).selectAll()
    expect(await restored.where('action', '=', 'course.restored').execute()).toHaveLength(1)
    await withTags('Tenfold tag')
    await deleteTags(admin, { tagsToDelete: ['Tenfold tag'] })
    const [tag] = (await listTrash(admin, { search: 'tenfold tag' })).items
    const tags = await Promise.all(
      Array.from({ length: 10 }, () => restoreFromTrash(admin, { items: [`tag:${tag?.uid}`] })),
    )
    expect(tags.filter(({ names }) => names.length === 1)).toHaveLength(1)
  })

  test('bad input gets a clear sentence', async () => {
    for (const [items, sentence] of [
      [[], 'Select what you want to restore'],
      [['nothing'], 'There is no such item in the trash'],
      [[`person:${randomUUID()}`], 'There is no such item in the trash'],
      [[`__proto__:${randomUUID()}`], 'There is no such item in the trash'],
      [Array.from({ length: 101 }, () => `course:${randomUUID()}`), 'At most 100 items can be restored at once'],
    ] as const) {
      const refusal = await refusalOf(restoreFromTrash(ada, { items: [...items] }))
      expect([refusal instanceof Invalid, refusal.message]).toEqual([true, sentence])
    }
  })
})

test('A-088 before a module is removed, its learners, assignments, favorites and courses are counted', async () => {
  const module = await aModule(system, { name: 'Consequences' })
  const people = [await aLearner(), await aLearner()]
  expect(await countConsequencesOfModule(ada, { moduleUid: module.uid })).toEqual({
    completed: 0,
    assignments: 0,
    favorites: 0,
    courses: 0,
  })
  const [one, other] = people
  if (!one?.viewer || !other?.viewer) throw new Error('There are no learners')
  await visit(one, { moduleVersionUid: module.versionUid })
  const another = await aLearner()
  await visit(another, { moduleVersionUid: module.versionUid }, 'completed')
  await setFavorite(one, { action: 'ADD', studyUnitType: 'module', uid: module.uid })
  await changeAssignments(admin, {
    action: 'ASSIGN',
    kind: 'module',
    userUids: [other.viewer.uid],
    itemUids: [module.uid],
  })
  const chapter = { uid: null, name: 'Chapter', description: '', moduleUids: [module.uid] }
  const sections = [{ uid: null, name: 'Section', description: '', chapters: [chapter] }]
  for (const name of ['First', 'Second']) await createCourse(ada, { ...emptyCourse, name, sections, tags: [] })
  const counted = await countConsequencesOfModule(ada, { moduleUid: module.uid })
  expect(counted).toEqual({ completed: 1, assignments: 1, favorites: 1, courses: 2 })
  const words = moduleConsequencesInWords(counted, await countPeopleInModule(ada, { moduleUid: module.uid }))
  expect(words).toEqual([
    '1 learner is in the middle of this module. They cannot continue.',
    '1 learner has completed it. Their records are kept.',
    '1 assignment disappears.',
    '1 learner loses it from their saved items.',
    '2 courses contain it, and lose it.',
    'All related CMI5 content is removed with it.',
    'This may affect the progress of learners who have started it.',
    'You can undo this for thirty days.',
  ])
  // Erased people miss nothing.
  await erase(db, one.viewer)
  await erase(db, another.viewer)
  expect(await countConsequencesOfModule(ada, { moduleUid: module.uid })).toMatchObject({ completed: 0 })
  expect(await countPeopleInModule(ada, { moduleUid: module.uid })).toMatchObject({ inProgress: 0 })
  await expectGuarded(
    countConsequencesOfModule,
    { moduleUid: module.uid },
    { by: ['authors', 'admins'], elsewhere: null },
  )
})

async function aLearner(): Promise<Ctx> {
  return aContext(db, { viewer: await aUser(db) })
}

test('deleted accounts are listed for admins with who deleted them, and brought back', async () => {
  const person = await aUser(db, { firstName: 'Zelda', lastName: 'Quist', email: 'zelda@trash.example' })
  await erase(db, await aUser(db, { firstName: 'Purged' }))
  await deleteUser(admin, { userUid: person.uid })
  const input = { filters: { kind: ['user'] }, search: 'zelda@trash' }
  const { items } = await listTrash(admin, input)
  expect(items).toMatchObject([
    { kind: 'user', uid: person.uid, name: 'Zelda Quist (zelda@trash.example)', deletedBy: 'Ines Okafor' },
  ])
  expect(await namesFor(admin, { filters: { kind: ['user'] } })).toHaveLength(1)
  expect(await namesFor(ada, input), 'authors').toEqual([])
  const key = `user:${person.uid}`
  await expect(restoreFromTrash(ada, { items: [key] })).resolves.toMatchObject({ names: [], refused: [{}] })
  expect(await restoreFromTrash(admin, { items: [key, key] })).toEqual({ names: ['Zelda Quist'], refused: [] })
  expect((await listTrash(admin, input)).items).toEqual([])
})
