/** Demo content and people for evaluation, only for an empty database. */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { brands, type SiteKey } from '../app/config/brands.ts'
import { logger } from '../app/config/log.server.ts'
import { hashPassword } from '../app/services/accounts/passwords.server.ts'
import { type Ctx, type GroupName, siteContext, type Viewer } from '../app/services/context.ts'
import { Conflict } from '../app/services/errors.ts'
import { createInvitation } from '../app/services/invitations/invitations.server.ts'
import { createModule } from '../app/services/modules/create-module.server.ts'
import { finishLatestPackage } from '../app/services/modules/finish-package.server.ts'
import { listModulesByUid } from '../app/services/modules/modules.server.ts'
import { getModuleToEdit, updateModule } from '../app/services/modules/save-module.server.ts'
import { scheduleChange } from '../app/services/schedule/schedule.server.ts'
import { findViewer } from '../app/services/sessions/sessions.server.ts'
import { findDemoMark, getSite, markDemo } from '../app/services/sites/sites.server.ts'
import { receiveUpload } from '../app/services/uploads/uploads.server.ts'
import { listUsersByEmail } from '../app/services/users/batch.server.ts'
import { activateUser, createUser, setPasswordHash } from '../app/services/users/users.server.ts'
import type { Database } from '../db/client.server.ts'
import { inTransaction } from '../db/transaction.server.ts'
import { emailOf } from './activity/demo-site.ts'
import { adaJoined } from './activity/plan.ts'
import { seedAnnouncements, seedMessagesToSend } from './announcements.ts'
import { seedAudiences } from './audiences.ts'
import { buildPackage, type ModuleSource, readModuleSource } from './build-package.ts'
import { seedCourses } from './courses.ts'
import { answerQuestions, type DemoAnswers } from './demo-answers.ts'
import { findChapter, isOnSite, uidOf, uploadCover } from './demo-parts.ts'
import { seedGlossary } from './glossary.ts'
import { seedLecturesAndVideos } from './lectures-and-videos.ts'
import { authorJoined, datesOfModule } from './module-dates.ts'

const sites: SiteKey[] = ['institutional', 'ns']
const players = 'dist/players'
const modulesFolder = 'seed/modules'

const academic: DemoAnswers = [
  'Academia',
  'Postdoctoral scholar',
  'Translational research',
  'Diagnostic test',
  'Europe',
]
const industrial: DemoAnswers = [
  'Industry',
  'Research scientist',
  'Basic research',
  'Vaccine',
  'North America (United States)',
]

/** Content is older than whatever the people of the demo do with it. */
const contentDays = 400

type Person = {
  name: string
  firstName: string
  lastName: string
  groups: GroupName[]
  /** Days before the seed. */
  joined: number
  /** People without answers are new and see the questionnaire first. */
  profileAnswers?: DemoAnswers
}

const people: Person[] = [
  {
    name: 'learner',
    firstName: 'Ada',
    lastName: 'Okafor',
    groups: ['learners'],
    joined: adaJoined,
    profileAnswers: academic,
  },
  {
    name: 'instructor',
    firstName: 'Jonas',
    lastName: 'Lindqvist',
    groups: ['learners', 'instructors'],
    joined: 370,
    profileAnswers: industrial,
  },
  {
    name: 'author',
    firstName: 'María Guadalupe',
    lastName: 'Castellanos-Villaseñor',
    groups: ['learners', 'authors'],
    joined: authorJoined,
    profileAnswers: academic,
  },
  { name: 'admin', firstName: 'Priya', lastName: 'Raman', groups: ['admins'], joined: 395 },
  { name: 'newcomer', firstName: 'Hana', lastName: 'Sato', groups: ['learners'], joined: 1 },
]

/**
 * True once there is an account besides the demo authors: demo data never goes into a database that is in use. The
 * authors come before the content, so a start that was interrupted in the content leaves only them.
 */
export async function isInUse(db: Database): Promise<boolean> {
  const authors = sites.map((key) => emailOf({ site: { key } }, 'author'))
  const row = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb.or([eb('email', 'is', null), eb('email', 'not in', authors)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Creates the authors, the content and then all other accounts: an interrupted start leaves only the authors, so the
 * next one continues seeding. Prints the accounts.
 */
export async function seedDemo(db: Database): Promise<void> {
  const password = randomPassword()
  const passwordHash = await hashPassword(password)
  const today = await startOfDemo(db)
  const contexts = new Map<SiteKey, Ctx>()
  for (const key of sites) {
    contexts.set(key, siteContext({ db, site: await getSite(db, key), log: logger(), isOperator: true }))
  }
  for (const own of contexts.values()) {
    const ctx = { ...own, now: daysBefore(today, contentDays) }
    const asAuthor = { ...ctx, viewer: await openAuthor(own, today, passwordHash) }
    const accessPlanUids = await planUids(ctx)
    await seedModules(asAuthor, today, accessPlanUids)
    await seedCourses(asAuthor, accessPlanUids)
    await seedLecturesAndVideos(ctx, accessPlanUids)
    await seedGlossary(ctx)
    await planFirstDraft({ ...asAuthor, now: own.now })
  }
  const lines = await inTransaction({ db }, async ({ db }) => {
    const made: string[] = []
    for (const ctx of contexts.values()) made.push(...(await seedPeople({ ...ctx, db }, today, passwordHash)))
    return made
  }).catch((error) => {
    if (error instanceof Conflict && error.code === 'user.email_taken') return null
    throw error
  })
  for (const ctx of contexts.values()) {
    await seedAnnouncements(ctx)
    await seedAudiences(ctx)
    await seedMessagesToSend(ctx)
  }
  if (!lines) return console.log('\nThe demo accounts are there already; their passwords stay as they are.')
  console.log(`\nDemo accounts, all with the password ${password}`)
  for (const line of lines) console.log(`  ${line}`)
}

/** The midnight before the first seed, from which everything counts back; today for a demo from before there was such a mark. */
async function startOfDemo(db: Database): Promise<Date> {
  const now = new Date()
  const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
  if (!(await isInUse(db))) await markDemo(db, { key: 'demo_day', at: today })
  return (await findDemoMark(db, 'demo_day')) ?? today
}

function daysBefore(today: Date, days: number): Date {
  return new Date(today.getTime() - days * 86_400_000 + 9 * 3_600_000)
}

async function seedModules(ctx: Ctx, today: Date, accessPlanUids: string[]): Promise<void> {
  const folders = (await readdir(modulesFolder)).sort()
  const uids = new Map(folders.map((folder) => [folder, uidOf(ctx, 'module', folder)]))
  const made = await listModulesByUid(ctx, [...uids.values()])
  for (const [folder, uid] of uids) {
    const source = await readModuleSource(path.join(modulesFolder, folder))
    if (!isOnSite(source, ctx.site.key)) continue
    const { madeAt, changedAt } = datesOfModule({ folder, status: source.status }, { site: ctx.site.key, today })
    const atFirst = { ...ctx, now: madeAt }
    if (!made.has(uid)) await seedModule(atFirst, { folder, source, uid, accessPlanUids, isFinal: changedAt === null })
    // Also for a module whose package was not parsed before the last start was interrupted.
    const state = await finishLatestPackage(atFirst, { moduleUid: uid })
    if (state?.status === 'error') throw new Error(`demo module "${folder}": ${state.lastMsg}`)
    if (changedAt) await addTags({ ...ctx, now: changedAt }, { uid, tags: source.tags })
  }
}

/** Adds the tags that the module did not have at first, unless it has been changed since. */
async function addTags(ctx: Ctx, { uid, tags }: { uid: string; tags: string[] }): Promise<void> {
  const { revision } = await getModuleToEdit(ctx, { moduleUid: uid })
  if (revision === 1) await updateModule(ctx, { moduleUid: uid, tags })
}

/** Plans the publication of a draft, so that the schedule has something to show. */
async function planFirstDraft(ctx: Ctx): Promise<void> {
  const uid = uidOf(ctx, 'module', 'writing-a-target-product-profile')
  if (!(await listModulesByUid(ctx, [uid])).has(uid)) return
  const nineOClock = new Date(ctx.now.getTime() + 14 * 86_400_000)
  nineOClock.setUTCHours(9, 0, 0, 0)
  await scheduleChange(ctx, { kind: 'module', itemUid: uid, action: 'publish', at: nineOClock })
}

type NewDemoModule = {
  folder: string
  source: ModuleSource
  uid: string
  accessPlanUids: string[]
  /** False: the author adds the other tags later. */
  isFinal: boolean
}

async function seedModule(ctx: Ctx, module: NewDemoModule): Promise<void> {
  const { folder, source, uid, accessPlanUids, isFinal } = module
  const chapter = await findChapter(ctx, source.chapter)
  await createModule(ctx, {
    uid,
    name: source.name,
    description: source.description,
    coverImg: await uploadCover(ctx, source, chapter.phase),
    coverImgDesc: source.cover,
    tags: isFinal ? source.tags : source.tags.slice(0, 1),
    chapterUid: chapter.uid,
    accessPlanUids,
    comingSoon: source.status === 'coming soon',
    status: source.status === 'published' ? 'published' : 'draft',
    cmi5Zip: source.units.length === 0 ? null : await uploadPackage(ctx, folder, source),
  })
}

async function uploadPackage(ctx: Ctx, folder: string, source: ModuleSource): Promise<string> {
  const zip = await buildPackage(source, players, brands[ctx.site.key].palette)
  const { name } = await receiveUpload(ctx, { kind: 'cmi5_zip', fileName: `${folder}.zip`, source: zip })
  return name
}

export async function planUids(ctx: Ctx): Promise<string[]> {
  const plans = await ctx.db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '!=', 'Free Access')
    .execute()
  return plans.map((plan) => plan.uid)
}

/**
 * Opens the author's account, unless an earlier start has done so. Returns the author, whom modules and courses name, or
 * null if somebody has closed the account since; then the content has no author.
 */
async function openAuthor(own: Ctx, today: Date, passwordHash: string): Promise<Viewer | null> {
  const email = emailOf(own, 'author')
  const known = (await listUsersByEmail(own, [email])).get(email)
  const author = people.find(({ name }) => name === 'author')
  if (!known && author) await inTransaction(own, (ctx) => openAccount(ctx, author, today, passwordHash))
  const user = known ?? (await listUsersByEmail(own, [email])).get(email)
  return user ? findViewer(own, { userUid: user.uid }) : null
}

/** Makes the accounts that one can sign in with. Returns a line about each. */
export async function seedPeople(own: Ctx, today: Date, passwordHash: string): Promise<string[]> {
  const brand = brands[own.site.key]
  const lines: string[] = []
  for (const person of people) {
    const email = emailOf(own, person.name)
    const author = person.name === 'author' && (await listUsersByEmail(own, [email])).get(email)
    // A start that was interrupted after the author's account has printed no password, so this one replaces it.
    if (author) await setPasswordHash(own, { userUid: author.uid, passwordHash })
    else await openAccount(own, person, today, passwordHash)
    lines.push(`${brand.name.padEnd(11)} ${person.name.padEnd(11)} ${email}`)
  }
  await createInvitation(own, {
    email: emailOf(own, 'invited'),
    firstName: 'Tomás',
    lastName: 'Ferreira',
    groups: ['learners'],
    universityName: brand.defaultUniversity,
    planName: brand.subsidizedPlan,
  })
  return lines
}

async function openAccount(own: Ctx, person: Person, today: Date, passwordHash: string): Promise<void> {
  const { name, firstName, lastName, groups, joined, profileAnswers } = person
  const brand = brands[own.site.key]
  const email = emailOf(own, name)
  const ctx = { ...own, now: daysBefore(today, joined) }
  const account = { email, firstName, lastName, groups, universityName: brand.defaultUniversity }
  const { uid } = await createUser(ctx, { ...account, planName: brand.subsidizedPlan })
  await activateUser(ctx, { userUid: uid, passwordHash })
  if (profileAnswers) await answerQuestions(ctx, { ...person, uid, email }, profileAnswers)
}

function randomPassword(): string {
  return `Drop-${randomBytes(6).toString('hex')}-7T`
}
