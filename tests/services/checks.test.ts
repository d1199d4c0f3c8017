/** The checks before publishing, and the job that visits links. */
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CheckedKind } from '~/forms/checks.ts'
import { indexContentJob } from '~/jobs/index-content.ts'
import { skippedHeadings } from '~/lib/markdown.ts'
import { checkLinks, deleteOldLinkChecks, queueLinkChecks } from '~/services/checks/check-links.server.ts'
import { listProblems } from '~/services/checks/checks.server.ts'
import type { Network } from '~/services/checks/visit-link.server.ts'
import type { Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { NotFound } from '~/services/errors.ts'
import { createGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { updateLecture } from '~/services/lectures/save-lecture.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, planOf } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { takeJobs } from '../support/jobs.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

let author: Ctx
let server: http.Server
let network: Network
let statuses: Record<string, number>
let asked: string[]
const planUids: Record<string, string> = {}

beforeAll(async () => {
  author = await aContext(db, { viewer: await aUser(db, { groups: ['authors'], plan: null }) })
  for (const name of ['Full Access', 'Free Access']) {
    const id = await planOf(db, site.id, name)
    const { uid } = await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()
    planUids[name] = uid
  }
  server = http.createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://any')
    asked.push(`${req.method} ${pathname}`)
    res.writeHead(statuses[pathname] ?? 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  network = {
    resolve: async () => ['127.0.0.1'],
    mayConnect: () => true,
    ports: [(server.address() as AddressInfo).port],
    timeoutMs: 2000,
  }
})
afterAll(() => server?.close())
beforeEach(() => {
  asked = []
  statuses = {}
})

const linkTo = (path: string) => `http://links.example:${(server.address() as AddressInfo).port}${path}`
const codesOf = async (kind: CheckedKind, uid: string) =>
  (await listProblems(author, { kind, uid })).map(({ code }) => code)
/** Those of a lecture, but that it has no captions. */
const problemsOf = async (uid: string) =>
  (await listProblems(author, { kind: 'lecture', uid })).filter(({ code }) => code !== 'no_captions')
const later = (ms: number) => ({ ...ctx, now: new Date(ctx.now.getTime() + ms) })
const minute = 60_000
const hour = 60 * minute

async function aCourse(moduleUids: string[], plans: string[], fields: object = {}) {
  const chapters = [{ name: 'Chapter', description: '', moduleUids }]
  return createCourse(author, {
    name: `Course ${randomUUID()}`,
    sections: moduleUids.length === 0 ? [] : [{ name: 'Section', description: '', chapters }],
    accessPlanUids: plans.map((name) => planUids[name] ?? ''),
    ...fields,
  })
}

async function aLectureWith(description: string) {
  const lecture = await aLecture(db)
  await db.updateTable('lectures').set({ description }).where('id', '=', lecture.id).execute()
  return lecture.uid
}

async function waitingChecks(uid: string) {
  const { rows } = await sql<{ runAt: Date }>`
    select run_at as "runAt" from graphile_worker._private_jobs
    where payload::jsonb -> 'uids' ? ${uid} and payload ->> 'kind' is not null
      and task_id = (select id from graphile_worker._private_tasks where identifier = 'check-links')`.execute(db)
  return rows
}

describe('what an author may have overlooked', () => {
  test('a course without a group and without modules', async () => {
    const { uid } = await aCourse([], [])
    expect(await codesOf('course', uid)).toEqual(['no_plan', 'no_modules'])
  })

  test('a course that is complete has nothing to check', async () => {
    const module = await aModule(author)
    const { uid } = await aCourse([module.uid], ['Full Access'])
    expect(await listProblems(author, { kind: 'course', uid })).toEqual([])
  })

  test('modules that are drafts, have no package, or cannot be opened by every group or by any', async () => {
    const draft = await aModule(author, { isPublished: false, name: 'A draft' })
    const unread = await aModule(author, { name: 'Unread' })
    await db
      .updateTable('cmi5_packages')
      .set({ status: 'error' })
      .where('module_version_id', '=', unread.versionId)
      .execute()
    const foreign = await aModule(author, { plan: 'Free Access', name: 'Foreign' })
    const announced = await aModule(author, { isPublished: false, comingSoon: true, name: 'Announced' })
    const uids = [draft, unread, foreign, announced].map(({ uid }) => uid)
    const one = await aCourse(uids, ['Full Access'])
    expect(await listProblems(author, { kind: 'course', uid: one.uid })).toEqual([
      { code: 'draft_modules', names: ['A draft'], count: 1 },
      { code: 'announced_modules', names: ['Announced'], count: 1 },
      { code: 'modules_without_package', names: ['Unread'], count: 1 },
      { code: 'modules_of_nobody', names: ['Foreign'], count: 1 },
    ])
    const both = await aCourse(uids, ['Full Access', 'Free Access'])
    expect(await listProblems(author, { kind: 'course', uid: both.uid })).toContainEqual({
      code: 'closed_modules',
      names: ['A draft', 'Unread', 'Foreign'],
      count: 4,
    })
    expect(await listProblems(author, { kind: 'module', uid: foreign.uid })).toEqual([
      { code: 'courses_of_others', names: [one.name], count: 1 },
    ])
  })

  test('a cover without a description, another of the same name, and no group', async () => {
    const file = await db
      .insertInto('stored_files')
      .values({
        site_id: site.id,
        kind: 'cover_img',
        original_file_name: 'a.png',
        name: `${randomUUID()}.png`,
        size: 1,
        content_type: 'image/png',
        sha256: Buffer.alloc(32),
        storage_key: randomUUID(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const name = `Twin ${randomUUID()}`
    const video = await aVideo(db, { name, plans: [] })
    await aVideo(db, { name: name.toUpperCase() })
    await aVideo(db, { name, deleted: true })
    await aVideo(db, { name, site: 'ns' })
    await db.updateTable('videos').set({ cover_file_id: file.id }).where('id', '=', video.id).execute()
    expect(await listProblems(author, { kind: 'video', uid: video.uid })).toEqual([
      { code: 'no_plan' },
      { code: 'no_cover_description' },
      { code: 'namesakes', count: 1 },
      { code: 'no_captions', isAtVimeo: false, language: null },
    ])
  })

  test('chapters without modules, and sections without chapters', async () => {
    const module = await aModule(author)
    const chapters = [
      { name: 'Full', description: '', moduleUids: [module.uid] },
      { name: 'Empty chapter', description: '', moduleUids: [] },
    ]
    const sections = [
      { name: 'Section', description: '', chapters },
      { name: 'Empty section', description: '', chapters: [] },
    ]
    const { uid } = await aCourse([module.uid], ['Full Access'], { sections })
    expect(await listProblems(author, { kind: 'course', uid })).toEqual([
      { code: 'empty_parts', names: ['Empty chapter', 'Empty section'], count: 2 },
    ])
  })

  test.each([
    ['https://films.example/a.mp4?token=1', []],
    ['https://player.vimeo.com/video/1', []],
    ['https://films.example/a-page/', ['not_a_film']],
    ['https://127.0.0.1/a.mp4', ['private_film']],
    ['https://[::1]/a.mp4', ['private_film']],
    ['http://localhost:3000/a.mp4', ['private_film']],
    ['https://intranet/a.mp4', ['private_film']],
    ['https://10.1.2.3/a.mp4', ['private_film']],
  ])('the address of a film at %s', async (videoUrl, codes) => {
    const { uid } = await aVideo(db, { videoUrl })
    const found = (await codesOf('video', uid)).filter((code) => code !== 'no_captions')
    expect(found).toEqual(codes)
  })

  test('pictures of guiding questions that learners cannot open', async () => {
    const lecture = await aLecture(db)
    const questions =
      '![a](/files/a.png) ![b](/images/b.webp) text /files/c.png\n\n- ![d](https://x.example/files/d.png)'
    await db.updateTable('lectures').set({ questions_markdown: questions }).where('id', '=', lecture.id).execute()
    expect(await problemsOf(lecture.uid)).toEqual([{ code: 'closed_pictures', count: 2 }])
  })

  test('headings of guiding questions that skip a level', async () => {
    const lecture = await aLecture(db)
    const questions = '## One\n\n#### Too *deep*\n\n##### Next\n\n# Up'
    await db.updateTable('lectures').set({ questions_markdown: questions }).where('id', '=', lecture.id).execute()
    expect(await problemsOf(lecture.uid)).toEqual([{ code: 'skipped_heading', heading: 'Too deep' }])
    expect(skippedHeadings('no headings')).toEqual([])
    expect(skippedHeadings('# a\n## b\n### c\n# d')).toEqual([])
  })

  test('only staff of the site can ask', async () => {
    const { uid } = await aLecture(db)
    await expectGuarded(listProblems, { kind: 'lecture' as const, uid }, { by: ['authors', 'admins'] })
    await expect(listProblems(author, { kind: 'lecture', uid: 'nothing' })).rejects.toThrow(NotFound)
    await expect(listProblems(author, { kind: 'users' as CheckedKind, uid })).rejects.toThrow(NotFound)
  })
})

describe('dead links', () => {
  test('a link is gone at once after 404, and after two failures in a row', async () => {
    statuses = { '/gone': 404, '/down': 500 }
    const uid = await aLectureWith(`See ${linkTo('/gone#part')}, ${linkTo('/down')} and ${linkTo('/fine')}.`)
    await checkLinks(ctx, { kind: 'lecture', uids: [uid] }, { network })
    expect(await problemsOf(uid)).toEqual([{ code: 'dead_links', urls: [linkTo('/gone')] }])
    const [again] = await waitingChecks(uid)
    expect(again?.runAt.getTime()).toBe(ctx.now.getTime() + 10 * minute)
    await checkLinks(later(10 * minute), { kind: 'lecture', uids: [uid] }, { network })
    expect(await problemsOf(uid)).toEqual([{ code: 'dead_links', urls: [linkTo('/down'), linkTo('/gone')] }])
    statuses = {}
    await checkLinks(later(25 * hour), { kind: 'lecture', uids: [uid] }, { network })
    expect(await problemsOf(uid)).toEqual([])
  })

  test('an answer holds for a day, and a job that runs twice counts a failure once', async () => {
    statuses = { '/hiccup': 500 }
    const uid = await aLectureWith(`${linkTo('/hiccup')} ${linkTo('/kept')}`)
    const items = { kind: 'lecture' as const, uids: [uid] }
    await checkLinks(ctx, items, { network })
    await checkLinks(ctx, items, { network })
    expect(asked).toEqual(['HEAD /hiccup', 'GET /hiccup', 'HEAD /kept'])
    expect(await problemsOf(uid)).toEqual([])
    await checkLinks(later(23 * hour), items, { network })
    expect(asked.filter((one) => one === 'HEAD /kept')).toHaveLength(1)
    await checkLinks(later(25 * hour), items, { network })
    expect(asked.filter((one) => one === 'HEAD /kept')).toHaveLength(2)
  })

  test('at most fifty links of one item are visited', async () => {
    const uid = await aLectureWith(Array.from({ length: 60 }, (_, i) => linkTo(`/many/${i}`)).join(' '))
    expect(await checkLinks(ctx, { kind: 'lecture', uids: [uid] }, { network })).toEqual({ visited: 50 })
  })

  test('links to the machine itself are dead, whoever wrote them', async () => {
    const uid = await aLectureWith(
      'See http://127.0.0.1/admin and http://localhost/ and http://169.254.169.254/latest/.',
    )
    await checkLinks(ctx, { kind: 'lecture', uids: [uid] })
    const [problem] = await problemsOf(uid)
    expect(problem).toMatchObject({ code: 'dead_links' })
    expect(problem?.code === 'dead_links' && problem.urls).toHaveLength(3)
  })

  test('links to this site are looked up in the database, at once', async () => {
    const [there, draft] = [await aVideo(db), await aVideo(db, { status: 'draft' })]
    const foreign = await aVideo(db, { site: 'ns' })
    const path = (uid: string) => `${site.baseUrl}/videos/${uid}/`
    const uid = await aLectureWith(
      `${path(there.uid)} ${path(draft.uid)} ${path(foreign.uid)} ${path('nothing')} ${site.baseUrl}/about-us/`,
    )
    const [problem] = await problemsOf(uid)
    const urls = problem?.code === 'dead_links' ? problem.urls : []
    expect(new Set(urls)).toEqual(new Set([path(draft.uid), path(foreign.uid), path('nothing')]))
    expect(await checkLinks(ctx, { kind: 'lecture', uids: [uid] }, { network })).toEqual({ visited: 0 })
  })

  test('the texts of every kind are read, and only items with a link are queued', async () => {
    const url = linkTo('/everywhere')
    const module = await aModule(author)
    await db.updateTable('modules').set({ description: url }).where('uid', '=', module.uid).execute()
    const video = await aVideo(db)
    await db.updateTable('videos').set({ description: url }).where('uid', '=', video.uid).execute()
    const course = await aCourse([module.uid], ['Full Access'], { learningObjectives: [`Read ${url}`] })
    const term = `Term ${randomUUID()}`
    const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
    await createGlossaryTerms(admin, { terms: [{ name: term, definition: `See ${url}` }] })
    const { uid: termUid } = await db
      .selectFrom('glossary_terms')
      .select('uid')
      .where('name', '=', term)
      .executeTakeFirstOrThrow()
    const lecture = await aLectureWith(url)
    const items: [CheckedKind, string][] = [
      ['module', module.uid],
      ['video', video.uid],
      ['course', course.uid],
      ['glossary', termUid],
      ['lecture', lecture],
    ]
    statuses = { '/everywhere': 410 }
    const plain = await aLecture(db)
    for (const [kind, uid] of items) {
      await queueLinkChecks(ctx, { kind, uids: [uid, plain.uid] })
      await queueLinkChecks(ctx, { kind, uids: [uid] })
      expect(await waitingChecks(uid)).toHaveLength(1)
      await checkLinks(ctx, { kind, uids: [uid] }, { network })
      expect(await codesOf(kind, uid)).toContain('dead_links')
    }
    expect(await waitingChecks(plain.uid)).toEqual([])
    expect(asked).toHaveLength(2)
  })

  test('a hundred saves queue one visit, which asks each address once', async () => {
    const uid = await aLectureWith('')
    for (let save = 0; save < 100; save++) {
      await updateLecture(author, { lectureUid: uid, description: `Save ${save} of ${linkTo('/storm')}` })
    }
    const jobs = (await takeJobs(db, 'index-content')).filter(({ uids }) => uids.includes(uid))
    expect(jobs).toEqual([{ kind: 'lecture', uids: [uid] }])
    for (let job = 0; job < 10; job++) await indexContentJob(ctx, { kind: 'lecture', uids: [uid] })
    expect(await waitingChecks(uid)).toHaveLength(1)
    for (let job = 0; job < 10; job++) await checkLinks(ctx, { kind: 'lecture', uids: [uid] }, { network })
    expect(asked).toEqual(['HEAD /storm'])
  })

  test('of many items a job visits twenty, and queues a job for the others', async () => {
    const uids: string[] = []
    for (let i = 0; i < 22; i++) uids.push(await aLectureWith(linkTo(`/crowd/${i}`)))
    expect(await checkLinks(ctx, { kind: 'lecture', uids }, { network })).toEqual({ visited: 20 })
    expect(await waitingChecks(uids[21] ?? '')).toHaveLength(1)
    expect(await waitingChecks(uids[0] ?? '')).toHaveLength(0)
  })

  test('what nobody has linked to for a year is forgotten', async () => {
    await deleteOldLinkChecks(later(400 * 24 * hour))
    expect(await db.selectFrom('link_checks').select('url').execute()).toEqual([])
  })
})
