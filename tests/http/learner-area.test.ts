/** The frame of the learner area over HTTP: addresses, titles, bars, menus, flags and empty lists, on both sites. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brands } from '~/config/brands.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { seedGlossary } from '../../seed/glossary.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase, planOf } from '../support/context.ts'
import { aCourse, aCourseOf } from '../support/courses.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
let db: Database
let visitor: Browser
let learner: Browser
/** Has no first name. */
let nameless: Browser
/** Has begun, saved and been assigned nothing, and has a plan that includes nothing. */
let fresh: Browser
let admin: Browser
let nsVisitor: Browser
let nsLearner: Browser
let nsAdmin: Browser
let course: { uid: string }
let otherCourse: { uid: string }

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const viewer = await aUser(db, { email: 'ada@titrate.example', firstName: 'Ada', lastName: 'Lovelace' })
    await aUser(db, { email: 'zoe@titrate.example', firstName: '', lastName: '' })
    await aUser(db, { email: 'fresh@titrate.example', plan: 'Free Access' })
    await aUser(db, { email: 'newcomer@titrate.example', firstName: '', isNew: true })
    await aUser(db, { email: 'tutor@titrate.example', groups: ['learners', 'instructors'] })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'root@titrate.example', groups: ['admins'] })
    await aUser(db, { site: 'ns', email: 'ada@ns.example' })
    await aUser(db, { site: 'ns', email: 'root@ns.example', groups: ['admins'] })
    for (let number = 0; number < 120; number++) await anAnnouncement(db, [viewer])
    await seedGlossary(await aContext(db, { isOperator: true }))
    const ctx = await aContext(db)
    const modules = [await aModule(ctx, { name: 'Second by name' }), await aModule(ctx, { name: 'A first by name' })]
    await aModule(ctx, { name: 'In no course' })
    course = await aCourseOf(ctx, modules)
    const access_plan_id = await planOf(db, viewer.siteId, 'Full Access')
    const { id: course_id } = await db
      .updateTable('courses')
      .set((eb) => ({
        name: 'From Two Modules',
        description: 'What it is about',
        latest_version_id: eb.ref('published_version_id'),
      }))
      .where('uid', '=', course.uid)
      .returning('id')
      .executeTakeFirstOrThrow()
    const places = { site_id: viewer.siteId, course_id }
    await db
      .insertInto('course_access_plans')
      .values({ ...places, access_plan_id })
      .execute()
    await db
      .insertInto('course_catalog_items')
      .values({ ...places, rank: 1 })
      .execute()
    otherCourse = await aCourse(db, { plan: 'Free Access' })
    await db.updateTable('modules').set({ in_self_study: true }).execute()
    await aLecture(db)
    await aVideo(db)
    for (const { id } of modules) {
      const begun = { site_id: viewer.siteId, user_id: viewer.id, module_id: id }
      await db
        .insertInto('module_progress')
        .values({ ...begun, progress_percent: 0 })
        .execute()
    }
    await close()
  })
  db = createDatabase({ connectionString: server.databaseUrl, poolSize: 1 }).db
  const ns = { host: server.host().replace('localhost', 'ns.localhost') }
  const enter = async (email: string, options = {}) => {
    const browser = aBrowser(server, options)
    await browser.signIn(email)
    return browser
  }
  visitor = aBrowser(server)
  learner = await enter('ada@titrate.example')
  nameless = await enter('zoe@titrate.example')
  fresh = await enter('fresh@titrate.example')
  admin = await enter('root@titrate.example')
  nsVisitor = aBrowser(server, ns)
  nsLearner = await enter('ada@ns.example', ns)
  nsAdmin = await enter('root@ns.example', ns)
})
afterAll(() => db.destroy())

async function pageAt(browser: Browser, path: string): Promise<string> {
  const { status, text } = await browser.send({ path })
  expect([path, status]).toEqual([path, 200])
  return text.replaceAll('<!-- -->', '')
}

const titleOf = (page: string) => /<title>([^<]*)<\/title>/.exec(page)?.[1]

/** The texts of the elements that match, without markup. */
function textsIn(page: string, pattern: RegExp): string[] {
  return [...page.matchAll(pattern)].map(([, found = '']) => found.replace(/<[^>]*>/g, '').trim())
}

/** The part of a page from one text to the next. */
function between(page: string, from: string, to: string): string {
  const start = page.indexOf(from)
  return start < 0 ? '' : page.slice(start, page.indexOf(to, start))
}

const barOf = (page: string) => between(page, '<header class="topbar', '</header>')
const accountMenuOf = (page: string) => between(page, 'avatar-btn', '</details>')
const linksIn = (part: string) => textsIn(part, /<(?:a|summary)\b[^>]*>(.*?)<\/(?:a|summary)>/gs)

async function withFlag(name: string, isOn: boolean, work: () => Promise<void>): Promise<void> {
  const turn = (is_on: boolean) => db.updateTable('feature_flags').set({ is_on }).where('name', '=', name).execute()
  await turn(isOn)
  try {
    await work()
  } finally {
    await turn(!isOn)
  }
}

describe('titles', () => {
  // L-041, L-054 to L-066: the title of each page, with the name of the product; decision 18 has those of L-066.
  test.each([
    ['/', 'Home'],
    ['/home/', 'Home'],
    ['/modules/', 'Self-Guided Learning'],
    ['/courses/', 'Directed Learning'],
    ['/videos/', 'Video Library'],
    ['/lectures/', 'Lectures'],
    ['/all-content/', 'All Content'],
    ['/my-learning/in-progress/', 'My Learning'],
    ['/search/', 'Search'],
    ['/glossary/', 'Glossary'],
    ['/module-exit/x/', 'Exiting'],
    ['/privacy-policy/', 'Privacy Policy'],
    ['/terms/', 'Terms'],
    ['/faq/', 'FAQs'],
    ['/about-us/', 'About Us'],
    ['/contact-us/', 'Contact Us'],
  ])('%s is %s on both sites', async (path, label) => {
    expect(titleOf(await pageAt(learner, path))).toBe(`Titrate : ${label}`)
    expect(titleOf(await pageAt(nsLearner, path))).toBe(`Titrate NS : ${label}`)
  })

  test('L-058 L-064 L-066 of a course, a missing page, and the pages to sign in', async () => {
    expect(titleOf(await pageAt(learner, `/courses/${course.uid}/`))).toBe('Titrate : Course Details')
    // A link by name has no page of its own, and so none of the titles.
    const link = await learner.send({ path: '/module-link/?module=Second%20by%20name' })
    expect([link.status, link.headers.location]).toEqual([302, expect.stringMatching(/^\/modules\/\?launch=/)])
    for (const [path, label] of [
      ['/nothing/', 'Page Not Found'],
      ['/login/', 'Log In'],
      ['/request-password-reset/', 'Request Password Reset'],
      ['/reset-password/x/y/', 'Reset Password'],
      ['/confirm-invitation/x/y/', 'Confirm Invitation'],
    ] as const) {
      expect(titleOf((await visitor.send({ path })).text)).toBe(`Titrate : ${label}`)
    }
  })

  test('L-041 an old address leads to the title of the page that took its place', async () => {
    const { headers } = await learner.send({ path: '/old/terms/' })
    expect(titleOf(await pageAt(learner, String(headers.location)))).toBe('Titrate : Terms')
  })

  test('L-059 L-017 of the sections of the console', async () => {
    for (const [id, label] of [
      ['messages', 'Messages'],
      ['reports', 'Reports'],
      ['users', 'Users'],
      ['courses', 'Courses'],
      ['modules', 'Modules'],
      ['lectures', 'Lectures'],
      ['courses-page', 'Courses Page Manager'],
      ['modules-page', 'Modules Page Manager'],
      ['tags', 'Tags'],
      ['institutions', 'Institutions'],
      ['glossary', 'Glossary'],
    ]) {
      expect(titleOf(await pageAt(admin, `/dashboard/${id}/`))).toBe(`Titrate : Dashboard : ${label}`)
    }
    const { headers } = await admin.send({ path: '/dashboard/' })
    expect(headers.location ?? '/dashboard/modules/').toBe('/dashboard/modules/')
  })
})

describe('doors', () => {
  const closed = ['/home/', '/modules/', '/courses/', '/videos/', '/lectures/', '/all-content/', '/search/']
  test.each([...closed, '/my-learning/', '/module-link/', '/dashboard/'])(
    'L-046 L-048 %s sends visitors to sign-in and back',
    async (path) => {
      const { status, headers } = await visitor.send({ path })
      expect([status, headers.location]).toEqual([302, `/login/?next=${encodeURIComponent(path)}`])
    },
  )

  test.each(['/privacy-policy/', '/terms/', '/faq/', '/about-us/', '/contact-us/', '/glossary/', '/module-exit/x/'])(
    'L-048 %s is open to everybody',
    async (path) => {
      await pageAt(visitor, path)
    },
  )

  test('L-049 L-050 L-053 L-218 admins begin in the console and everybody else at home, also who is logged in', async () => {
    const landing = async (email: string) => (await aBrowser(server).signIn(email)).headers.location
    for (const name of ['ada', 'tutor', 'author']) expect(await landing(`${name}@titrate.example`)).toBe('/home/')
    expect(await landing('root@titrate.example')).toBe('/dashboard/')
    expect((await learner.send({ path: '/login/' })).headers.location).toBe('/home/')
    expect((await learner.send({ path: '/login/?next=%2Fvideos%2F' })).headers.location).toBe('/videos/')
    expect((await admin.send({ path: '/login/' })).headers.location).toBe('/dashboard/')
    // An admin is whoever is in the group: without it, a newcomer has to answer questions first.
    const newcomer = 'newcomer@titrate.example'
    const browser = aBrowser(server)
    await browser.signIn(newcomer)
    expect((await browser.send({ path: '/home/' })).headers.location).toMatch(/^\/questionnaire\//)
    const { id } = await db.selectFrom('users').select('id').where('email', '=', newcomer).executeTakeFirstOrThrow()
    await db.insertInto('user_groups').values({ user_id: id, name: 'admins' }).execute()
    expect(await landing(newcomer)).toBe('/dashboard/')
    expect((await browser.send({ path: '/home/' })).status).toBe(200)
    await db.deleteFrom('user_groups').where('user_id', '=', id).where('name', '=', 'admins').execute()
  })

  test('L-051 L-052 admins follow an address of this site too, and no other', async () => {
    const at = async (next: string) =>
      (await aBrowser(server).signIn('root@titrate.example', { next })).headers.location
    expect(await at('/videos/')).toBe('/videos/')
    for (const next of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
      expect(await at(next)).toBe('/dashboard/')
    }
  })

  test('L-116 after logging out, pages lead to sign-in', async () => {
    const browser = aBrowser(server)
    await browser.signIn('tutor@titrate.example')
    const left = await browser.post('/logout/', { csrf: await browser.token('/home/'), intent: 'logout' })
    expect([left.status, left.headers.location]).toEqual([302, '/login/'])
    expect((await browser.send({ path: '/home/' })).headers.location).toBe('/login/?next=%2Fhome%2F')
  })

  test('L-012 L-262 content of another plan is in no list and is not found', async () => {
    const path = `/courses/${otherCourse.uid}/`
    expect(await pageAt(learner, '/courses/')).not.toContain(otherCourse.uid)
    const { status, text } = await learner.send({ path })
    expect([status, text.includes('Page Not Found.')]).toEqual([404, true])
    await pageAt(fresh, path)
  })
})

describe('the bar', () => {
  test('L-090 L-091 L-092 L-097 visitors and the console have the classic one, with the words of the brand', async () => {
    for (const [browser, path] of [
      [visitor, '/faq/'],
      [admin, '/dashboard/users/'],
    ] as const) {
      const bar = barOf(await pageAt(browser, path))
      const [wide = '', narrow = ''] = [between(bar, '<nav', '</nav>'), between(bar, 'mobilemenu', '</nav>')]
      for (const nav of [wide, narrow]) {
        expect(linksIn(nav)).toEqual(['Home', 'Self-Guided Learning', 'Videos', 'About', 'FAQ'])
        expect(textsIn(nav, /href="([^"]*)"/g)).toEqual(['/home/', '/modules/', '/videos/', '/about-us/', '/faq/'])
      }
      expect(bar).toContain('<summary class="iconbtn" aria-label="Menu">')
      expect(bar).toContain(brands.institutional.welcome)
    }
    expect(barOf(await pageAt(nsVisitor, '/faq/'))).toContain(brands.ns.welcome)
    expect(brands.ns.welcome).not.toBe(brands.institutional.welcome)
  })

  test('L-045 L-090 L-093 L-099 L-117 learners have the other one on all pages, with their initials', async () => {
    for (const path of ['/home/', '/modules/', '/courses/', '/videos/', '/my-learning/saved/', '/faq/']) {
      const bar = barOf(await pageAt(learner, path))
      const order = ['>Home<', '>Explore<', 'role="search"', '>About<', '>Resources<', '>My Learning<']
      const places = order.map((text) => bar.indexOf(text))
      expect([path, places]).toEqual([path, places.toSorted((one, other) => one - other)])
      expect(places).not.toContain(-1)
      for (const kind of ['Courses', 'Modules', 'Videos']) {
        expect(bar).toMatch(new RegExp(`href="/${kind.toLowerCase()}/"[^>]*>Go to ${kind}<`))
      }
      expect(bar).toMatch(/class="avatar" aria-hidden="true">AL</)
    }
  })

  test('L-094 L-110 without a name, the avatar has the letter of the address, and the greeting no name', async () => {
    const menu = accountMenuOf(await pageAt(nameless, '/home/'))
    expect(menu).toMatch(/class="avatar" aria-hidden="true">Z</)
    expect(menu).toContain('>Welcome!<')
    expect(accountMenuOf(await pageAt(learner, '/home/'))).toContain('>Welcome Ada<')
  })

  test('L-111 L-112 L-113 the account menu leads staff to the console, and everybody but admins to their progress', async () => {
    const author = aBrowser(server)
    const tutor = aBrowser(server)
    await author.signIn('author@titrate.example')
    await tutor.signIn('tutor@titrate.example')
    for (const [browser, hasDashboard, hasProgress] of [
      [admin, true, false],
      [author, true, true],
      [tutor, false, true],
      [learner, false, true],
    ] as const) {
      const menu = accountMenuOf(await pageAt(browser, '/home/'))
      const links = linksIn(menu)
      for (const label of ['Profile', 'My Learning', 'My Profile']) expect(links).toContain(label)
      expect(menu).toMatch(/action="\/logout\/".*Logout/s)
      expect([links.includes('Dashboard'), links.includes('My Progress')]).toEqual([hasDashboard, hasProgress])
    }
  })

  test('L-095 L-096 L-114 the number of unread messages is at most 99+, and there is none without messages', async () => {
    const badge = 'class="count">99+<'
    const page = await pageAt(learner, '/home/')
    const [avatar = '', item = ''] = accountMenuOf(page).split('class="panel"')
    expect(avatar).toContain(badge)
    expect(item).toContain(`My Messages<span ${badge}`)
    expect(linksIn(accountMenuOf(await pageAt(fresh, '/home/')))).toContain('My Messages')
    expect(accountMenuOf(await pageAt(fresh, '/home/'))).not.toContain('class="count"')
    await withFlag('ANNOUNCEMENTS', false, async () => {
      const menu = accountMenuOf(await pageAt(learner, '/home/'))
      expect(menu).not.toContain('My Messages')
      expect(menu).not.toContain('class="count"')
    })
  })

  test('L-100 L-103 L-120 L-162 Resources has the glossary; without one, FAQ takes its place', async () => {
    const parts = async () => {
      const bar = barOf(await pageAt(learner, '/home/'))
      const resources = between(bar, 'Resources', '</details>')
      return {
        more: between(bar, 'aria-label="More"', '</nav>'),
        resources,
        narrow: between(bar, 'mobilemenu', '</nav>'),
      }
    }
    const on = await parts()
    expect(textsIn(on.resources, /href="([^"]*)"/g)).toEqual(['/faq/', '/glossary/'])
    const always = ['About', 'FAQ', 'Assigned', 'Saved', 'In Progress', 'Completed']
    for (const label of [...always, 'Glossary']) expect(linksIn(on.narrow)).toContain(label)
    await withFlag('GLOSSARY', false, async () => {
      const off = await parts()
      expect(off.resources).toBe('')
      expect(linksIn(off.more)).toContain('FAQ')
      for (const label of always) expect(linksIn(off.narrow)).toContain(label)
      expect(linksIn(off.narrow)).not.toContain('Glossary')
      for (const path of ['/glossary/', '/glossary/adme/']) expect((await learner.send({ path })).status).toBe(404)
    })
  })

  test('L-105 L-107 the search box takes 100 characters and has the type of its section', async () => {
    for (const [path, type] of [
      ['/home/', 'all'],
      ['/lectures/', 'all'],
      ['/courses/', 'course'],
      [`/courses/${course.uid}/`, 'course'],
      ['/modules/', 'module'],
      ['/videos/', 'video'],
    ] as const) {
      const box = between(barOf(await pageAt(learner, path)), 'role="search"', '</form>')
      expect([path, /name="type" value="(\w+)"/.exec(box)?.[1]]).toEqual([path, type])
      expect(box).toContain('maxLength="100"')
    }
    await pageAt(learner, `/search/?query=${'x'.repeat(150)}`)
  })
})

test('L-015 L-080 L-118 L-162 without lectures, no page leads to them; L-119 so it is with All Content', async () => {
  const pages = ['/home/', '/modules/', '/all-content/', '/my-learning/saved/', '/search/?query=dose']
  const leading = async (to: string) => {
    const found: string[] = []
    for (const path of pages) if ((await pageAt(learner, path)).includes(`href="${to}`)) found.push(path)
    return found
  }
  expect(await leading('/lectures/')).toEqual(pages)
  expect(barOf(await pageAt(learner, '/home/'))).toMatch(/href="\/lectures\/"[^>]*>Go to Lectures</)
  await withFlag('LECTURES', false, async () => {
    expect(await leading('/lectures/')).toEqual([])
    expect((await learner.send({ path: '/lectures/' })).status).toBe(404)
  })
  expect(barOf(await pageAt(learner, '/home/'))).toMatch(/href="\/all-content\/"[^>]*>View All Content</)
  await withFlag('ALL_CONTENT', false, async () => {
    expect(barOf(await pageAt(learner, '/home/'))).not.toContain('/all-content/')
    await pageAt(learner, '/all-content/')
  })
})

test('L-016 both addresses of the home page show it', async () => {
  for (const path of ['/', '/home/']) {
    expect(await pageAt(learner, path)).toContain('The Drug Discovery and Development Process')
  }
})

test('L-014 L-022 L-024 a course lists its modules in its own order, and they can also be started on their own', async () => {
  const { status, headers } = await learner.send({ path: `/courses/${course.uid}` })
  expect([status, headers.location]).toEqual([308, `/courses/${course.uid}/`])
  const page = await pageAt(learner, `/courses/${course.uid}/`)
  for (const text of ['From Two Modules', 'What it is about']) expect(page).toContain(text)
  const main = page.slice(page.indexOf('<main'))
  const names = textsIn(main, /<h4>(.*?)<\/h4>/gs)
  expect(names.slice(0, 2)).toEqual(['Second by name', 'A first by name'])
  for (const text of ['Second by name', 'A first by name']) {
    expect(main).toContain(text)
    expect(await pageAt(learner, '/modules/')).toMatch(new RegExp(`aria-label="(Start|Resume) ${text}"`))
  }
  const all = await pageAt(learner, '/all-content/')
  for (const kind of ['courses', 'modules', 'videos', 'lectures'])
    expect(all).toMatch(new RegExp(`href="/${kind}/[0-9a-f-]{36}/`))
})

test('L-027 L-028 the glossary has a headline, a description and terms, also at the address of a term that is gone', async () => {
  const settings = await db.selectFrom('glossary_settings').select(['headline', 'description']).executeTakeFirst()
  for (const path of ['/glossary/', '/glossary/no-such-term/']) {
    const page = await pageAt(visitor, path)
    for (const text of [settings?.headline, settings?.description]) expect(page).toContain(text ?? '-')
  }
})

describe('the two brands', () => {
  test('L-083 L-084 L-006 each has its logo, and a footer with its links', async () => {
    for (const [browser, brand] of [
      [visitor, brands.institutional],
      [nsVisitor, brands.ns],
    ] as const) {
      const page = await pageAt(browser, '/faq/')
      const footer = between(page, '<footer class="foot-site', '</footer>')
      const links = textsIn(between(footer, 'aria-label="Footer"', '</nav>'), /(<a .*?<\/a>)/gs)
      expect(links).toEqual(['Contact', 'Privacy', 'Terms'])
      for (const path of ['/contact-us/', '/privacy-policy/', '/terms/']) expect(footer).toContain(`href="${path}"`)
      expect(brand.socialLinks.length).toBeGreaterThan(0)
      for (const { name, href } of brand.socialLinks) {
        expect(footer).toMatch(new RegExp(`href="${href}" target="_blank"[^>]*aria-label="${brand.name} on ${name}`))
      }
      const logo = between(barOf(page), 'class="brand', '</a>')
      expect(logo.includes('class="suffix">NS<')).toBe(brand === brands.ns)
      expect(page).toContain(`/brand/${brand.palette}.svg`)
    }
  })

  test('L-007 neither has words of the other one', async () => {
    const own = ({ welcome, tagline, supportEmail, signIn, subsidizedPlan, defaultUniversity }: typeof brands.ns) => [
      welcome,
      tagline,
      supportEmail,
      signIn.header,
      signIn.description,
      subsidizedPlan,
      defaultUniversity,
    ]
    for (const [guest, member, staff, other] of [
      [visitor, learner, admin, brands.ns],
      [nsVisitor, nsLearner, nsAdmin, brands.institutional],
    ] as const) {
      for (const [browser, path] of [
        [guest, '/login/'],
        [guest, '/nothing/'],
        [member, '/home/'],
        [member, '/my-learning/assigned/'],
        [staff, '/dashboard/users/'],
        [staff, '/dashboard/users/invite/'],
      ] as const) {
        const { text } = await browser.send({ path })
        for (const words of own(other)) expect([path, words, text.includes(words)]).toEqual([path, words, false])
      }
    }
  })

  test('L-076 each has its own films and pictures of the process', async () => {
    for (const phase of ['discover', 'develop', 'deliver']) {
      const files = async (browser: Browser) => {
        const page = await pageAt(browser, `/home/?watch=${phase}`)
        return [/<video[^>]* src="([^"]*)"/.exec(page)?.[1], /<video[^>]* poster="([^"]*)"/.exec(page)?.[1]]
      }
      const [own, others] = [await files(learner), await files(nsLearner)]
      expect([...own, ...others].every((file) => file?.includes(phase))).toBe(true)
      expect(new Set([...own, ...others]).size).toBe(4)
    }
  })

  test('L-001 L-121 L-167 the side menu has the parts of My Learning, with the word of the brand', async () => {
    for (const [browser, word] of [
      [learner, 'Assigned'],
      [nsLearner, 'Recommended'],
    ] as const) {
      const menu = async () => between(await pageAt(browser, '/my-learning/saved/'), 'class="sidenav"', '</nav>')
      const labels = (nav: string) =>
        textsIn(nav, /<(?:a|button)\b[^>]*>(.*?)<\/(?:a|button)>/gs).map((text) => text.replace(/\d.*/, ''))
      const study = ['My Learning', word, 'Saved', 'In Progress', 'Completed']
      expect(labels(await menu())).toEqual([...study, 'My Messages', 'My Profile', 'My Account', 'Logout'])
      await withFlag('ANNOUNCEMENTS', false, async () => {
        expect(labels(await menu())).toEqual([...study, 'My Profile', 'My Account', 'Logout'])
      })
    }
  })

  test('L-008 L-009 inviting begins with the default institution of the site', async () => {
    for (const [browser, brand] of [
      [admin, brands.institutional],
      [nsAdmin, brands.ns],
    ] as const) {
      const field = /<input[^>]*name="university"[^>]*>/.exec(await pageAt(browser, '/dashboard/users/invite/'))?.[0]
      expect(field).toContain(`value="${brand.defaultUniversity}"`)
      expect(field).not.toMatch(/readonly|disabled/i)
    }
  })
})

describe('a learner', () => {
  test('L-174 who has nothing reads a sentence in each list', async () => {
    for (const [path, sentence] of [
      ['/my-learning/assigned/', 'Nothing is assigned at the moment'],
      ['/my-learning/saved/', 'You have no saved items yet'],
      ['/my-learning/in-progress/', 'You have nothing in progress'],
      ['/my-learning/completed/', 'You have not completed anything yet'],
      ['/my-learning/my-messages/', 'You have no messages yet'],
      ['/my-progress/', 'You have not started a module.'],
      ['/my-progress/?tab=courses', 'You have not started a course.'],
      ['/modules/', 'class="empty"'],
      ['/courses/', 'There are no courses for you yet'],
      ['/videos/', 'class="empty"'],
      ['/lectures/', 'class="empty"'],
      ['/glossary/?query=qqqq', 'No results found for'],
    ] as const) {
      expect([path, (await pageAt(fresh, path)).includes(sentence)]).toEqual([path, true])
    }
  })

  test('L-139 L-140 L-141 L-173 L-175 what was opened and left at 0 % is in progress, with Start', async () => {
    expect(await pageAt(learner, '/my-learning/in-progress/')).toContain('Second by name')
    expect(await pageAt(learner, '/my-learning/completed/')).not.toContain('Second by name')
    expect(await pageAt(fresh, '/my-learning/in-progress/')).not.toContain('Second by name')
    const set = (progress_percent: number) =>
      db
        .updateTable('module_progress')
        .set({ progress_percent, completed_at: progress_percent === 100 ? new Date() : null })
        .execute()
    for (const [percent, action] of [
      [0, 'Start'],
      [1, 'Resume'],
      [99, 'Resume'],
      [100, 'Retake'],
    ] as const) {
      await set(percent)
      const page = await pageAt(learner, '/my-progress/')
      expect(textsIn(page, /<th scope="col">(.*?)<\/th>/gs)).toEqual(['Name', 'Start Date', 'Progress', 'Action'])
      for (const name of ['Second by name', 'A first by name']) {
        expect([percent, page.includes(`aria-label="${action} ${name}"`)]).toEqual([percent, true])
      }
      const isDone = percent === 100
      expect((await pageAt(learner, '/my-learning/in-progress/')).includes('Second by name')).toBe(!isDone)
      expect((await pageAt(learner, '/my-learning/completed/')).includes('Second by name')).toBe(isDone)
    }
    await set(0)
  })

  test('L-141 retakes a completed course on its page, which has Retake for each of its modules', async () => {
    const setCompleted = (completed_at: Date | null) =>
      db
        .updateTable('module_progress')
        .set({ progress_percent: completed_at ? 100 : 0, completed_at })
        .execute()
    await setCompleted(new Date())
    const { courseId, userId, siteId, versionId } = await db
      .selectFrom('courses')
      .innerJoin('users', 'users.site_id', 'courses.site_id')
      .select(['courses.id as courseId', 'users.id as userId', 'courses.site_id as siteId'])
      .select('courses.published_version_id as versionId')
      .where('courses.uid', '=', course.uid)
      .where('users.email', '=', 'ada@titrate.example')
      .executeTakeFirstOrThrow()
    const whole = { started_at: new Date(), completed_at: new Date(), course_version_id: versionId }
    await db
      .insertInto('course_progress')
      .values({ course_id: courseId, user_id: userId, site_id: siteId, ...whole })
      .onConflict((oc) => oc.columns(['user_id', 'course_id']).doUpdateSet(whole))
      .execute()
    for (const path of ['/courses/', '/my-learning/completed/', '/my-progress/?tab=courses']) {
      const page = await pageAt(learner, path)
      expect([path, page.includes('aria-label="Retake From Two Modules"')]).toEqual([path, true])
    }
    const page = await pageAt(learner, `/courses/${course.uid}/`)
    for (const name of ['Second by name', 'A first by name']) expect(page).toContain(`aria-label="Retake ${name}"`)
    await db.deleteFrom('course_progress').execute()
    await setCompleted(null)
  })

  test('L-122 L-013 reads everything about the account in one place', async () => {
    for (const [type, label] of [
      ['subsidized', 'Subsidized'],
      ['free', 'Free Access'],
      ['paid', 'Paid Access'],
    ] as const) {
      await db.updateTable('subscriptions').set({ type }).execute()
      const page = await pageAt(learner, '/my-learning/my-account/')
      for (const text of ['ada@titrate.example', 'Institution', 'Opt out of email messages', 'Change Password']) {
        expect(page).toContain(text)
      }
      expect(page).toContain(`>${label}, `)
    }
  })

  test('is told that the new address is her own already', async () => {
    const to = '/my-learning/my-account/'
    const csrf = tokenIn(await pageAt(learner, to))
    const typed = { email: 'ada@titrate.example', currentPassword: 'not needed' }
    const refused = await learner.post(to, { csrf, intent: 'change-email', ...typed })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('This is already your email address.')
  })

  test('L-124 finds the button to save on every card and page of content', async () => {
    for (const kind of ['courses', 'modules', 'videos', 'lectures']) {
      const list = await pageAt(learner, `/${kind}/`)
      expect([
        kind,
        /aria-pressed="(true|false)"[^>]*aria-label="Save |aria-label="Save [^>]*aria-pressed/.test(list),
      ]).toEqual([kind, true])
      const path = new RegExp(`href="(/${kind}/[0-9a-f-]{36}/)"`).exec(list)?.[1] ?? ''
      expect([path, (await pageAt(learner, path)).includes('aria-pressed="false"')]).toEqual([path, true])
    }
  })
})

test('L-194 a page that is opened by a link shows its viewer as she is now', async () => {
  const set = (first_name: string) =>
    db.updateTable('users').set({ first_name }).where('email', '=', 'ada@titrate.example').execute()
  await pageAt(learner, '/modules/')
  await set('Augusta')
  // What the browser asks for when it goes from Modules to Videos.
  expect((await learner.send({ path: '/videos.data' })).text).toContain('Augusta')
  await set('Ada')
})

test('A-060 the list of the courses with a module has their names, or says that there are none', async () => {
  const rows = await db.selectFrom('modules').select(['uid', 'name']).execute()
  const listOf = (name: string) =>
    pageAt(admin, `/dashboard/modules/${rows.find((row) => row.name === name)?.uid}/courses/`)
  expect(await listOf('Second by name')).toContain('<li>From Two Modules</li>')
  expect(await listOf('In no course')).toContain('No courses contain this module')
})

test('L-131 an answer that the server refuses leaves its first message under the questions', async () => {
  const newcomer = aBrowser(server)
  await newcomer.signIn('newcomer@titrate.example')
  const page = await pageAt(newcomer, '/questionnaire/')
  const [first = '', second = ''] = textsIn(page, /name="asked" value="([^"]*)"/g)
  const option = new RegExp(`name="choice-${second}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const fields = { csrf: tokenIn(page), asked: first, [`choice-${first}`]: option }
  const { status, text } = await newcomer.post('/questionnaire/', fields)
  expect(status).toBe(400)
  const foot = text.slice(text.indexOf('id="questionnaire"'))
  expect(foot.slice(foot.indexOf('<footer'))).toMatch(/does not belong to this question/)
})

test('L-128 whoever has no first name is greeted without one, before the questions', async () => {
  const newcomer = aBrowser(server)
  await newcomer.signIn('newcomer@titrate.example')
  expect(await pageAt(newcomer, '/questionnaire/')).toMatch(/id="gate-title"[^>]*>Welcome!</)
})
