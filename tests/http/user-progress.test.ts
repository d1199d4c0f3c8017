/** The progress of a person in Manage Users, with plain forms, on both sites. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aBrowser, type Browser, startServer, tokenIn } from '../support/http.ts'

type Side = {
  admin: Browser
  path: string
  modules: Record<'begun' | 'done' | 'given' | 'closed', string>
  course: string
}
const sides = {} as Record<'institutional' | 'ns', Side>

beforeAll(async () => {
  const people: Record<string, Omit<Side, 'admin'>> = {}
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    for (const site of ['institutional', 'ns'] as const) {
      const ctx = await aContext(db, { site })
      const { id: user_id, uid, siteId: site_id } = await aUser(db, { site, firstName: 'Grace' })
      await aUser(db, { site, email: `root@${site}.example`, groups: ['admins'] })
      const [begun, done] = [await aModule(ctx, { name: 'Begun' }), await aModule(ctx, { name: 'Done' })]
      const given = await aModule(ctx, { name: 'Given' })
      const closed = await aModule(ctx, { name: 'Closed', plan: 'Free Access' })
      const course = await aCourse(db, { site, name: 'Curriculum' })
      for (const { id: module_id } of [given, closed]) {
        await db.insertInto('module_assignments').values({ site_id, user_id, module_id }).execute()
      }
      await db.insertInto('course_assignments').values({ site_id, user_id, course_id: course.id }).execute()
      const progress = { site_id, user_id, highest_score: 80 }
      await db
        .insertInto('module_progress')
        .values([
          { ...progress, module_id: begun.id, progress_percent: 40 },
          { ...progress, module_id: done.id, progress_percent: 100, completed_at: new Date() },
        ])
        .execute()
      people[site] = {
        path: `/dashboard/users/${uid}/progress/`,
        modules: { begun: begun.uid, done: done.uid, given: given.uid, closed: closed.uid },
        course: course.uid,
      }
    }
    await close()
  })
  for (const site of ['institutional', 'ns'] as const) {
    const host = site === 'ns' ? server.host().replace('localhost', 'ns.localhost') : server.host()
    const admin = aBrowser(server, { host })
    await admin.signIn(`root@${site}.example`)
    sides[site] = { admin, ...(people[site] as Omit<Side, 'admin'>) }
  }
})

describe.each([
  { site: 'institutional', list: 'Assigned', verb: 'Unassign', past: 'Unassigned', failing: 'Unassigning' },
  { site: 'ns', list: 'Recommended', verb: 'Unrecommend', past: 'Unrecommended', failing: 'Unrecommending' },
] as const)('on $site', ({ site, list, verb, past, failing }) => {
  async function pageAt(query = ''): Promise<string> {
    const { status, text } = await sides[site].admin.send({ path: sides[site].path + query })
    expect(status).toBe(200)
    return text.replaceAll('<!-- -->', '')
  }
  const heads = (page: string) =>
    [...page.matchAll(/<th scope="col"( class="[^"]*")?>([^<]*)</g)].map(([, width = '', text]) => [
      text,
      /w-\[(\d+)%\]/.exec(width)?.[1] ?? null,
    ])
  const tabs = (page: string, label: string) => {
    const start = page.indexOf(`aria-label="${label}"`)
    return [...page.slice(start, page.indexOf('</nav>', start)).matchAll(/<a [^>]*>([^<]*)</g)].map(([, text]) => text)
  }

  test('L-145 L-146 L-147 L-167 modules and courses each have three lists, with scores and progress', async () => {
    const begun = await pageAt()
    expect(tabs(begun, 'Kind of content')).toEqual(['Modules', 'Courses'])
    expect(tabs(begun, 'List')).toEqual(['In Progress', 'Completed', list])
    expect(heads(begun)).toEqual([
      ['Title', '70'],
      ['High Score', '20'],
      ['Progress', '10'],
    ])
    expect([begun.includes('>Begun<'), begun.includes('>Done<')]).toEqual([true, false])
    const done = await pageAt('?of=modules&list=completed')
    expect(heads(done).map(([text]) => text)).toEqual(['Title', 'High Score'])
    expect([done.includes('>Begun<'), done.includes('>Done<')]).toEqual([false, true])
    expect(tabs(await pageAt('?of=courses&list=assigned'), 'List')).toEqual(['In Progress', 'Completed', list])
  })

  test('the attempts at a module, one click away, lead back to the profile', async () => {
    const { admin, path, modules } = sides[site]
    const to = /href="([^"]*\/learners\/[^"]*)"/.exec(await pageAt())?.[1] ?? ''
    expect(to).toContain(modules.begun)
    expect((await admin.send({ path: to })).text).toContain(`href="${path}">Profile and progress</a>`)
  })

  const rows = async (kind: 'modules' | 'courses') => {
    const page = await pageAt(`?of=${kind}&list=assigned`)
    return [...page.matchAll(/<tr><td>.*?<\/tr>/gs)].map(([row]) => row)
  }
  async function takeBack(kind: 'modules' | 'courses', uid: string, name: string): Promise<string> {
    const { admin, path } = sides[site]
    const query = `?of=${kind}&list=assigned`
    const one = kind.slice(0, -1)
    const fields = { csrf: tokenIn(await pageAt(query)), kind, uid, [`name:${one}:${uid}`]: `${one}: ${name}` }
    const { status, headers, text } = await admin.post(path + query, fields)
    if (status !== 302) return text
    return (await admin.send({ path: String(headers.location) })).text.replaceAll('<!-- -->', '')
  }

  test('L-001 L-148 L-149 what is outside the plan has a warning, and everything can be taken back', async () => {
    const [closed, given] = await rows('modules')
    expect(closed).toContain('Closed')
    expect(closed).toContain('User doesn&#x27;t have access to this item')
    expect(given).toContain('Given')
    expect(given).not.toContain('have access to this item')
    for (const row of [closed, given]) expect(row).toContain(`>${verb}</button>`)
    expect(await rows('courses')).toHaveLength(1)
  })

  // L-183: the row goes; L-184: what is assigned afterward is listed at once.
  test('L-183 L-184 L-255 L-256 a module and a course are taken back once, and the notice names them', async () => {
    const { admin, modules, course } = sides[site]
    const page = await takeBack('modules', modules.given, 'Given')
    expect(page).toContain(`${past} module: Given`)
    expect((await rows('modules')).join()).not.toContain('Given')
    const taken = await takeBack('courses', course, 'Curriculum')
    expect(taken).toContain(`${past} course: Curriculum`)
    expect(await rows('courses')).toEqual([])
    const undoIn = (text: string) => /action="([^"]*\/restore\/[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const again = await takeBack('courses', course, 'Curriculum')
    expect(again).toContain('It was no longer assigned.')
    const undo = undoIn(again)
    expect(undo).toBe(undoIn(taken))
    for (const text of [`“Curriculum” is ${list.toLowerCase()} again.`, 'There is nothing left to undo.']) {
      const { headers } = await admin.post(undo, { csrf: tokenIn(taken), intent: 'undo' })
      const there = await admin.send({ path: String(headers.location) })
      expect(there.text.replaceAll('<!-- -->', '')).toContain(text)
    }
    expect((await rows('courses')).join()).toContain('Curriculum')
    await takeBack('courses', course, 'Curriculum')
    for (const kind of ['module', 'course'] as const) {
      const failure = await takeBack(`${kind}s`, randomUUID(), 'Gone')
      expect(failure).toContain(`Error ${failing} ${kind}: Gone`)
    }
    expect(await rows('modules')).toHaveLength(1)
    const uid = sides[site].path.split('/')[3] ?? ''
    const users = '/dashboard/users/'
    const csrf = tokenIn((await admin.send({ path: users })).text)
    const { headers } = await admin.post(`${users}assign/`, { csrf, uid })
    const here = String(headers.location)
    const operation = new URLSearchParams(here.split('?')[1]).get('operation') ?? ''
    await admin.post(here, { csrf, operation, item: `module:${modules.begun}`, intent: 'assign' })
    expect((await rows('modules')).join()).toContain('Begun')
  })
})
