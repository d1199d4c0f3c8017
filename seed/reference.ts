/**
 * The data that every installation has: sites, plans, the outline of the process, default institutions, the profile
 * questionnaire, flags. Safe to run again.
 */
import { brands, type SiteKey } from '../app/config/brands.ts'
import { caseKey, searchKey } from '../app/lib/text.ts'
import { ensureInstallation } from '../app/services/sites/sites.server.ts'
import type { Database } from '../db/client.server.ts'
import { seedQuestions } from './questions.ts'

const flags = ['ANNOUNCEMENTS', 'ALL_CONTENT', 'LECTURES', 'GLOSSARY']

const plansOf = (site: SiteKey) => [
  { name: brands[site].subsidizedPlan, is_public: true },
  { name: 'Free Access', is_public: true },
  { name: 'Full Access', is_public: true },
]

/** Written only once, since the site may change these texts afterwards. */
const glossary: Record<SiteKey, { headline: string; description: string }> = {
  institutional: {
    headline: 'The language of drug development',
    description: 'Short definitions of the terms that appear across courses, modules and lectures, in plain sentences.',
  },
  ns: {
    headline: 'What the words mean',
    description:
      'The vocabulary of drug development, from the first assay to the years after approval, in plain sentences.',
  },
}

/** Three phases and ten steps. */
const outline = [
  {
    frontend_id: 'discover',
    name: 'Discover',
    description:
      'Understand what patients lack, find the point in the disease where a medicine could act, and search for molecules that act there.',
    chapters: ['Clinical Need Assessment', 'Target ID & Validation', 'Screening'],
  },
  {
    frontend_id: 'develop',
    name: 'Develop',
    description:
      'Turn a hit into a compound that reaches its target, learn from animals what it does and does not do, and show that it may be tried in people.',
    chapters: ['Optimization', 'Animal Studies', 'Preclinical Studies'],
  },
  {
    frontend_id: 'deliver',
    name: 'Deliver',
    description:
      'Plan trials that can answer the question, and follow the answer from the first volunteer to everyday care.',
    chapters: ['Clinical Trial Design', 'Phase 1', 'Phase 2', 'Phase 3'],
  },
]

export async function seedReference(db: Database, addresses: Record<SiteKey, string>): Promise<void> {
  await ensureInstallation(db, addresses)
  const sites = await db.selectFrom('sites').select(['id', 'key', 'default_university_id']).execute()
  for (const site of sites) await seedSite(db, { ...site, key: site.key as SiteKey })
}

async function seedSite(
  db: Database,
  site: { id: number; key: SiteKey; default_university_id: number | null },
): Promise<void> {
  await db
    .insertInto('feature_flags')
    .values(flags.map((name) => ({ site_id: site.id, name })))
    .onConflict((oc) => oc.doNothing())
    .execute()
  await db
    .insertInto('access_plans')
    .values(plansOf(site.key).map((plan) => ({ site_id: site.id, ...plan })))
    .onConflict((oc) => oc.doNothing())
    .execute()
  await db
    .insertInto('glossary_settings')
    .values({ site_id: site.id, ...glossary[site.key] })
    .onConflict((oc) => oc.column('site_id').doNothing())
    .execute()
  await seedDefaultUniversity(db, site)
  await seedOutline(db, site.id)
  await seedQuestions(db, site.id)
}

async function seedDefaultUniversity(
  db: Database,
  site: { id: number; key: SiteKey; default_university_id: number | null },
): Promise<void> {
  if (site.default_university_id !== null) return
  const name = brands[site.key].defaultUniversity
  await db
    .insertInto('universities')
    .values({ site_id: site.id, name, name_key: caseKey(name), search_key: searchKey(name) })
    .onConflict((oc) => oc.doNothing())
    .execute()
  await db
    .updateTable('sites')
    .set((eb) => ({
      default_university_id: eb
        .selectFrom('universities')
        .select('id')
        .where('site_id', '=', site.id)
        .where('name_key', '=', caseKey(name)),
    }))
    .where('id', '=', site.id)
    .execute()
}

/** Sections and chapters are written only once, since the site may change names and order afterwards. */
async function seedOutline(db: Database, siteId: number): Promise<void> {
  await db
    .insertInto('sections')
    .values(outline.map(({ chapters: _, ...section }, position) => ({ site_id: siteId, position, ...section })))
    .onConflict((oc) => oc.doNothing())
    .execute()
  const sections = await db.selectFrom('sections').select(['id', 'frontend_id']).where('site_id', '=', siteId).execute()
  const filled = await db.selectFrom('chapters').select('id').where('site_id', '=', siteId).limit(1).execute()
  if (filled.length > 0) return
  const rows = sections.flatMap((section) =>
    (outline.find((entry) => entry.frontend_id === section.frontend_id)?.chapters ?? []).map((name, position) => ({
      site_id: siteId,
      section_id: section.id,
      name,
      position,
    })),
  )
  await db
    .insertInto('chapters')
    .values(rows)
    .onConflict((oc) => oc.doNothing())
    .execute()
}

export async function hasAnyAdmin(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('user_groups')
    .select('user_id')
    .where('name', '=', 'admins')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
