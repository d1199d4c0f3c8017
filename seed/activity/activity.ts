/**
 * A year on the demo sites: people who learn, search, watch films and read messages, written through the services with the clock of the
 * day on which it happens. The same at every seed, but for the day. Cut off anywhere, it goes on at the next start and writes nothing twice:
 * an account is one transaction, and so is a stay on the site, whose sign-in says afterwards that it was written.
 */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { brands, type SiteKey } from '../../app/config/brands.ts'
import { env } from '../../app/config/env.server.ts'
import { logger } from '../../app/config/log.server.ts'
import { videoEvents } from '../../app/forms/video-events.ts'
import { hashPassword } from '../../app/services/accounts/passwords.server.ts'
import { listLastSignIns, recordSignIn } from '../../app/services/accounts/sign-ins.server.ts'
import { markClicked, markOpened } from '../../app/services/announcements/announcements.server.ts'
import { sendDashboardAnnouncement } from '../../app/services/announcements/send-announcement.server.ts'
import { changeAssignments, listAssignmentsOfUsers } from '../../app/services/assignments/assignments.server.ts'
import {
  fetchToken,
  findUnitSession,
  launchUnit,
  recordAuStatements,
  writeUnitDocument,
} from '../../app/services/cmi5/cmi5.server.ts'
import { fetchSecretOf } from '../../app/services/cmi5/secrets.server.ts'
import { type Ctx, siteContext, type Viewer } from '../../app/services/context.ts'
import { ensureEventPartitions, recordEvent, recordSearch } from '../../app/services/events/events.server.ts'
import { setFavourite } from '../../app/services/favourites/favourites.server.ts'
import { ensureUniversity } from '../../app/services/institutions/institutions.server.ts'
import { createInvitation } from '../../app/services/invitations/invitations.server.ts'
import { recordFilmProgress } from '../../app/services/progress/films.server.ts'
import { findViewer, recordVisit } from '../../app/services/sessions/sessions.server.ts'
import { findDemoMark, getSite, markDemo } from '../../app/services/sites/sites.server.ts'
import { deactivateUser } from '../../app/services/users/deactivate-user.server.ts'
import { activateUser, createUser } from '../../app/services/users/users.server.ts'
import { resolveTerms } from '../../app/services/xapi/xapi.server.ts'
import type { Database } from '../../db/client.server.ts'
import { inTransaction } from '../../db/transaction.server.ts'
import { type ModuleSource, readModuleSource } from '../build-package.ts'
import { answerQuestions } from '../demo-answers.ts'
import { uidOf } from '../demo-parts.ts'
import { type DemoFilm, lectures, videos } from '../film-library.ts'
import { bookmarkId } from '../player/recorder.ts'
import { yearMessages } from './messages.ts'
import { type DemoPerson, people } from './people.ts'
import { adaAssigned, adaJoined, type Sitting, sittingsOf, sittingsOfAda, type Visit, type Watched } from './plan.ts'
import { randomOf } from './random.ts'
import { bookmarkOf, questionIris, statementsOfVisit, unitVerbs } from './unit-visit.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const modulesFolder = 'seed/modules'

export type ActivityOptions = {
  /** Stops between two steps once it is aborted. */
  signal?: { readonly aborted: boolean }
  /** Both, unless a test asks for less; and everybody. */
  sites?: SiteKey[]
  takesPart?: (person: DemoPerson) => boolean
}

/** Whether a demo was begun and some of its people, or of what they did, are missing. */
export async function isActivityDue(db: Database): Promise<boolean> {
  return (await findDemoMark(db, 'demo_day')) !== null && (await findDemoMark(db, 'demo_complete')) === null
}

/** False where it was stopped before everything was there. The demo learner comes first. */
export async function seedActivity(db: Database, options: ActivityOptions = {}): Promise<boolean> {
  const today = await findDemoMark(db, 'demo_day')
  if (!today || !(await isActivityDue(db))) return true
  const { signal = { aborted: false }, sites = ['institutional', 'ns'], takesPart = () => true } = options
  const sources = await readSources()
  await makePartitions(db, today)
  const all: Demo[] = []
  for (const key of sites) {
    const ctx = siteContext({ db, site: await getSite(db, key), log: logger(), isOperator: true })
    all.push({ ctx, today, sources, signal, people: people[key].filter(takesPart) })
  }
  for (const demo of all) if (!(await playAda(demo))) return false
  const passwordHash = await hashPassword(randomBytes(24).toString('hex'))
  for (const demo of all) if (!(await makePeople(demo, passwordHash))) return false
  for (const demo of all) {
    await assignToOthers(demo)
    for (const message of yearMessages) {
      if (signal.aborted) return false
      await sendToAll(demo, message)
    }
    if (!(await playPeople(demo))) return false
  }
  await markDemo(db, { key: 'demo_complete', at: new Date() })
  return true
}

type Demo = {
  /** Of the operator, now. */
  ctx: Ctx
  /** The midnight before the first seed, which everything counts back from. */
  today: Date
  sources: ReadonlyMap<string, ModuleSource>
  signal: { readonly aborted: boolean }
  people: DemoPerson[]
}

async function readSources(): Promise<Map<string, ModuleSource>> {
  const folders = await readdir(modulesFolder)
  return new Map(
    await Promise.all(
      folders.map(async (folder) => [folder, await readModuleSource(path.join(modulesFolder, folder))] as const),
    ),
  )
}

/** Each call makes those of four months. What is older than events are kept for is not made, and not written. */
async function makePartitions(db: Database, today: Date): Promise<void> {
  for (let months = Math.min(13, env().EVENT_MONTHS - 1); months > -3; months -= 3) {
    const now = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, 1))
    await ensureEventPartitions({ db, now, log: logger() })
  }
}

function hasEvents({ today }: Demo, at: Date): boolean {
  const oldest = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - env().EVENT_MONTHS + 1, 1)
  return at.getTime() >= oldest
}

function dayBefore({ today }: Demo, days: number, hour = 9): Date {
  return new Date(today.getTime() - days * dayMs + hour * 60 * minuteMs)
}

function emailOf({ ctx }: Demo, name: string): string {
  return `${name}@${ctx.site.key === 'ns' ? 'ns.' : ''}titrate.example`
}

type Account = { id: number; uid: string; email: string }

async function accountsOf({ ctx }: Demo): Promise<Map<string, Account>> {
  const rows = await ctx.db
    .selectFrom('users')
    .select(['id', 'uid', 'email'])
    .where('site_id', '=', ctx.site.id)
    .where('email', 'like', '%titrate.example')
    .execute()
  return new Map(rows.map(({ id, uid, email }) => [email ?? '', { id, uid, email: email ?? '' }]))
}

/** Somebody as they were at that moment; null for an account that is not open. */
async function viewerAt(demo: Demo, account: Account, at: Date): Promise<(Ctx & { viewer: Viewer }) | null> {
  const ctx = { ...demo.ctx, now: at, isOperator: false }
  const viewer = await findViewer(ctx, { userId: account.id })
  // An address for documentation (RFC 5737), so that limits count nobody else.
  return viewer && { ...ctx, viewer, address: `192.0.2.${account.id % 250}` }
}

async function makePeople(demo: Demo, passwordHash: string): Promise<boolean> {
  const known = await accountsOf(demo)
  for (const person of demo.people) {
    if (demo.signal.aborted) return false
    if (!known.has(emailOf(demo, person.name))) await makePerson(demo, person, passwordHash)
  }
  return true
}

async function makePerson(demo: Demo, person: DemoPerson, passwordHash: string): Promise<void> {
  const { firstName, lastName, groups, said, state, joined, planDays } = person
  const brand = brands[demo.ctx.site.key]
  const plan = {
    subsidized: { planName: brand.subsidizedPlan, subscriptionType: 'subsidized' as const },
    full: { planName: 'Full Access', subscriptionType: 'paid' as const },
    free: { planName: 'Free Access', subscriptionType: 'free' as const },
    none: {},
  }[person.plan]
  const universityName = person.institution ?? brand.defaultUniversity
  const email = emailOf(demo, person.name)
  const account = { email, firstName, lastName, groups, universityName, planDays, ...plan }
  await inTransaction({ ...demo.ctx, now: dayBefore(demo, joined, 6) }, async (ctx) => {
    await ensureUniversity(ctx, { name: universityName })
    if (state === 'invited') {
      await createInvitation(ctx, account)
      return
    }
    const { uid } = await createUser(ctx, account)
    await activateUser(ctx, { userUid: uid, passwordHash })
    await answerQuestions(ctx, { uid, email, firstName, lastName }, said)
  })
}

async function playAda(demo: Demo): Promise<boolean> {
  const accounts = await accountsOf(demo)
  const ada = accounts.get(emailOf(demo, 'learner'))
  if (!ada) return true
  for (const assigned of adaAssigned) await assign(demo, { ...assigned, accounts: [ada] })
  return play(demo, ada, sittingsOfAda(demo.sources, demo.today))
}

async function playPeople(demo: Demo): Promise<boolean> {
  const accounts = await accountsOf(demo)
  for (const person of demo.people) {
    const account = accounts.get(emailOf(demo, person.name))
    if (!account || person.lastSeen === null) continue
    if (!(await play(demo, account, sittingsOf(person, demo.sources, demo.today)))) return false
    if (person.state !== 'deactivated') continue
    const now = dayBefore(demo, Math.max(1, person.lastSeen - 20), 10)
    await deactivateUser({ ...demo.ctx, now }, { userUid: account.uid })
  }
  return true
}

/** Goes on behind the last stay that was written. Whoever signs in since the seed does not count. */
async function play(demo: Demo, account: Account, sittings: Sitting[]): Promise<boolean> {
  const lastAt = (await listLastSignIns(demo.ctx, { before: demo.today })).get(account.uid)
  for (const sitting of sittings) {
    if (lastAt && sitting.at <= lastAt) continue
    if (demo.signal.aborted) return false
    const ctx = await viewerAt(demo, account, sitting.at)
    if (!ctx) return true
    const launched = sitting.visit && (await launch(demo, ctx, sitting.visit))
    if (demo.signal.aborted) return false
    await inTransaction(ctx, (ctx) => writeSitting(demo, ctx, sitting, launched))
  }
  return true
}

/** Later than the sign-in by a minute. */
function openedAt(ctx: Ctx): Date {
  return new Date(ctx.now.getTime() + minuteMs)
}

/**
 * Opens a unit before the transaction of the stay, because launching has one of its own. A start that was cut off
 * leaves a launch without a visit. The worker may have ended it since, so the next start always launches again, and
 * launching ends what is still open.
 */
async function launch(demo: Demo, ctx: Ctx & { viewer: Viewer }, visit: Visit): Promise<string> {
  const unit = await unitOf(demo, visit)
  await resolveTerms(ctx, { agents: [], verbs: unitVerbs, activities: questionIris(unit.iri, visit) })
  const { auLaunchSessionUid } = await launchUnit(
    { ...ctx, now: openedAt(ctx) },
    {
      moduleVersionUid: unit.versionUid,
      unitIndex: visit.unitIndex,
      retake: visit.isRetake,
      courseUid: visit.courseSlug === null ? null : uidOf(ctx, 'course', visit.courseSlug),
    },
  )
  return auLaunchSessionUid
}

async function unitOf({ ctx }: Demo, visit: Visit): Promise<{ versionUid: string; iri: string }> {
  return ctx.db
    .selectFrom('modules')
    .innerJoin('module_versions', 'module_versions.id', 'modules.published_version_id')
    .innerJoin('cmi5_packages', 'cmi5_packages.module_version_id', 'module_versions.id')
    .innerJoin('cmi5_units', 'cmi5_units.package_id', 'cmi5_packages.id')
    .select(['module_versions.uid as versionUid', 'cmi5_units.iri'])
    .where('modules.uid', '=', uidOf(ctx, 'module', visit.module))
    .orderBy('cmi5_units.position')
    .offset(visit.unitIndex)
    .limit(1)
    .executeTakeFirstOrThrow()
}

async function writeSitting(
  demo: Demo,
  ctx: Ctx & { viewer: Viewer },
  { visit, film, search, saved }: Sitting,
  launchUid: string | null,
): Promise<void> {
  const { viewer } = ctx
  let { now } = ctx
  const later = (minutes: number) => {
    now = new Date(now.getTime() + Math.round(minutes * minuteMs))
    return { ...ctx, now }
  }
  await recordVisit(ctx.db, { viewer, now })
  await recordSignIn(ctx, { userUid: viewer.uid })
  await seePage(demo, ctx, 'Home', '/home/')
  if (visit && launchUid) {
    const atLaunch = { ...ctx, now: openedAt(ctx) }
    await seePage(demo, atLaunch, 'Module', `/modules/${uidOf(ctx, 'module', visit.module)}/`)
    await visitUnit(atLaunch, visit, launchUid)
    now = new Date(openedAt(ctx).getTime() + visit.minutes * minuteMs)
    await recordVisit(ctx.db, { viewer, now })
  }
  if (search) {
    await seePage(demo, later(1), 'Search', '/search/')
    await recordSearch({ ...ctx, now }, { ...search, type: 'all' })
  }
  if (film) {
    await seePage(demo, later(1), film.kind === 'lecture' ? 'Lectures' : 'Videos', `/${film.kind}s/`)
    now = await watch(demo, later(0.2), film)
  }
  for (const { type, slug } of saved) {
    const kind = type === 'lecture' || type === 'video' ? 'film' : type
    await setFavourite(later(0.5), { action: 'ADD', studyUnitType: type, uid: uidOf(ctx, kind, slug) })
  }
  await seePage(demo, later(0.5), 'My Learning', '/my-learning/in-progress/')
  await recordVisit(ctx.db, { viewer, now })
}

async function visitUnit(ctx: Ctx & { viewer: Viewer }, visit: Visit, launchUid: string): Promise<void> {
  const answer = await fetchToken(ctx, { secret: await fetchSecretOf(ctx.db, launchUid) })
  const session = 'token' in answer ? await findUnitSession(ctx, { token: answer.token }) : null
  if (!session) throw new Error(`The launch of "${visit.module}" opens nothing`)
  const idOf = (n: number) => uidOf(ctx, 'statement', `${launchUid}|${n}`)
  const [initialized, ...others] = statementsOfVisit(session, visit, ctx.now, idOf)
  const version = '1.0.3'
  await recordAuStatements({ ...ctx, viewer: null }, { session, statements: [initialized], version })
  const atEnd = { ...ctx, viewer: null, now: new Date(ctx.now.getTime() + visit.minutes * minuteMs) }
  const { unitIri, registrationUid, actor } = session
  await writeUnitDocument(atEnd, {
    session,
    method: 'put',
    key: { kind: 'state', activityIri: unitIri, agent: actor, registration: registrationUid, documentId: bookmarkId },
    document: { content: Buffer.from(JSON.stringify(bookmarkOf(visit))), contentType: 'application/json' },
    preconditions: {},
  })
  await recordAuStatements(atEnd, { session, statements: others, version })
}

async function seePage(demo: Demo, ctx: Ctx, name: string, address: string): Promise<void> {
  await tell(demo, ctx, `View Page ${name}`, { path: address })
}

async function tell(demo: Demo, ctx: Ctx, event: string, properties: object): Promise<void> {
  if (!hasEvents(demo, ctx.now)) return
  const screen = randomOf(ctx.viewer?.uid ?? '').pick([
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
    { width: 390, height: 844 },
  ])
  await recordEvent(ctx, { event: { event, properties, screen }, perMinute: Number.MAX_SAFE_INTEGER })
}

/** As a player tells it (use-film-tracking.ts). Returns when it was over. */
async function watch(demo: Demo, ctx: Ctx, { kind, slug, percent }: Watched): Promise<Date> {
  const film = filmOf(slug)
  const uid = uidOf(ctx, 'film', slug)
  const until = (film.seconds * percent) / 100
  const at = (seconds: number) => ({ ...ctx, now: new Date(ctx.now.getTime() + Math.round(seconds * 1000)) })
  const say = (event: string, seconds: number) =>
    tell(demo, at(seconds), event, {
      video_uid: uid,
      video_asset_id: `/films/${slug}-${brands[ctx.site.key].palette}.mp4`,
      video_player: 'native',
      video_percent: Number((seconds / film.seconds).toFixed(4)),
      video_position: Number(seconds.toFixed(2)),
      video_title: film.name,
      video_total_length: film.seconds,
    })
  await say(videoEvents.started, 0)
  for (let seconds = 10; seconds < until; seconds += 10) await say(videoEvents.playing, seconds)
  await say(percent === 100 ? videoEvents.completed : videoEvents.paused, until)
  await recordFilmProgress(at(until), { kind, uid, percent, positionSeconds: percent === 100 ? 0 : until })
  return at(until).now
}

function filmOf(slug: string): DemoFilm {
  const film = [...lectures, ...videos].find((one) => one.slug === slug)
  if (!film) throw new Error(`There is no demo film "${slug}"`)
  return film
}

/** By the demo admin. All of it or nothing, so that one item of one person tells whether it was done. */
async function assign(
  demo: Demo,
  input: { daysAgo: number; kind: 'module' | 'course'; slugs: string[]; accounts: Account[] },
): Promise<void> {
  const { daysAgo, kind, slugs, accounts } = input
  const [first] = accounts
  if (!first) return
  const itemUids = slugs.map((slug) => uidOf(demo.ctx, kind, slug))
  const [known] = await listAssignmentsOfUsers(demo.ctx, { userUids: [first.uid] })
  if (known?.[`${kind}s`].some(({ uid }) => uid === itemUids[0])) return
  const admin = (await accountsOf(demo)).get(emailOf(demo, 'admin'))
  const ctx = admin && (await viewerAt(demo, admin, dayBefore(demo, daysAgo, 8)))
  if (!ctx) return
  await changeAssignments(ctx, { action: 'ASSIGN', kind, itemUids, userUids: accounts.map(({ uid }) => uid) })
}

/** Courses that institutions asked their people to take. */
const asked: { daysAgo: number; institution: string; course: string }[] = [
  { daysAgo: 300, institution: 'Lakeshore Medical School', course: 'foundations-of-target-discovery' },
  { daysAgo: 255, institution: 'Arunya Institute of Science', course: 'reading-assay-data' },
  { daysAgo: 205, institution: 'Helvik University', course: 'designing-trials-that-answer' },
  { daysAgo: 112, institution: 'Open Dose Foundation', course: 'safety-across-the-life-of-a-medicine' },
  { daysAgo: 46, institution: 'Lakeshore Medical School', course: 'the-first-people' },
]

async function assignToOthers(demo: Demo): Promise<void> {
  const accounts = await accountsOf(demo)
  for (const { daysAgo, institution, course } of asked) {
    const members = demo.people.filter((one) => one.institution === institution && isThere(one, daysAgo))
    await assign(demo, {
      daysAgo,
      kind: 'course',
      slugs: [course],
      accounts: members.flatMap(({ name }) => accounts.get(emailOf(demo, name)) ?? []),
    })
  }
}

/** Whether the account was open then, and not closed again. */
function isThere({ state, joined, lastSeen }: DemoPerson, daysAgo: number): boolean {
  return state !== 'invited' && joined > daysAgo && (state !== 'deactivated' || (lastSeen ?? 0) <= daysAgo)
}

/** With who opened it and followed its link, in one transaction. */
async function sendToAll(demo: Demo, message: (typeof yearMessages)[number]): Promise<void> {
  const { slug, daysAgo, subject, text, opened, clicked } = message
  const accounts = await accountsOf(demo)
  const names = [
    ...(adaJoined > daysAgo ? ['learner'] : []),
    ...demo.people.filter((person) => isThere(person, daysAgo)).map(({ name }) => name),
  ]
  const recipients = names.flatMap((name) => {
    const account = accounts.get(emailOf(demo, name))
    return account ? [{ name, account }] : []
  })
  if (recipients.length === 0) return
  const uid = uidOf(demo.ctx, 'message', slug)
  await inTransaction({ ...demo.ctx, now: dayBefore(demo, daysAgo) }, async (ctx) => {
    const { isNew } = await sendDashboardAnnouncement(ctx, {
      uid,
      subject,
      text: text((address) => `${ctx.site.baseUrl}${address}`),
      from: `The ${brands[ctx.site.key].name} team`,
      userUids: recipients.map(({ account }) => account.uid),
      attachment: null,
    })
    if (!isNew) return
    for (const { name, account } of recipients) {
      const random = randomOf(`${slug}|${name}`)
      if (name !== 'learner' && !random.isLucky(opened)) continue
      const at = new Date(ctx.now.getTime() + random.between(30, 3 * 24 * 60) * minuteMs)
      const reader = await viewerAt({ ...demo, ctx }, account, at)
      if (!reader) continue
      await (random.isLucky(clicked) ? markClicked(reader, { uid }) : markOpened(reader, { uid }))
    }
  })
}
