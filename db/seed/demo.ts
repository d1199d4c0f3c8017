/** Demo content and people for trying out, into an empty database only. */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { brands, type SiteKey } from '../../app/config/brands.ts'
import { logger } from '../../app/config/log.server.ts'
import { type CoverPhase, isCoverPhase } from '../../app/lib/cover.ts'
import { hashPassword } from '../../app/services/accounts/passwords.server.ts'
import { type Ctx, type GroupName, siteContext } from '../../app/services/context.ts'
import { Conflict } from '../../app/services/errors.ts'
import { createInvitation } from '../../app/services/invitations/invitations.server.ts'
import { createModuleAsOperator } from '../../app/services/modules/operator.server.ts'
import { getSite } from '../../app/services/sites/sites.server.ts'
import { activateUser, createUser } from '../../app/services/users/users.server.ts'
import type { Database } from '../client.server.ts'
import { inTransaction } from '../transaction.server.ts'
import { seedAnnouncements } from './announcements.ts'
import { buildPackage, readModuleSource } from './build-package.ts'
import { seedCourses } from './courses.ts'
import { answerQuestions, type Said } from './demo-answers.ts'
import { drawPicture, uidOf } from './demo-parts.ts'
import { seedGlossary } from './glossary.ts'
import { seedLecturesAndVideos } from './lectures-and-videos.ts'

const players = 'dist/players'
const modulesFolder = 'db/seed/modules'

const academic: Said = ['Academia', 'Postdoctoral scholar', 'Translational research', 'Diagnostic test', 'Europe']
const industrial: Said = [
  'Industry',
  'Research scientist',
  'Basic research',
  'Vaccine',
  'North America (United States)',
]

/** Who has said nothing is new, and meets the questionnaire first. */
const people: { name: string; firstName: string; lastName: string; groups: GroupName[]; said?: Said }[] = [
  { name: 'learner', firstName: 'Ada', lastName: 'Okafor', groups: ['learners'], said: academic },
  {
    name: 'instructor',
    firstName: 'Jonas',
    lastName: 'Lindqvist',
    groups: ['learners', 'instructors'],
    said: industrial,
  },
  {
    name: 'author',
    firstName: 'María Guadalupe',
    lastName: 'Castellanos-Villaseñor',
    groups: ['learners', 'authors'],
    said: academic,
  },
  { name: 'admin', firstName: 'Priya', lastName: 'Raman', groups: ['admins'] },
  { name: 'newcomer', firstName: 'Hana', lastName: 'Sato', groups: ['learners'] },
]

/** True once anybody has an account: demo data never goes into a database that is in use. */
export async function hasAnyUser(db: Database): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Content first: a start that is cut off leaves no accounts, so the next one seeds again. Prints the accounts. */
export async function seedDemo(db: Database): Promise<void> {
  const password = randomPassword()
  const sites: SiteKey[] = ['institutional', 'ns']
  const contexts = new Map<SiteKey, Ctx>()
  for (const key of sites) {
    contexts.set(key, siteContext({ db, site: await getSite(db, key), log: logger() }))
  }
  for (const ctx of contexts.values()) {
    const accessPlanUids = await planUids(ctx)
    await seedModules(ctx, accessPlanUids)
    await seedCourses(ctx, accessPlanUids)
    await seedLecturesAndVideos(ctx, accessPlanUids)
    await seedGlossary(ctx)
  }
  const passwordHash = await hashPassword(password)
  const lines = await inTransaction({ db }, async ({ db }) => {
    const made: string[] = []
    for (const ctx of contexts.values()) made.push(...(await seedPeople({ ...ctx, db }, passwordHash)))
    return made
  }).catch((error) => {
    if (error instanceof Conflict && error.code === 'user.email_taken') return null
    throw error
  })
  for (const ctx of contexts.values()) await seedAnnouncements(ctx)
  if (!lines) return console.log('\nThe demo accounts are there already; their passwords stay as they are.')
  console.log(`\nDemo accounts, all with the password ${password}`)
  for (const line of lines) console.log(`  ${line}`)
}

async function seedModules(ctx: Ctx, accessPlanUids: string[]): Promise<void> {
  const phases = await phasesOfChapters(ctx)
  for (const folder of (await readdir(modulesFolder)).sort()) {
    const source = await readModuleSource(path.join(modulesFolder, folder))
    const { palette } = brands[ctx.site.key]
    const isEmpty = source.units.length === 0
    const result = await createModuleAsOperator(ctx, {
      uid: uidOf(ctx, 'module', folder),
      name: source.name,
      description: source.description,
      coverImgDesc: source.cover,
      tags: source.tags,
      chapterName: source.chapter,
      accessPlanUids,
      comingSoon: source.status === 'coming soon',
      publish: source.status === 'published',
      cover: Readable.from([await drawPicture(ctx, source, phases.get(source.chapter))]),
      zip: isEmpty ? null : { file: await buildPackage(source, players, palette), fileName: `${folder}.zip` },
    })
    if (result.package?.status === 'error') throw new Error(`demo module "${source.name}": ${result.package.lastMsg}`)
  }
}

async function phasesOfChapters(ctx: Ctx): Promise<Map<string, CoverPhase>> {
  const rows = await ctx.db
    .selectFrom('chapters')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select(['chapters.name', 'sections.frontend_id as phase'])
    .where('chapters.site_id', '=', ctx.site.id)
    .execute()
  return new Map(rows.flatMap(({ name, phase }) => (isCoverPhase(phase) ? [[name, phase]] : [])))
}

async function planUids(ctx: Ctx): Promise<string[]> {
  const plans = await ctx.db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '!=', 'Free Access')
    .execute()
  return plans.map((plan) => plan.uid)
}

async function seedPeople(ctx: Ctx, passwordHash: string): Promise<string[]> {
  const brand = brands[ctx.site.key]
  const domain = ctx.site.key === 'ns' ? 'ns.titrate.example' : 'titrate.example'
  const lines: string[] = []
  for (const person of people) {
    const email = `${person.name}@${domain}`
    const { uid } = await createUser(ctx, {
      email,
      firstName: person.firstName,
      lastName: person.lastName,
      groups: person.groups,
      universityName: brand.defaultUniversity,
      planName: brand.subsidizedPlan,
    })
    await activateUser(ctx, { userUid: uid, passwordHash })
    if (person.said) await answerQuestions(ctx, { ...person, uid, email }, person.said)
    lines.push(`${brand.name.padEnd(11)} ${person.name.padEnd(11)} ${email}`)
  }
  await createInvitation(ctx, {
    email: `invited@${domain}`,
    firstName: 'Tomás',
    lastName: 'Ferreira',
    groups: ['learners'],
    universityName: brand.defaultUniversity,
    planName: brand.subsidizedPlan,
  })
  return lines
}

function randomPassword(): string {
  return `Drop-${randomBytes(6).toString('hex')}-7T`
}
