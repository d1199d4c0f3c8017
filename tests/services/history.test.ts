/** The history of courses, modules and terms: what was saved, and bringing any revision back. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CourseValues } from '~/forms/courses.ts'
import type { HistoryKind } from '~/forms/history.ts'
import { getHistoryView, getRestoreView } from '~/pages/history.server.ts'
import { changeAssignments } from '~/services/assignments/assignments.server.ts'
import type { Ctx } from '~/services/context.ts'
import { getCourse } from '~/services/courses/courses.server.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { deleteCourse, publishCourse } from '~/services/courses/publish-course.server.ts'
import { getCourseToEdit, saveCourse, updateCourse } from '~/services/courses/save-course.server.ts'
import { listCourseVersions, listSectionsOfVersions } from '~/services/courses/versions.server.ts'
import { Conflict, Forbidden, NotFound } from '~/services/errors.ts'
import { createGlossaryTerms, listGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { createGlossaryTerm, getGlossaryTermToEdit, updateGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { listHistory, planRevisionRestore, restoreRevision } from '~/services/history/history.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { importModule } from '~/services/modules/import-module.server.ts'
import { deleteModule } from '~/services/modules/modules.server.ts'
import { getModuleToEdit, updateModule } from '~/services/modules/save-module.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aModule, type TestModule } from '../support/cmi5.ts'
import { aContext } from '../support/context.ts'
import { rounds } from '../support/long.ts'
import { aMember, chapterUid, moduleValues, openForm, planUid, refusalOf } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { db, expectGuarded } from '../support/test.ts'

aStorage()

let admin: Ctx
let ada: Ctx
let lin: Ctx
let modules: TestModule[]
let plans: string[]

beforeAll(async () => {
  const system = await aContext(db)
  admin = await aMember(db, ['admins'], { firstName: 'Ines' })
  ada = await aMember(db, ['authors'], { firstName: 'Ada' })
  lin = await aMember(db, ['authors'], { firstName: 'Lin' })
  modules = []
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta']) modules.push(await aModule(system, { name }))
  plans = [await planUid(system), await planUid(system, 'Free Access')]
})

const aSection = (name: string, moduleUids: string[] = []): CourseValues['sections'][number] => ({
  uid: randomUUID(),
  name,
  description: '',
  chapters: [{ uid: randomUUID(), name: `Chapter of ${name}`, description: '', moduleUids }],
})

const uidOf = (index: number) => modules[index]?.uid ?? ''

async function aCourse(changes: Partial<CourseValues> = {}): Promise<string> {
  const { uid } = await createCourse(ada, {
    name: 'Reading plates',
    description: 'What it is about',
    synopsis: 'In short',
    learningObjectives: ['See', 'Count'],
    bannerImg: null,
    coverImg: null,
    coverImgDesc: 'A plate',
    durationMinutes: 30,
    tags: ['Assays', 'Screening'],
    accessPlanUids: plans.slice(0, 1),
    sections: [aSection('First', [uidOf(0), uidOf(1)]), aSection('Second', [uidOf(2)])],
    ...changes,
  })
  return uid
}

const courseState = (courseUid: string) => getCourseToEdit(ada, { courseUid })
const moduleState = (moduleUid: string) => getModuleToEdit(ada, { moduleUid })
const restore = (ctx: Ctx, kind: HistoryKind, uid: string, revision: number, opened?: number) =>
  restoreRevision(ctx, { kind, uid, revision, opened })
const atOnce = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

const viewOf = (kind: HistoryKind, uid: string, ctx = ada, part = 1) =>
  getHistoryView(ctx, { kind, uid, url: `http://titrate.example/?part=${part}` })

describe('the list', () => {
  test('names who has changed what, newest first, with the differences', async () => {
    const uid = await aCourse()
    await updateCourse(lin, { courseUid: uid, name: 'Reading many plates', tags: ['Assays', 'New'] })
    await publishCourse(ada, { courseUid: uid, publish: true, addToHomepage: true })
    const { state, revision } = await courseState(uid)
    const [first, second] = state.sections
    if (!first || !second) throw new Error('There are no sections')
    const swapped = [
      { ...second, name: 'Beginning' },
      { ...first, chapters: first.chapters.map((one) => ({ ...one, moduleUids: [uidOf(1), uidOf(3)] })) },
    ]
    await saveCourse(ada, { ...state, sections: swapped, courseUid: uid, revision })
    const { name, revisions, total } = await viewOf('course', uid)
    expect([name, total]).toEqual(['Reading many plates', 5])
    expect(revisions.map(({ what, by }) => `${what} by ${by}`)).toEqual([
      'Saved by Ada Okafor',
      'Published by Ada Okafor',
      'Saved by Ada Okafor',
      'Saved by Lin Okafor',
      'Created by Ada Okafor',
    ])
    expect(revisions.map(({ isPresent }) => isPresent)).toEqual([true, false, false, false, false])
    expect(revisions.map(({ restore }) => restore)).toEqual([
      null,
      null,
      null,
      `/dashboard/courses/${uid}/history/1/`,
      `/dashboard/courses/${uid}/history/0/`,
    ])
    const outline = revisions[0]?.changes[0]
    expect(outline?.kind === 'list' && outline.items.map(({ is, text }) => `${is} ${text}`)).toEqual([
      'removed module “Alpha” in “Chapter of First”',
      'added module “Delta” in “Chapter of First”',
      'moved section “Beginning”',
      'renamed section “Second” to “Beginning”',
    ])
    expect(revisions[3]?.changes).toEqual([
      {
        label: 'Name',
        kind: 'words',
        parts: [
          { text: 'Reading ', is: 'same' },
          { text: 'many ', is: 'added' },
          { text: 'plates', is: 'same' },
        ],
      },
      {
        label: 'Topics/tags',
        kind: 'list',
        items: [
          { text: 'Screening', is: 'removed' },
          { text: 'New', is: 'added' },
        ],
      },
    ])
    expect(revisions[4]?.changes.map(({ label }) => label)).toContain('Sections')
  })

  test('shows files, plans and chapters by their names, also when they are gone', async () => {
    const { uid } = await createModule(ada, await moduleValues(ada))
    await updateModule(ada, {
      moduleUid: uid,
      accessPlanUids: plans.slice(1),
      coverImg: (await aCover(ada, 'b.png')).name,
    })
    await updateModule(ada, { moduleUid: uid, chapterUid: await chapterUid(ada, 1), inSelfStudy: false })
    const { revisions } = await viewOf('module', uid)
    const saved = revisions.map(({ changes }) => changes)
    expect(saved[1]).toEqual([
      { label: 'Cover image', kind: 'value', before: 'cover.png', after: 'b.png' },
      {
        label: 'Groups with access',
        kind: 'list',
        items: [
          { text: 'Full Access', is: 'removed' },
          { text: 'Free Access', is: 'added' },
        ],
      },
    ])
    expect(saved[0]?.map((change) => [change.label, change.kind])).toEqual([
      ['Chapter', 'value'],
      ['Add to Modules page', 'value'],
    ])
    expect(saved[0]?.[1]).toMatchObject({ before: 'Yes', after: 'No' })
    await sweepUploads({ ...ada, now: new Date(Date.now() + 31 * 86_400_000) })
    const later = (await viewOf('module', uid)).revisions[1]?.changes[0]
    expect(later).toMatchObject({ before: 'A file that is no longer stored', after: 'b.png' })
  })

  test('has no assignments, and says of a removal only who and when', async () => {
    const uid = await aCourse()
    await changeAssignments(admin, {
      action: 'ASSIGN',
      kind: 'course',
      userUids: [admin.viewer?.uid ?? ''],
      itemUids: [uid],
    })
    await deleteCourse(ada, { courseUid: uid })
    const { revisions, total } = await viewOf('course', uid)
    expect([total, revisions.map(({ what, changes }) => [what, changes.length > 0])]).toEqual([
      2,
      [
        ['Removed', false],
        ['Created', true],
      ],
    ])
    expect(revisions[1]?.changes.map(({ label }) => label)).not.toContain('Banner image')
  })

  test('has pages of twenty', async () => {
    const uid = await aCourse()
    for (let index = 0; index < 21; index++) await updateCourse(ada, { courseUid: uid, synopsis: `Synopsis ${index}` })
    const [one, two] = [await viewOf('course', uid), await viewOf('course', uid, ada, 2)]
    expect([one.total, one.revisions.length, two.revisions.length]).toEqual([22, 20, 2])
    expect(two.revisions.at(-1)?.what).toBe('Created')
    expect((await viewOf('course', uid, ada, 9)).revisions).toEqual([])
  })

  test('is for those who may edit the content, and ends with the time in which it can be restored', async () => {
    const uid = await aCourse()
    const list = (kind: HistoryKind, uid: string) => (ctx: Ctx) => listHistory(ctx, { kind, uid })
    await expectGuarded(list('course', uid), undefined, { by: ['authors', 'admins'] })
    const { uid: termUid } = await createGlossaryTerm(admin, { name: 'Guarded', definition: 'A term' })
    await expectGuarded(list('glossary_term', termUid), undefined, { by: ['admins'] })
    for (const wrong of [randomUUID(), 'nothing', "'; drop table courses"]) {
      await expect(listHistory(ada, { kind: 'course', uid: wrong })).rejects.toThrow(NotFound)
      await expect(listHistory(ada, { kind: 'module', uid })).rejects.toThrow(NotFound)
    }
    await deleteCourse(ada, { courseUid: uid })
    const view = await viewOf('course', uid)
    expect([view.isDeleted, view.closeTo, view.revisions.map(({ restore }) => restore)]).toEqual([
      true,
      '/dashboard/trash/',
      [null, null],
    ])
    await expect(restore(ada, 'course', uid, 0)).rejects.toThrow(NotFound)
    const late = { ...ada, now: new Date(Date.now() + 31 * 86_400_000) }
    await expect(listHistory(late, { kind: 'course', uid })).rejects.toThrow(NotFound)
  })
})

test('every way to create something writes its first revision, with all fields', async () => {
  const names = ['Bulk one', 'Bulk two'].map((name) => `${name} ${randomUUID().slice(0, 8)}`)
  await createGlossaryTerms(admin, { terms: names.map((name) => ({ name, definition: 'Many at once' })) })
  const terms = (await listGlossaryTerms(admin)).items.filter(({ name }) => names.includes(name))
  expect(terms).toHaveLength(2)
  for (const { uid, name } of terms) {
    const { entries } = await listHistory(admin, { kind: 'glossary_term', uid })
    expect(entries).toMatchObject([{ revision: 0, after: { name, definition: 'Many at once' } }])
  }
  const { moduleUid } = await importModule(ada, {
    name: `Imported ${randomUUID()}`,
    description: 'From a folder',
    cmi5Zip: (await aZip(ada)).name,
    planName: 'Full Access',
    chapterName: null,
  })
  const { entries } = await listHistory(ada, { kind: 'module', uid: moduleUid })
  const { state, revision } = await moduleState(moduleUid)
  expect(entries).toMatchObject([{ action: 'module.package_imported', revision, after: state }])
})

describe('restoring a revision', () => {
  test('saves the earlier fields and sections as a new revision and a new draft version', async () => {
    const uid = await aCourse()
    const first = (await courseState(uid)).state
    await publishCourse(ada, { courseUid: uid, publish: true })
    await updateCourse(lin, { courseUid: uid, name: 'Another', sections: [aSection('Only', [uidOf(3)])], tags: [] })
    await publishCourse(ada, { courseUid: uid, publish: true })
    const view = await getRestoreView(ada, { kind: 'course', uid, revision: 0 })
    expect(view).toMatchObject({ name: 'Another', opened: 1, leftOut: [] })
    expect(view.changes.map(({ label }) => label)).toEqual(['Name', 'Topics/tags', 'Sections'])
    expect(await restore(ada, 'course', uid, 0, 1)).toEqual({ name: 'Reading plates', isChanged: true, leftOut: [] })
    expect(await courseState(uid)).toMatchObject({ state: first, revision: 2 })
    const [entry] = (await listHistory(ada, { kind: 'course', uid })).entries
    expect(entry).toMatchObject({ action: 'course.revision_restored', by: 'Ada Okafor', revision: 2 })
    // Learners keep the published version until the new one is published.
    const versionUid = (await getCourse(ada, { courseUid: uid })).currentVersionUid ?? ''
    const version = (await listCourseVersions(ada, [versionUid])).get(versionUid)
    expect(version).toMatchObject({ version: 3, status: 'draft' })
    expect((await listSectionsOfVersions(ada, [versionUid])).get(versionUid)?.map(({ name }) => name)).toEqual([
      'First',
      'Second',
    ])
  })

  test('leaves out what no longer exists, and says so', async () => {
    const gone = await aModule(await aContext(db), { name: 'Gone soon' })
    const cover = (await aCover(ada)).name
    const uid = await aCourse({
      coverImg: cover,
      tags: ['Kept', 'Dropped'],
      sections: [aSection('One', [gone.uid, uidOf(0)])],
    })
    await updateCourse(lin, { courseUid: uid, coverImg: null, tags: ['Other'], sections: [aSection('Two')] })
    await deleteTags(admin, { tagsToDelete: ['Dropped'] })
    await deleteModule(ada, { moduleUid: gone.uid })
    await sweepUploads({ ...ada, now: new Date(Date.now() + 31 * 86_400_000) })
    const restored = await restore(lin, 'course', uid, 0)
    expect(restored.leftOut).toEqual([
      '1 tag no longer exists and was left out: “Dropped”.',
      'The cover image from that revision is no longer stored, so the current one was kept.',
      '1 module no longer exists and was left out: “Gone soon”.',
    ])
    const { state } = await courseState(uid)
    expect([state.tags, state.coverImg]).toEqual([['Kept'], null])
    expect(state.sections[0]?.chapters[0]?.moduleUids).toEqual([uidOf(0)])
  })

  test('brings back a picture that somebody else had uploaded', async () => {
    const cover = (await aCover(ada)).name
    const uid = await aCourse({ coverImg: cover, bannerImg: cover })
    await updateCourse(lin, { courseUid: uid, coverImg: (await aCover(lin)).name, bannerImg: null })
    expect((await restore(lin, 'course', uid, 0)).leftOut).toEqual([])
    expect((await courseState(uid)).state).toMatchObject({ coverImg: cover, bannerImg: cover })
  })

  test('never changes the package or the cover of a module to none, and says what stays', async () => {
    const { uid } = await createModule(ada, await moduleValues(ada, { comingSoon: true, cmi5Zip: null }))
    const before = (await moduleState(uid)).state
    const zip = (await aZip(ada)).name
    await updateModule(ada, { moduleUid: uid, cmi5Zip: zip, name: 'Renamed', tags: ['Assays'], comingSoon: false })
    const { leftOut } = await restore(lin, 'module', uid, 1)
    expect(leftOut).toEqual(['The package stays. Publish an earlier version to change it.'])
    expect((await moduleState(uid)).state).toEqual({ ...before, cmi5Zip: zip })
  })

  test('an earlier state that does not meet today’s rules is refused with the reason', async () => {
    const { uid } = await createModule(ada, await moduleValues(ada))
    const { save } = await openForm(ada, uid)
    await db
      .updateTable('modules')
      .set({ name: 'x'.repeat(80) })
      .where('uid', '=', uid)
      .execute()
    await save({ name: 'Short', description: 'New' }).catch(() => {})
    await updateModule(ada, { moduleUid: uid, name: 'Short' })
    const refusal = await refusalOf(restore(ada, 'module', uid, 1))
    expect(refusal).toBeInstanceOf(Conflict)
    expect(refusal.message).toBe(
      'This revision does not meet today’s rules, so it cannot be restored. Name: At most 65 characters',
    )
    const { uid: one } = await createGlossaryTerm(admin, { name: 'Titer', definition: 'A measure' })
    await updateGlossaryTerm(admin, { termUid: one, name: 'Titration', definition: 'A measure' })
    await createGlossaryTerm(admin, { name: 'Titer', definition: 'Another' })
    expect((await refusalOf(restore(admin, 'glossary_term', one, 0))).message).toBe(
      'The glossary already has the term “Titer”.',
    )
  })

  test('is refused to those who may not edit the content, and across sites', async () => {
    const uid = await aCourse()
    await updateCourse(ada, { courseUid: uid, name: 'Changed' })
    const of = (kind: HistoryKind, uid: string) => (ctx: Ctx) => restore(ctx, kind, uid, 0)
    const plan = (ctx: Ctx) => planRevisionRestore(ctx, { kind: 'course', uid, revision: 0 })
    await expectGuarded(of('course', uid), undefined, { by: ['authors', 'admins'] })
    await expectGuarded(plan, undefined, { by: ['authors', 'admins'] })
    const module = await createModule(ada, await moduleValues(ada))
    await expectGuarded(of('module', module.uid), undefined, { by: ['authors', 'admins'] })
    const term = await createGlossaryTerm(admin, { name: 'Only admins', definition: 'A term' })
    await expectGuarded(of('glossary_term', term.uid), undefined, { by: ['admins'] })
    await expect(restore({ ...ada, scopes: ['read'] }, 'course', uid, 0)).rejects.toThrow(Forbidden)
    for (const revision of [-1, 2, 99, 1.5, Number.NaN]) {
      await expect(restore(ada, 'course', uid, revision), String(revision)).rejects.toThrow(NotFound)
    }
    expect((await courseState(uid)).state.name).toBe('Changed')
  })

  test('twice or ten times at once makes one new revision', async () => {
    const uid = await aCourse()
    await updateCourse(ada, { courseUid: uid, name: 'Changed', sections: [] })
    const results = await atOnce(10, () => restore(ada, 'course', uid, 0, 1))
    expect(results.filter(({ isChanged }) => isChanged)).toHaveLength(1)
    expect((await restore(ada, 'course', uid, 0, 1)).isChanged).toBe(false)
    expect(await courseState(uid)).toMatchObject({ revision: 2, state: { name: 'Reading plates' } })
    const term = await createGlossaryTerm(admin, { name: 'Tenfold', definition: 'One' })
    await updateGlossaryTerm(admin, { termUid: term.uid, name: 'Tenfold', definition: 'Two' })
    const terms = await atOnce(10, () => restore(admin, 'glossary_term', term.uid, 0, 1))
    expect(terms.filter(({ isChanged }) => isChanged)).toHaveLength(1)
    const module = await createModule(ada, await moduleValues(ada))
    await updateModule(ada, { moduleUid: module.uid, name: 'Changed' })
    const made = await atOnce(10, () => restore(ada, 'module', module.uid, 1, 2))
    expect(made.filter(({ isChanged }) => isChanged)).toHaveLength(1)
    expect((await moduleState(module.uid)).revision).toBe(3)
  })

  test('is refused if somebody has saved since the person was asked', async () => {
    const uid = await aCourse()
    await updateCourse(ada, { courseUid: uid, name: 'Second' })
    await updateCourse(lin, { courseUid: uid, synopsis: 'By Lin' })
    const refusal = await refusalOf(restore(ada, 'course', uid, 0, 1))
    expect([refusal.code, refusal.message.includes('Somebody has saved changes')]).toEqual([
      'revision.changed_meanwhile',
      true,
    ])
    expect((await courseState(uid)).state).toMatchObject({ name: 'Second', synopsis: 'By Lin' })
  })
})

describe('many saves and restores', () => {
  const words = ['plate', 'well', 'dose', 'assay', 'cell', 'é', '😀']

  /** Repeatable numbers below a limit. */
  function numbersFrom(seed: number): (limit: number) => number {
    let state = seed
    return (limit) => {
      state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
      return Math.floor((state / 4_294_967_296) * limit)
    }
  }

  test('give back exactly the fields of a course at each revision', async () => {
    for (let seed = 1; seed <= rounds(40); seed++) {
      const below = numbersFrom(seed)
      const some = <T>(all: readonly T[]) => all.filter(() => below(2) === 1)
      const text = () => Array.from({ length: 1 + below(5) }, () => words[below(words.length)]).join(' ')
      const uid = await aCourse()
      const states = [(await courseState(uid)).state]
      for (let step = 0; step < 12; step++) {
        const { state, revision } = await courseState(uid)
        const target = below(states.length)
        if (below(3) === 0) await restore(below(2) ? ada : lin, 'course', uid, target, revision)
        else {
          await updateCourse(below(2) ? ada : lin, {
            courseUid: uid,
            ...(below(2) && { name: text() }),
            ...(below(2) && { description: `${text()}\n${text()}` }),
            ...(below(2) && { tags: some(['Assays', 'Screening', 'New', 'Cells']) }),
            ...(below(2) && { accessPlanUids: some(plans) }),
            ...(below(2) && { learningObjectives: some(words) }),
            ...(below(2) && { durationMinutes: below(2) ? below(90) + 1 : null }),
            ...(below(2) && {
              sections: shuffled([...some(state.sections), aSection(text(), some([uidOf(3)]))], below),
            }),
          }).catch((error: unknown) => {
            // A module can be in a course only once.
            if (!(error instanceof Error) || !error.message.includes('only once')) throw error
          })
          if (below(4) === 0) await publishCourse(ada, { courseUid: uid, publish: true })
        }
        const now = await courseState(uid)
        if (now.revision === states.length) states.push(now.state)
        else expect([now.revision, now.state]).toEqual([revision, state])
      }
      const revision = below(states.length)
      await restore(ada, 'course', uid, revision)
      expect((await courseState(uid)).state, `seed ${seed}, revision ${revision}`).toEqual(states[revision])
    }
  })

  function shuffled<T>(list: T[], below: (limit: number) => number): T[] {
    return list
      .map((item) => ({ item, key: below(1000) }))
      .sort((one, other) => one.key - other.key)
      .map(({ item }) => item)
  }

  test('give back exactly the fields of a module and a term at each revision', async () => {
    const covers = [(await aCover(ada)).name, (await aCover(ada)).name]
    const chapters = [await chapterUid(ada), await chapterUid(ada, 1), null]
    for (let seed = 1; seed <= rounds(30); seed++) {
      const below = numbersFrom(seed)
      const text = () => Array.from({ length: 1 + below(4) }, () => words[below(words.length)]).join(' ')
      const { uid } = await createModule(ada, await moduleValues(ada))
      const term = await createGlossaryTerm(admin, { name: `Term ${randomUUID()}`, definition: 'First' })
      const termState = async () => {
        const { name, definition, revision } = await getGlossaryTermToEdit(admin, { termUid: term.uid })
        return { state: { name, definition }, revision }
      }
      const first = await moduleState(uid)
      const moduleStates = new Map([[first.revision, first.state]])
      const termStates = new Map([[0, (await termState()).state]])
      for (let step = 0; step < 8; step++) {
        if (below(3) === 0) {
          await restore(ada, 'module', uid, [...moduleStates.keys()][below(moduleStates.size)] ?? 1)
          await restore(admin, 'glossary_term', term.uid, below(termStates.size))
        } else {
          await updateModule(ada, {
            moduleUid: uid,
            ...(below(2) && { name: text() }),
            ...(below(2) && { description: text() }),
            ...(below(2) && { coverImg: covers[below(2)] }),
            ...(below(2) && { chapterUid: chapters[below(3)] }),
            ...(below(2) && { inSelfStudy: below(2) === 1, comingSoon: below(2) === 1 }),
            ...(below(2) && { accessPlanUids: [plans[below(2)] ?? ''] }),
          })
          const name = `Term ${randomUUID()}`
          await updateGlossaryTerm(admin, { termUid: term.uid, name, definition: text() })
        }
        const module = await moduleState(uid)
        moduleStates.set(module.revision, module.state)
        const now = await termState()
        termStates.set(now.revision, now.state)
      }
      for (const [revision, state] of [...moduleStates].filter(() => below(3) === 0)) {
        await restore(ada, 'module', uid, revision)
        expect((await moduleState(uid)).state, `seed ${seed}, module ${revision}`).toEqual(state)
      }
      for (const [revision, state] of [...termStates].filter(() => below(3) === 0)) {
        await restore(admin, 'glossary_term', term.uid, revision)
        expect((await termState()).state, `seed ${seed}, term ${revision}`).toEqual(state)
      }
    }
  })
})
