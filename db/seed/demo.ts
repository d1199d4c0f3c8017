/** Demo content and people for trying out, into an empty database only. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { brands, type SiteKey } from '../../app/config/brands.ts'
import { logger } from '../../app/config/log.server.ts'
import { hashPassword } from '../../app/services/accounts/passwords.server.ts'
import { type Ctx, type GroupName, systemContext } from '../../app/services/context.ts'
import { createInvitation } from '../../app/services/invitations/invitations.server.ts'
import { importModuleAsOperator } from '../../app/services/modules/import.server.ts'
import { getSite } from '../../app/services/sites/sites.server.ts'
import { activateUser, createUser } from '../../app/services/users/users.server.ts'
import type { Database } from '../client.server.ts'
import { inTransaction } from '../transaction.server.ts'
import { buildPackage, readModuleSource } from './build-package.ts'

const players = 'dist/players'
const modulesFolder = 'db/seed/modules'
const modules = ['choosing-and-validating-a-drug-target', 'high-throughput-screening', 'first-in-human']

const people: { name: string; firstName: string; lastName: string; groups: GroupName[] }[] = [
  { name: 'learner', firstName: 'Ada', lastName: 'Okafor', groups: ['learners'] },
  { name: 'instructor', firstName: 'Jonas', lastName: 'Lindqvist', groups: ['learners', 'instructors'] },
  { name: 'author', firstName: 'María Guadalupe', lastName: 'Castellanos-Villaseñor', groups: ['learners', 'authors'] },
  { name: 'admin', firstName: 'Priya', lastName: 'Raman', groups: ['admins'] },
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
    contexts.set(key, systemContext({ db, site: await getSite(db, key), log: logger() }))
  }
  for (const ctx of contexts.values()) await seedModules(ctx)
  const passwordHash = await hashPassword(password)
  const lines = await inTransaction({ db }, async ({ db }) => {
    const made: string[] = []
    for (const ctx of contexts.values()) made.push(...(await seedPeople({ ...ctx, db }, passwordHash)))
    return made
  })
  console.log(`\nDemo accounts, all with the password ${password}`)
  for (const line of lines) console.log(`  ${line}`)
}

async function seedModules(ctx: Ctx): Promise<void> {
  for (const folder of modules) {
    const source = await readModuleSource(path.join(modulesFolder, folder))
    const result = await importModuleAsOperator(ctx, {
      file: await buildPackage(source, players, brands[ctx.site.key].palette),
      fileName: `${folder}.zip`,
      name: source.name,
      planUids: await planUids(ctx),
      description: source.description,
      chapterName: source.chapter,
      inSelfStudy: true,
      publish: true,
    })
    if (result.package.status !== 'parsed') throw new Error(`demo module "${source.name}": ${result.package.lastMsg}`)
  }
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
