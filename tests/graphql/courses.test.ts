/** Courses, the list of courses and assignments for programs, with the operations of the contract. */
import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { aCover } from '../support/attachments.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { planUid } from '../support/module-editing.ts'
import { aStorage } from '../support/packages.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

aStorage()

let graphql: Awaited<ReturnType<typeof startGraphql>>
let admin: GraphqlClient
let author: GraphqlClient
let learner: GraphqlClient
let abroad: GraphqlClient
let ctx: Ctx
let modules: { uid: string; name: string }[]

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
  const ada = await aUser(db, { groups: ['authors'], firstName: 'Ada' })
  ctx = await aContext(db, { viewer: ada })
  author = await graphql.clientFor(db, ada)
  admin = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null }))
  learner = await graphql.clientFor(db, await aUser(db))
  abroad = await graphql.clientFor(db, await aUser(db, { site: 'ns', groups: ['admins'], plan: null }), 'ns')
  modules = []
  for (const name of ['Alpha', 'Beta', 'Unused']) {
    modules.push({ uid: (await aModule(await aContext(db), { name })).uid, name })
  }
})
afterAll(() => graphql.close())

async function run(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return (await client.run(print(operation.document), variables)).body
}

/** The uids of the courses that somebody is listed. */
async function coursesOf(client: GraphqlClient): Promise<string[]> {
  const { data } = await run(client, 'Courses', { first: 100 })
  return data.courses.edges.map(({ node }: { node: { uid: string } }) => node.uid)
}

const given = async () => {
  const [alpha, beta] = modules
  return {
    name: 'From bench to bedside',
    description: 'What it is about',
    synopsis: 'In short',
    learningObjectives: ['Know it', 'Do it'],
    bannerImg: (await aCover(ctx, 'banner.png')).name,
    coverImg: (await aCover(ctx, 'cover.png')).name,
    coverImgDesc: 'A plate',
    tags: ['Assays'],
    accessPlanUids: [await planUid(ctx)],
    sections: [
      {
        name: 'Basics',
        description: 'The first steps',
        chapters: [
          { name: 'One', description: 'To begin with', moduleUids: [beta?.uid, alpha?.uid] },
          { name: 'Two', moduleUids: [] },
        ],
      },
    ],
  }
}

test('A-124 A-211 A-223 a course is created with all that it can have, and the list of courses returns it', async () => {
  const values = await given()
  const { accessPlanUids, bannerImg, coverImg, sections: _sections, tags: _tags, ...texts } = values
  const created = await run(author, 'CreateCourse', values)
  expect(created.errors).toBeUndefined()
  const { course } = created.data.createCourse
  expect(course).toMatchObject({
    ...texts,
    bannerImg: { name: bannerImg, originalFileName: 'banner.png' },
    coverImg: { name: coverImg, originalFileName: 'cover.png' },
    tags: [{ text: 'Assays' }],
    accessPlans: [{ uid: accessPlanUids[0], name: 'Full Access' }],
    version: {
      version: 1,
      status: 'draft',
      author: { firstName: 'Ada' },
      sections: [
        {
          name: 'Basics',
          description: 'The first steps',
          chapters: [
            { name: 'One', description: 'To begin with', modules: [{ name: 'Beta' }, { name: 'Alpha' }] },
            { name: 'Two', modules: [] },
          ],
        },
      ],
    },
  })
  const listed = await run(author, 'Courses')
  expect(listed.data.courses.edges).toEqual([{ node: course }])
  expect(listed.data.courses).toMatchObject({ totalCount: 1, pageInfo: { hasNextPage: false } })
  expect(await coursesOf(learner), 'a draft').toEqual([])
  expect(await coursesOf(abroad), 'on the other site').toEqual([])
})

test('A-224 A-225 a course changes in what is given, and is published and unpublished', async () => {
  const { course } = (await run(author, 'CreateCourse', await given())).data.createCourse
  const { id, uid } = course
  const changed = await run(author, 'UpdateCourse', { id, name: 'Renamed' })
  expect(changed.data.updateCourse.course).toEqual({ ...course, name: 'Renamed', lastUpdatedTs: expect.any(String) })
  const [section] = course.version.sections
  const chapters = section.chapters.map(({ uid, name }: { uid: string; name: string }) => ({ uid, name }))
  const sections = [{ uid: section.uid, name: 'Basics again', chapters }]
  const rebuilt = await run(author, 'UpdateCourse', { id, sections, tags: ['Doses'] })
  expect(rebuilt.data.updateCourse.course).toMatchObject({ name: 'Renamed', tags: [{ text: 'Doses' }] })
  expect(rebuilt.data.updateCourse.course.version.sections).toMatchObject([{ uid: section.uid, name: 'Basics again' }])
  // a tag has at most fifty characters.
  const long = await run(author, 'UpdateCourse', { id, tags: ['x'.repeat(80)] })
  expect(long.data.updateCourse.course.tags).toMatchObject([{ text: 'x'.repeat(50) }])
  const published = await run(author, 'PublishCourse', { id, publish: true, addToHomepage: true })
  expect(published.data.publishCourse.course).toMatchObject({ addToHomepage: true, version: { status: 'published' } })
  expect(await coursesOf(learner)).toContain(uid)
  const unpublished = await run(author, 'PublishCourse', { id, publish: false })
  expect(unpublished.data.publishCourse.course).toMatchObject({ version: { status: 'draft' } })
  expect(await coursesOf(learner)).not.toContain(uid)
  const again = await run(author, 'UpdateCourse', { id, status: 'published' })
  expect(again.data.updateCourse.course.version.status).toBe('published')
})

test('A-113 A-212 A-226 the list of courses is in the order that was set, without a course that is deleted', async () => {
  const made = []
  for (const name of ['First', 'Second', 'Third']) made.push(await aCourse(db, { name }))
  const items = [made[2], made[0], made[1]].map((course) => course?.uid ?? '')
  const set = await run(admin, 'SetCourseCatalogItems', { items })
  expect(set.data.setCourseCatalogItems.items.map(({ course }: { course: { uid: string } }) => course.uid)).toEqual(
    items,
  )
  const catalog = async (client: GraphqlClient) => {
    const { edges } = (await run(client, 'CourseCatalog')).data.courseCatalog
    return edges.map(({ node }: { node: { id: string; rank: number; course: { name: string } } }) => node)
  }
  const listed = await catalog(learner)
  expect(listed.map(({ course }: { course: { name: string } }) => course.name)).toEqual(['Third', 'First', 'Second'])
  const ranks = listed.map(({ rank }: { rank: number }) => rank)
  expect(ranks).toEqual([...new Set<number>(ranks)].sort((one, other) => one - other))
  expect(new Set(listed.map(({ id }: { id: string }) => id)).size).toBe(3)
  const { id, uid } = listed[0].course
  const deleted = await run(author, 'DeleteCourse', { id })
  expect(deleted.data.deleteCourse).toEqual({ id, uid })
  expect(await coursesOf(author)).not.toContain(uid)
  const after = await catalog(learner)
  expect(after.map(({ course }: { course: { name: string } }) => course.name)).toEqual(['First', 'Second'])
  expect((await run(author, 'DeleteCourse', { id })).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
})

test('A-219 the courses of a module are named, and none for a module that no course has', async () => {
  const courses = []
  for (const name of ['With Alpha', 'Also with Alpha']) {
    courses.push((await run(author, 'CreateCourse', { ...(await given()), name })).data.createCourse.course)
  }
  const namesOf = async (moduleUid = '') => {
    const { data } = await run(author, 'CoursesWithModule', { moduleUid })
    return data.coursesWithModule.map(({ name }: { name: string }) => name)
  }
  expect(await namesOf(modules[0]?.uid)).toEqual(expect.arrayContaining(['With Alpha', 'Also with Alpha']))
  expect(await namesOf(modules[2]?.uid)).toEqual([])
})

test('others can neither write nor delete courses', async () => {
  const { id } = (await run(author, 'CreateCourse', await given())).data.createCourse.course
  for (const client of [learner, abroad, graphql.client()]) {
    for (const [name, variables] of [
      ['UpdateCourse', { id, name: 'Mine' }],
      ['PublishCourse', { id, publish: true }],
      ['DeleteCourse', { id }],
    ] as const) {
      expect((await run(client, name, variables)).errors, name).toHaveLength(1)
    }
  }
  expect((await run(learner, 'CreateCourse', { name: 'Mine' })).errors).toHaveLength(1)
  expect((await run(author, 'SetCourseCatalogItems', { items: [] })).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
})

test('C-231 modules and courses are assigned to people, each once, and taken back', async () => {
  const people = [await aUser(db), await aUser(db)]
  const userUids = people.map(({ uid }) => uid)
  const moduleUids = modules.slice(0, 2).map(({ uid }) => uid)
  const courseUids = [(await aCourse(db)).uid, (await aCourse(db)).uid]
  for (const [name, field, uids] of [
    ['ModuleAssignmentAction', 'moduleAssignmentAction', { moduleUids }],
    ['CourseAssignmentAction', 'courseAssignmentAction', { courseUids }],
  ] as const) {
    for (let time = 0; time < 2; time++) {
      const { data } = await run(admin, name, { data: { action: 'ASSIGN', userUids, ...uids } })
      expect(data[field].assignments, `${name}, time ${time}`).toHaveLength(4)
    }
  }
  const assigned = async () => (await run(admin, 'UserAssignments', { userUids })).data.userAssignments
  for (const one of await assigned()) {
    expect(one.modules.map(({ uid }: { uid: string }) => uid).sort()).toEqual([...moduleUids].sort())
    expect(one.courses.map(({ uid }: { uid: string }) => uid).sort()).toEqual([...courseUids].sort())
  }
  await run(admin, 'ModuleAssignmentAction', { data: { action: 'UNASSIGN', userUids, moduleUids } })
  await run(admin, 'CourseAssignmentAction', { data: { action: 'UNASSIGN', userUids, courseUids } })
  for (const one of await assigned()) expect(one).toMatchObject({ modules: [], courses: [] })
  for (const client of [author, learner, graphql.client()]) {
    const { errors } = await run(client, 'ModuleAssignmentAction', { data: { action: 'ASSIGN', userUids, moduleUids } })
    expect(errors).toHaveLength(1)
  }
})
