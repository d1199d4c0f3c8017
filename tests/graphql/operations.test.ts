import { randomUUID } from 'node:crypto'
import { print } from 'graphql'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { toGlobalId } from '~/graphql/ids.ts'
import { recordAuStatements } from '~/services/cmi5/cmi5.server.ts'
import type { Viewer } from '~/services/context.ts'
import { aModule, launchAndFetch, statementOf, type TestModule } from '../support/cmi5.ts'
import { aContext, aUser, testPassword } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { databaseUrl, db } from '../support/test.ts'
import { operations } from './contract.ts'

let graphql: Awaited<ReturnType<typeof startGraphql>>
let learner: Viewer
let author: Viewer
let admin: Viewer
let module: TestModule

beforeAll(async () => {
  env().LOGIN_ATTEMPTS_PER_15_MIN = 1_000_000
  graphql = await startGraphql(databaseUrl)
  learner = await aUser(db, { firstName: 'Ada', lastName: 'Okafor' })
  author = await aUser(db, { groups: ['authors'], firstName: 'Lin' })
  admin = await aUser(db, { groups: ['admins'], plan: null })
  module = await aModule(await aContext(db), {
    name: 'Screening',
    units: [{ moveOn: 'Completed' }, { moveOn: 'Passed', masteryScore: 0.5 }],
  })
  await aModule(await aContext(db), { name: 'Draft only', isPublished: false })
})
afterAll(() => graphql.close())

/** Sends an operation of the contract as its consumers do. */
async function runOperation(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return client.run(print(operation.document), variables)
}

test('C-232 L-227 L-241 Login begins a session, which is the viewer of Me until Logout ends it', async () => {
  const client = graphql.client()
  const login = await runOperation(client, 'Login', { username: learner.email, password: testPassword })
  expect(login.body.data.login).toMatchObject({
    user: { uid: learner.uid, groups: [{ name: 'learners' }] },
    messages: null,
  })
  const me = await runOperation(client, 'Me')
  expect(me.body.data.me).toMatchObject({
    uid: learner.uid,
    email: learner.email,
    isActive: true,
    allQuestionsAnswered: true,
    subscription: { type: 'paid', accessPlan: { name: 'Full Access' } },
    numUnreadAnnouncements: 0,
  })
  const logout = await runOperation(client, 'Logout')
  expect(logout.body.data.logout).toEqual({ status: true, msg: null })
  const after = await runOperation(client, 'Me')
  expect(after.body).toEqual({ data: { me: null } })
})

test('C-232 C-268 a wrong password gives a message without a field, and no session', async () => {
  const client = graphql.client()
  const { body } = await runOperation(client, 'Login', {
    username: learner.email,
    password: 'Wrong7Horse',
  })
  expect(body.data.login).toEqual({
    user: null,
    messages: [
      {
        code: 'login.wrong_credentials',
        field: 'username',
        kind: 'error',
        message: 'The email address or password is incorrect.',
      },
    ],
  })
  expect((await client.run('{ me { uid } }')).body).toEqual({ data: { me: null } })
})

test('a session of one site is signed out on the other', async () => {
  const client = await graphql.clientFor(db, learner, 'ns')
  expect((await client.run('{ me { uid } }')).body).toEqual({ data: { me: null } })
})

test('L-228 operations that need a session say "Login required."', async () => {
  const { status, body } = await runOperation(graphql.client(), 'UserProgress', {
    userUid: learner.uid,
  })
  expect(status).toBe(200)
  expect(body.errors?.[0]).toMatchObject({ message: 'Login required.', extensions: { code: 'LOGIN_REQUIRED' } })
})

test('A-208 C-203 L-259 a post with a missing or wrong token is a CSRF failure, also with a session', async () => {
  const client = await graphql.clientFor(db, learner)
  for (const headers of [{}, { 'x-csrftoken': 'wrong.token' }] as Record<string, string>[]) {
    const { status, body } = await client.send({ body: JSON.stringify({ query: '{ me { uid } }' }), headers })
    expect(status).toBe(403)
    expect(body.errors?.[0]).toMatchObject({ message: 'CSRF failure', extensions: { code: 'CSRF' } })
  }
})

test("a visitor cannot use another visitor's token", async () => {
  const other = await graphql.clientFor(db, author)
  const token = (await other.send({ method: 'GET', path: '/graphql/csrf/' })).headers['x-csrftoken']
  const client = await graphql.clientFor(db, learner)
  const { status } = await client.send({
    body: JSON.stringify({ query: '{ me { uid } }' }),
    headers: { 'x-csrftoken': String(token) },
  })
  expect(status).toBe(403)
})

test('A-209 L-221 L-224 both addresses answer, GET is refused, and the build is compared', async () => {
  const client = graphql.client()
  await client.run('{ featureFlags }')
  const body = JSON.stringify({ query: '{ featureFlags }' })
  const answer = await client.send({ path: '/graphql', body, headers: { 'x-build-number': 'old' } })
  expect(answer.body.data.featureFlags).toEqual(['ALL_CONTENT', 'ANNOUNCEMENTS', 'GLOSSARY', 'LECTURES'])
  expect(answer.headers['x-build-mismatch']).toBe('1')
  expect((await client.send({ method: 'GET', path: '/graphql/?query={featureFlags}' })).status).toBe(405)
  expect((await client.send({ path: '/graphql/other/', body })).status).toBe(404)
})

test.each([
  ['too deep', `{ sections ${'{ chapters { section '.repeat(8)} { uid } ${'} }'.repeat(8)} }`],
  ['eleven aliases of one field', `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: featureFlags`).join(' ')} }`],
  ['too many tokens', `{ ${'featureFlags '.repeat(2100)} }`],
  ['no operation', 'fragment F on User { uid }'],
  ['not GraphQL', '{ me '],
])(
  'an operation that is %s is refused with a message, with the status that the client understands',
  async (_, query) => {
    const client = graphql.client()
    const { status, body } = await client.run(query)
    expect([status, 'data' in body]).toEqual([200, false])
    expect(body.errors?.[0]?.message).toMatch(/.+/)
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
    const accept = 'application/graphql-response+json'
    const strict = await client.send({ body: JSON.stringify({ query }), headers: { accept } })
    expect([strict.status, strict.headers['content-type']]).toEqual([400, `${accept}; charset=utf-8`])
    expect(strict.body).toEqual(body)
  },
)

test('graphql-http finds nothing that GraphQL over HTTP asks for and that is not so, but for GET', async () => {
  // Signed in, because some of the audits read the schema.
  const client = await graphql.clientFor(db, learner)
  await client.run('{ featureFlags }')
  const fetchFn = async (address: string, init: { method?: string; headers?: object; body?: string } = {}) => {
    const { pathname, search } = new URL(address)
    const answer = await client.send({
      method: init.method ?? 'GET',
      path: pathname + search,
      body: init.body,
      headers: { 'content-type': '', ...(init.headers as Record<string, string>) },
    })
    return new Response(answer.text, { status: answer.status, headers: answer.headers as Record<string, string> })
  }
  const audits = serverAudits({ url: 'http://localhost:3000/graphql/', fetchFn })
  const results = []
  for (const audit of audits) results.push(await audit.fn())
  const found = results.filter(({ status }) => status === 'error' || status === 'warn')
  expect(found.map(({ id, name }) => `${id} ${name}`)).toEqual([])
  expect(results.length).toBeGreaterThan(50)
})

test('a batch, a body over 1 MB and a body that is not JSON are refused with 400 and a sentence', async () => {
  const client = graphql.client()
  await client.run('{ featureFlags }')
  for (const [body, sentence] of [
    ['[{"query":"{ featureFlags }"}]', 'Send one operation per request: batches are not supported.'],
    [JSON.stringify({ query: 'x'.repeat(1_000_001) }), 'The body is larger than 1 MB.'],
    ['{"query"', 'Unparsable JSON body'],
  ]) {
    const answer = await client.send({ body })
    expect([answer.status, answer.body.errors?.[0]?.message]).toEqual([400, sentence])
  }
  const long = await client.run(`{ ${'featureFlags '.repeat(2100)} }`)
  expect(long.body.errors?.[0]?.message).toBe('This document is too long: at most 2000 tokens are allowed.')
})

test('A-218 Modules: a learner gets published modules; staff also get drafts, figures and authors', async () => {
  const asLearner = await runOperation(await graphql.clientFor(db, learner), 'Modules')
  expect(asLearner.body.errors).toBeUndefined()
  const nodes = asLearner.body.data.modules.edges.map((edge: { node: object }) => edge.node)
  expect(nodes).toMatchObject([
    {
      uid: module.uid,
      name: 'Screening',
      statistics: null,
      latestVersion: { uid: module.versionUid, status: 'published', cmi5: null },
    },
  ])
  expect(asLearner.body.data.modules).toMatchObject({ totalCount: 1, pageInfo: { hasNextPage: false } })
  const asAuthor = await runOperation(await graphql.clientFor(db, author), 'Modules', { first: 1 })
  expect(asAuthor.body.data.modules).toMatchObject({
    totalCount: 2,
    pageInfo: { hasNextPage: true },
    edges: [
      {
        node: {
          name: 'Draft only',
          statistics: { numStarts: 0 },
          latestVersion: { status: 'draft', cmi5: { status: 'parsed' } },
        },
      },
    ],
  })
  const after = asAuthor.body.data.modules.pageInfo.endCursor
  const next = await runOperation(await graphql.clientFor(db, author), 'Modules', { first: 1, after })
  expect(next.body.data.modules.edges[0].node.name).toBe('Screening')
})

test.each([
  ['a learner without a plan', async () => graphql.clientFor(db, await aUser(db, { plan: null }))],
  ['a learner of another plan', async () => graphql.clientFor(db, await aUser(db, { plan: 'Free Access' }))],
  ['a learner of the other site', async () => graphql.clientFor(db, await aUser(db, { site: 'ns' }), 'ns')],
])('A-218 %s sees no module, neither in the list nor by its id', async (_name, clientOf) => {
  const client = await clientOf()
  const id = toGlobalId('Module', module.uid)
  expect((await runOperation(client, 'Modules')).body.data.modules).toMatchObject({
    totalCount: 0,
    edges: [],
  })
  expect((await runOperation(client, 'ModuleById', { id })).body.data.node).toBeNull()
  const launch = await runOperation(client, 'ModuleLaunchInfo', { moduleVersionUid: module.versionUid })
  expect(launch.body.data?.moduleLaunchInfo?.launchUrl ?? null).toBeNull()
})

test('a signed-out visitor is asked to sign in', async () => {
  for (const field of ['modules', 'courses', 'courseCatalog', 'lectures', 'videos']) {
    const { body } = await graphql.client().run(`{ ${field} { totalCount } }`)
    expect(body.errors?.[0]?.message, field).toBe('Login required.')
  }
})

test.each([
  '',
  'x',
  'TW9kdWxlOjE',
  toGlobalId('Section', '00000000-0000-4000-8000-000000000000'),
  `${'A'.repeat(500)}`,
  ...['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'].map((type) =>
    toGlobalId(type as 'Module', '00000000-0000-4000-8000-000000000000'),
  ),
])('node(id: "%s") is null, without an error', async (id) => {
  const { body } = await (await graphql.clientFor(db, learner)).run('query ($id: ID!) { node(id: $id) { id } }', { id })
  expect(body).toEqual({ data: { node: null } })
})

test('A-220 ModuleById and ModuleUnits name units in the requested language', async () => {
  const client = await graphql.clientFor(db, learner)
  const id = toGlobalId('Module', module.uid)
  expect((await runOperation(client, 'ModuleById', { id })).body.data.node).toMatchObject({
    uid: module.uid,
  })
  const units = await runOperation(client, 'ModuleUnits', { id })
  expect(units.body.data.node.versions[0].units).toMatchObject([
    { index: 0, title: 'Unit 1', moveOn: 'Completed', masteryScore: null, launchMethod: 'AnyWindow' },
    { index: 1, title: 'Unit 2', moveOn: 'Passed', masteryScore: 0.5 },
  ])
})

test('A-048 A-115 A-214 A-215 Sections and SectionChapters return the three phases with their ten steps', async () => {
  const client = await graphql.clientFor(db, learner)
  const { body } = await runOperation(client, 'Sections')
  expect(body.data.sections.map((section: { name: string }) => section.name)).toEqual([
    'Discover',
    'Develop',
    'Deliver',
  ])
  expect(body.data.sections.map((section: { chapters: object[] }) => section.chapters.length)).toEqual([3, 3, 4])
  const [discover] = body.data.sections
  expect(discover).toMatchObject({ frontendId: 'discover', description: expect.any(String) })
  const chapters = await runOperation(client, 'SectionChapters', { id: discover.id })
  expect(chapters.body.data.node.chapters).toHaveLength(3)
  // tags, asked for by a post with query and variables.
  expect((await runOperation(client, 'Tags')).body.data.tags).toMatchObject({ totalCount: 0, edges: [] })
})

test('a launch returns the address of the unit, a newer one ends the older, and OwnProgress and UserProgress show the progress', async () => {
  const client = await graphql.clientFor(db, learner)
  // each launch has an address and a session of its own, which can be checked.
  const launch = () => runOperation(client, 'ModuleLaunchInfo', { moduleVersionUid: module.versionUid })
  const first = (await launch()).body.data.moduleLaunchInfo
  const me = await runOperation(client, 'Me')
  expect(me.body.data.me.activity).toMatchObject({ lastViewedModuleUid: module.uid })
  expect(first).toMatchObject({ error: null, returnUrl: expect.stringContaining(`/module-exit/${module.versionUid}/`) })
  const check = (uid: string) => runOperation(client, 'AuLaunchSessionCheck', { auLaunchSessionUid: uid })
  expect((await check(first.auLaunchSessionUid)).body.data.auLaunchSessionCheck).toEqual({ status: true, error: null })
  const second = (await launch()).body.data.moduleLaunchInfo
  expect((await check(first.auLaunchSessionUid)).body.data.auLaunchSessionCheck.status).toBe(false)
  expect((await check(second.auLaunchSessionUid)).body.data.auLaunchSessionCheck.status).toBe(true)
  expect((await check(randomUUID())).body.data.auLaunchSessionCheck).toEqual({
    status: false,
    error: expect.stringMatching(/\w/),
  })

  const ctx = await aContext(db, { viewer: learner })
  const { session } = await launchAndFetch(ctx, { moduleVersionUid: module.versionUid, unitIndex: 0 })
  await recordAuStatements(ctx, {
    session,
    statements: [statementOf(session, 'initialized'), statementOf(session, 'completed')],
  } as never)
  const own = await runOperation(client, 'OwnProgress')
  expect(own.body.data.me.modulesProgress).toMatchObject([
    { progressPercent: 50, moduleVersion: { uid: module.versionUid, module: { name: 'Screening' } } },
  ])
  expect(own.body.data.me.coursesProgress).toEqual([])
  const user = await runOperation(client, 'UserProgress', {
    userUid: learner.uid,
    allStartedStudyUnits: true,
  })
  expect(user.body.data.userProgress.modulesProgress).toMatchObject([
    { moduleUid: module.uid, module: { name: 'Screening' }, progressPercent: 50, error: null },
  ])
})

test('A-205 a learner launches no draft, no module of another plan and no preview', async () => {
  const client = await graphql.clientFor(db, learner)
  const draft = await aModule(await aContext(db), { name: 'Another draft', isPublished: false })
  const paid = await aModule(await aContext(db), { name: 'Of another plan', plan: 'Free Access' })
  for (const variables of [
    { moduleVersionUid: draft.versionUid },
    { moduleVersionUid: paid.versionUid },
    { moduleVersionUid: module.versionUid, preview: true },
  ]) {
    const { body } = await runOperation(client, 'ModuleLaunchInfo', variables)
    expect(body.data.moduleLaunchInfo).toEqual({
      error: expect.stringMatching(/\w/),
      launchUrl: null,
      auLaunchSessionUid: null,
      returnUrl: null,
    })
  }
})

test("L-220 only admins of the site can read another person's progress", async () => {
  const ask = async (client: GraphqlClient) =>
    (
      await runOperation(client, 'UserProgress', {
        userUid: learner.uid,
        moduleUids: [module.uid],
      })
    ).body
  const stranger = await aUser(db)
  const foreignAdmin = await aUser(db, { site: 'ns', groups: ['admins'] })
  expect((await ask(await graphql.clientFor(db, stranger))).errors?.[0]).toMatchObject({
    message: 'You do not have permission to perform this action.',
    extensions: { code: 'FORBIDDEN' },
  })
  expect((await ask(await graphql.clientFor(db, foreignAdmin, 'ns'))).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  expect((await ask(await graphql.clientFor(db, admin))).data.userProgress.modulesProgress).toHaveLength(1)
})

test('the launch session of another person checks as ended', async () => {
  const ctx = await aContext(db, { viewer: learner })
  const { uid } = await launchAndFetch(ctx, { moduleVersionUid: module.versionUid })
  const stranger = await graphql.clientFor(db, await aUser(db))
  const { body } = await runOperation(stranger, 'AuLaunchSessionCheck', { auLaunchSessionUid: uid })
  expect(body.data?.auLaunchSessionCheck?.status ?? false).toBe(false)
})

test('A-216 A-234 A-236 Lectures: learners get those they may open, staff also drafts; UpdateLectureProgress keeps the highest value', async () => {
  const open = await aLecture(db, { name: 'Open', chapter: 'Screening', phases: ['Discover'] })
  const soon = await aLecture(db, { name: 'Soon', comingSoon: true })
  await aLecture(db, { name: 'Secret draft', status: 'draft' })
  const client = await graphql.clientFor(db, learner)
  const asLearner = (await runOperation(client, 'Lectures')).body.data.lectures
  expect(asLearner).toMatchObject({
    totalCount: 2,
    edges: [
      {
        node: {
          uid: open.uid,
          name: 'Open',
          status: 'published',
          phases: ['Discover'],
          tags: [],
          accessPlans: [{ name: 'Full Access' }],
          coverImg: null,
          videoUrl: '/films/test.mp4',
          vimeoVideo: null,
          defaultChapter: { uid: expect.any(String) },
        },
      },
      { node: { uid: soon.uid, comingSoon: true, videoUrl: '' } },
    ],
  })
  const staff = await graphql.clientFor(db, author)
  expect((await runOperation(staff, 'Lectures')).body.data.lectures.totalCount).toBe(3)
  expect((await runOperation(staff, 'Lectures', { publishedOnly: true })).body.data.lectures.totalCount).toBe(2)

  const first = (await runOperation(staff, 'Lectures', { first: 2 })).body.data.lectures
  expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } })
  const rest = (await runOperation(staff, 'Lectures', { first: 2, after: first.pageInfo.endCursor })).body.data.lectures
  const uids = [...first.edges, ...rest.edges].map(({ node }: { node: { uid: string } }) => node.uid)
  expect([rest.totalCount, new Set(uids).size]).toEqual([3, 3])

  const saveProgress = (progress: number, lectureUid = open.uid) =>
    runOperation(client, 'UpdateLectureProgress', { lectureUid, progress })
  await saveProgress(60)
  expect((await saveProgress(20)).body.data.updateLectureProgress).toEqual({
    lectureProgress: { lectureUid: open.uid, progressPercent: 60, error: null },
  })
  for (const wrong of [101, -1]) {
    expect((await saveProgress(wrong)).body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  }
  expect((await saveProgress(5, soon.uid)).body.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  const nobody = await runOperation(graphql.client(), 'UpdateLectureProgress', { lectureUid: open.uid, progress: 1 })
  expect(nobody.body.errors?.[0]?.extensions.code).toBe('LOGIN_REQUIRED')
  const progress = await runOperation(client, 'UserProgress', { userUid: learner.uid, lectureUids: [open.uid] })
  expect(progress.body.data.userProgress.lecturesProgress).toMatchObject([
    { lectureUid: open.uid, progressPercent: 60, error: null },
  ])
  expect((await runOperation(client, 'Me')).body.data.me.activity.lastWatchedLectureUid).toBe(open.uid)
})

test('videos are listed by phase and kind, are nodes, and keep the highest progress', async () => {
  const video = await aVideo(db, { name: 'Half-lives', category: 'expert', phases: ['Develop'] })
  const draft = await aVideo(db, { name: 'Draft', status: 'draft' })
  const client = await graphql.clientFor(db, learner)
  const list = async (filter: string) =>
    (
      await client.run(
        `{ videos${filter} { totalCount edges { node { id uid name category ownProgress { progressPercent } } } } }`,
      )
    ).body
  expect((await list('')).data.videos).toMatchObject({
    totalCount: 1,
    edges: [{ node: { uid: video.uid, ownProgress: null } }],
  })
  expect((await list('(category: "expert", phase: "Develop")')).data.videos.totalCount).toBe(1)
  expect((await list('(category: "animation")')).data.videos.totalCount).toBe(0)
  expect((await list('(category: "book")')).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  const saveProgress = (progress: number) =>
    client.run(
      'mutation ($uid: ID!, $progress: Int!) { updateVideoProgress(videoUid: $uid, progress: $progress, positionSeconds: 3) { videoProgress { progressPercent positionSeconds } } }',
      { uid: video.uid, progress },
    )
  await saveProgress(50)
  expect((await saveProgress(10)).body.data.updateVideoProgress.videoProgress).toEqual({
    progressPercent: 50,
    positionSeconds: 3,
  })
  const node = (uid: string) =>
    client.run('query ($id: ID!) { node(id: $id) { ... on Video { name } } }', { id: toGlobalId('Video', uid) })
  expect((await node(video.uid)).body.data.node).toEqual({ name: 'Half-lives' })
  expect((await node(draft.uid)).body.data.node).toBeNull()
})

test('an internal error shows one calm sentence', async () => {
  const client = await graphql.clientFor(db, learner)
  await db.schema.alterTable('tags').renameTo('tags_away').execute()
  try {
    const { body } = await runOperation(client, 'Tags')
    expect(body.errors).toMatchObject([{ message: 'Internal server error', extensions: { code: 'INTERNAL' } }])
    expect(JSON.stringify(body)).not.toContain('relation')
  } finally {
    await db.schema
      .alterTable('tags_away' as 'tags')
      .renameTo('tags')
      .execute()
  }
})
