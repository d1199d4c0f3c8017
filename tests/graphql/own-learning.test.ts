import { print } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Viewer } from '~/services/context.ts'
import { aModule, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { aCourse, aCourseOf } from '../support/courses.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

/** The person, her favorites, progress and assignments (02-me, 03-progress-and-assignments), as programs ask for them. */
let graphql: Awaited<ReturnType<typeof startGraphql>>
let admin: GraphqlClient
let closed: TestModule

beforeAll(async () => {
  graphql = await startGraphql(databaseUrl)
  admin = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null }))
  closed = await aModule(await aContext(db), { name: 'Closed', plan: 'Free Access' })
})
afterAll(() => graphql.close())

function run(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return client.run(print(operation.document), variables)
}

test.each(['learners', 'instructors', 'admins', 'authors'] as const)(
  'L-010 L-011 the group of somebody is named %s',
  async (name) => {
    const client = await graphql.clientFor(db, await aUser(db, { groups: [name] }))
    expect((await run(client, 'Me')).body.data.me.groups).toEqual([{ name }])
  },
)

test('L-150 L-151 L-152 a person reads everything about herself, with what she opened last', async () => {
  const viewer = await aUser(db, { email: 'whole@titrate.example' })
  const client = await graphql.clientFor(db, viewer)
  const module = await aModule(await aContext(db))
  await run(client, 'ModuleLaunchInfo', { moduleVersionUid: module.versionUid })
  const plan = db.updateTable('subscriptions').where('user_id', '=', viewer.id)
  await plan.set({ valid_from: new Date('2026-01-01'), valid_to: new Date('2099-01-01') }).execute()
  await run(admin, 'UpdateUser', { data: { id: viewer.uid, university: 'An Institution' } })
  const { errors, data } = (await run(client, 'Me')).body
  expect(errors).toBeUndefined()
  expect(data.me).toEqual({
    id: expect.any(String),
    uid: viewer.uid,
    firstName: 'Ada',
    lastName: 'Okafor',
    email: 'whole@titrate.example',
    university: { id: expect.any(String), uid: expect.any(String), name: 'An Institution' },
    isActive: true,
    joinedTs: expect.stringMatching(/Z$/),
    allQuestionsAnswered: true,
    optOutOfEmails: false,
    groups: [{ name: 'learners' }],
    subscription: {
      type: 'paid',
      validFrom: expect.stringMatching(/^2026-01-01/),
      validTo: expect.stringMatching(/^2099-01-01/),
      accessPlan: { uid: expect.any(String), name: 'Full Access' },
    },
    invitation: null,
    activity: { lastViewedModuleUid: module.uid, lastWatchedVideoUid: null, lastWatchedLectureUid: null },
    numUnreadAnnouncements: 0,
  })
  // L-152: an institution has the same ids in the list of all.
  const listed = (await run(client, 'Universities')).body.data.universities.edges
  expect(listed).toContainEqual({ node: data.me.university })
})

describe('favorites', () => {
  test('L-159 L-165 L-235 L-244 L-245 each kind is saved once, for this person only, and removed', async () => {
    const client = await graphql.clientFor(db, await aUser(db))
    const other = await graphql.clientFor(db, await aUser(db))
    const none = { lectureUids: [], moduleUids: [], courseUids: [], videoUids: [] }
    const items = {
      module: (await aModule(await aContext(db))).uid,
      course: (await aCourse(db)).uid,
      video: (await aVideo(db)).uid,
      lecture: (await aLecture(db)).uid,
    }
    const change = (action: string, uid: string, studyUnitType: string) =>
      run(client, 'FavoriteAction', { data: { action, uid, studyUnitType } })
    for (const [studyUnitType, uid] of Object.entries(items)) {
      for (let time = 0; time < 2; time++) {
        const { favorites } = (await change('ADD', uid, studyUnitType)).body.data.favoriteAction
        expect(favorites[`${studyUnitType}Uids`]).toEqual([uid])
      }
    }
    const all = (await run(client, 'UserFavorites')).body.data.userFavorites
    expect(Object.values(all).flat().sort()).toEqual(Object.values(items).sort())
    expect((await run(other, 'UserFavorites')).body.data.userFavorites).toEqual(none)
    for (const [studyUnitType, uid] of Object.entries(items)) await change('REMOVE', uid, studyUnitType)
    expect((await run(client, 'UserFavorites')).body.data.userFavorites).toEqual(none)
  })

  test('L-165 L-166 another kind or action is refused, and a visitor is asked to log in', async () => {
    const client = await graphql.clientFor(db, await aUser(db))
    const { uid } = await aModule(await aContext(db))
    for (const wrong of [{ studyUnitType: 'book' }, { action: 'TOGGLE' }, { action: 'add' }]) {
      const data = { action: 'ADD', uid, studyUnitType: 'module', ...wrong }
      const { errors } = (await run(client, 'FavoriteAction', { data })).body
      expect([wrong, errors?.[0]?.extensions.code]).toEqual([wrong, 'BAD_USER_INPUT'])
    }
    expect((await run(client, 'UserFavorites')).body.data.userFavorites.moduleUids).toEqual([])
    // L-228: so are visitors everywhere but in `me`.
    const visitor = await run(graphql.client(), 'UserFavorites')
    expect([visitor.status, visitor.body.errors?.[0]?.message]).toEqual([200, 'Login required.'])
  })
})

describe('assignments', () => {
  test('L-155 L-156 L-233 L-242 modules are assigned to several people once, listed for each, and taken back', async () => {
    const people = [await aUser(db), await aUser(db)]
    const module = await aModule(await aContext(db), { name: 'Open' })
    const data = {
      action: 'ASSIGN',
      userUids: people.map(({ uid }) => uid),
      moduleUids: [module.uid, closed.uid],
    }
    const before = Date.now()
    const made = (await run(admin, 'ModuleAssignmentAction', { data })).body.data.moduleAssignmentAction.assignments
    expect(made).toHaveLength(4)
    for (const { uid, assignedTs, user, module } of made) {
      expect(uid).toMatch(/^[0-9a-f-]{36}$/)
      expect(Math.abs(new Date(assignedTs).getTime() - before)).toBeLessThan(60_000)
      expect(data.userUids).toContain(user.uid)
      expect(data.moduleUids).toContain(module.uid)
    }
    await run(admin, 'ModuleAssignmentAction', { data })
    const list = async (userUids = data.userUids) =>
      (await run(admin, 'UserAssignments', { userUids })).body.data.userAssignments
    const both = await list()
    expect(both.map(({ user }: { user: { uid: string } }) => user.uid).sort()).toEqual([...data.userUids].sort())
    for (const { modules, courses } of both) {
      expect(modules).toEqual([
        { uid: closed.uid, name: 'Closed', accessPlans: [{ uid: expect.any(String), name: 'Free Access' }] },
        { uid: module.uid, name: 'Open', accessPlans: [{ uid: expect.any(String), name: 'Full Access' }] },
      ])
      expect(courses).toEqual([])
    }
    await run(admin, 'ModuleAssignmentAction', { data: { ...data, action: 'UNASSIGN' } })
    for (const { modules } of await list()) expect(modules).toEqual([])
  })

  test('L-155 L-156 L-243 a course is assigned, listed with its plan, and taken back', async () => {
    const { uid: userUid } = await aUser(db)
    const course = await aCourse(db)
    const data = { action: 'ASSIGN', userUids: [userUid], courseUids: [course.uid] }
    const made = (await run(admin, 'CourseAssignmentAction', { data })).body.data.courseAssignmentAction.assignments
    expect(made).toMatchObject([
      { uid: expect.any(String), assignedTs: expect.stringMatching(/Z$/), user: { uid: userUid } },
    ])
    expect(made[0].course).toMatchObject({ uid: course.uid, name: course.name })
    const list = async () =>
      (await run(admin, 'UserAssignments', { userUids: [userUid] })).body.data.userAssignments[0].courses
    expect(await list()).toMatchObject([{ uid: course.uid, accessPlans: [{ name: 'Full Access' }] }])
    await run(admin, 'CourseAssignmentAction', { data: { ...data, action: 'UNASSIGN' } })
    expect(await list()).toEqual([])
  })

  test('L-166 L-220 only admins assign, with no other action, and learners read only their own', async () => {
    const viewer = await aUser(db)
    const client = await graphql.clientFor(db, viewer)
    const { uid: stranger } = await aUser(db)
    const forbidden = 'You do not have permission to perform this action.'
    const course = await aCourse(db)
    const modules = { action: 'ASSIGN', userUids: [viewer.uid], moduleUids: [closed.uid] }
    const courses = { action: 'ASSIGN', userUids: [viewer.uid], courseUids: [course.uid] }
    for (const [name, variables] of [
      ['ModuleAssignmentAction', { data: modules }],
      ['CourseAssignmentAction', { data: courses }],
      ['UserAssignments', { userUids: [stranger] }],
      ['UserProgress', { userUid: stranger, allStartedStudyUnits: true }],
      ['UserQuestionnaireAnswers', { userUid: stranger }],
    ] as const) {
      const { data, errors } = (await run(client, name, variables)).body
      expect([name, data ?? null, errors?.[0]?.message]).toEqual([name, null, forbidden])
    }
    for (const action of ['GIVE', 'assign', 'ADD']) {
      const { errors } = (await run(admin, 'ModuleAssignmentAction', { data: { ...modules, action } })).body
      expect([action, errors?.[0]?.extensions.code]).toEqual([action, 'BAD_USER_INPUT'])
    }
    expect((await run(client, 'UserAssignments', { userUids: [viewer.uid] })).body.data.userAssignments).toMatchObject([
      { modules: [], courses: [] },
    ])
  })
})

describe('progress', () => {
  let viewer: Viewer
  let module: TestModule
  let course: { uid: string }
  let lecture: { uid: string }

  beforeAll(async () => {
    viewer = await aUser(db)
    const ctx = await aContext(db, { viewer })
    module = await aModule(ctx, { name: 'Half done', units: [{ moveOn: 'Passed' }, { moveOn: 'Completed' }] })
    course = await aCourseOf(ctx, [module])
    const access_plan_id = await planOf(db, viewer.siteId, 'Full Access')
    await db
      .insertInto('course_access_plans')
      .columns(['site_id', 'course_id', 'access_plan_id'])
      .expression((eb) =>
        eb
          .selectFrom('courses')
          .where('uid', '=', course.uid)
          .select(['site_id', 'id', eb.lit(access_plan_id).as('access_plan_id')]),
      )
      .execute()
    lecture = await aLecture(db)
    const client = await graphql.clientFor(db, viewer)
    await run(client, 'UpdateLectureProgress', { lectureUid: lecture.uid, progress: 30 })
    const launch = { moduleVersionUid: module.versionUid, unitIndex: 0, courseUid: course.uid }
    await visit(ctx, launch, ['passed', { score: { scaled: 0.8 } }])
  })

  test('L-158 the own progress has begin, percent, version and name of each module and course', async () => {
    const client = await graphql.clientFor(db, viewer)
    const { errors, data } = (await run(client, 'OwnProgress')).body
    expect(errors).toBeUndefined()
    const begun = { startTs: expect.stringMatching(/Z$/), progressPercent: 50 }
    const version = { uid: expect.any(String), version: 1 }
    expect(data.me.modulesProgress).toEqual([
      { ...begun, moduleVersion: { ...version, module: { uid: module.uid, name: 'Half done' } } },
    ])
    expect(data.me.coursesProgress).toEqual([
      { ...begun, courseVersion: { ...version, course: { uid: course.uid, name: 'Course' } } },
    ])
  })

  test('L-157 L-234 admins read all that somebody started, or what they name, with scores and the modules of courses', async () => {
    const ask = async (variables: object) => {
      const { errors, data } = (await run(admin, 'UserProgress', { userUid: viewer.uid, ...variables })).body
      expect(errors).toBeUndefined()
      return data.userProgress
    }
    const ofModule = {
      moduleUid: module.uid,
      module: { name: 'Half done' },
      progressPercent: 50,
      highestScore: 80,
      error: null,
    }
    const ofCourse = { courseUid: course.uid, course: { name: 'Course' }, progressPercent: 50, error: null }
    const all = await ask({ allStartedStudyUnits: true, lectureUids: [lecture.uid] })
    expect(all).toEqual({
      modulesProgress: [ofModule],
      coursesProgress: [{ ...ofCourse, modulesProgress: [ofModule] }],
      lecturesProgress: [{ lectureUid: lecture.uid, progressPercent: 30, error: null }],
    })
    expect((await ask({ courseUids: [course.uid] })).coursesProgress).toMatchObject([ofCourse])
    const other = await aModule(await aContext(db))
    expect((await ask({ moduleUids: [other.uid] })).modulesProgress).toMatchObject([
      { moduleUid: other.uid, progressPercent: 0, highestScore: null, error: null },
    ])
    expect((await ask({ moduleUids: [module.uid], recalculate: true })).modulesProgress).toEqual([ofModule])
  })
})

test('L-160 L-161 L-236 everybody reads the flags of their site, and what is off is missing', async () => {
  const all = ['ALL_CONTENT', 'ANNOUNCEMENTS', 'GLOSSARY', 'LECTURES']
  const ask = async (client: GraphqlClient) => (await run(client, 'FeatureFlags')).body.data.featureFlags
  const clients = [graphql.client(), admin, graphql.client('ns')]
  for (const client of clients) expect(await ask(client)).toEqual(all)
  const { site } = await aContext(db, { site: 'ns' })
  for (const name of all) {
    const turn = (is_on: boolean) =>
      db.updateTable('feature_flags').set({ is_on }).where('name', '=', name).where('site_id', '=', site.id).execute()
    await turn(false)
    try {
      expect(await ask(graphql.client('ns'))).toEqual(all.filter((one) => one !== name))
      expect(await ask(graphql.client())).toEqual(all)
    } finally {
      await turn(true)
    }
  }
})

test('L-222 L-223 L-241 each answer has the token for the next request, and logging out ends the session', async () => {
  const client = await graphql.clientFor(db, await aUser(db))
  expect((await client.run('{ me { uid } }')).headers['x-csrftoken']).toMatch(/^[\w-]+\.[\w-]+$/)
  const before = (await client.send({ method: 'GET', path: '/graphql/csrf/' })).headers['x-csrftoken']
  const logout = await run(client, 'Logout')
  expect(logout.body.data.logout.status).toBe(true)
  // The old token belongs to the session that has ended.
  expect(logout.headers['x-csrftoken']).not.toBe(before)
  expect((await client.run('{ me { uid } }')).body).toEqual({ data: { me: null } })
})
