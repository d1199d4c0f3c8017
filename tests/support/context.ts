import { sql } from 'kysely'
import { searchKey } from '~/lib/text.ts'
import { hashPassword } from '~/services/accounts/passwords.server.ts'
import { type Ctx, type GroupName, type SiteKey, siteContext, type Viewer } from '~/services/context.ts'
import { getSite } from '~/services/sites/sites.server.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { seedReference } from '../../seed/reference.ts'

export const testAddresses = { institutional: 'http://localhost:3000', ns: 'http://ns.localhost:3000' }
export const testPassword = 'Correct7Horse'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** Opens the database of this test file, with reference data. Call `close` at the end. */
export async function openTestDatabase(
  url: string,
  addresses = testAddresses,
): Promise<{ db: Database; close: () => Promise<void> }> {
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 20 })
  await seedReference(db, addresses)
  return { db, close: () => pool.end() }
}

/** The context in which a test calls services: without a viewer, for the viewer of `aUser`, or for the operator. */
export async function aContext(
  db: Database,
  options: { site?: SiteKey; viewer?: Viewer | null; isOperator?: boolean; now?: Date } = {},
): Promise<Ctx> {
  const site = await getSite(db, options.site ?? 'institutional')
  return siteContext({
    db,
    site,
    log: silent,
    viewer: options.viewer ?? null,
    isOperator: options.isOperator ?? false,
    ...(options.now && { now: options.now }),
  })
}

/** The same context for the operator. */
export function asOperator(ctx: Ctx): Ctx {
  return { ...ctx, viewer: null, isOperator: true }
}

let people = 0
let passwordHash: Promise<string> | undefined

/** Leaves of a person what an erased account leaves. */
export async function erase(db: Database, viewer: Viewer | null): Promise<void> {
  const nothing = { first_name: null, last_name: null, email: null, email_key: null, is_active: false }
  await db
    .updateTable('users')
    .set({ erased_at: new Date(), ...nothing })
    .where('id', '=', viewer?.id ?? 0)
    .execute()
}

/**
 * Inserts an open account and returns it as a viewer. `plan: null` means no subscription. The required questions are
 * answered, so only a user with `isNew` is sent to the questionnaire.
 */
export async function aUser(
  db: Database,
  options: {
    site?: SiteKey
    groups?: GroupName[]
    plan?: string | null
    email?: string
    firstName?: string
    lastName?: string
    isNew?: boolean
  } = {},
): Promise<Viewer> {
  passwordHash ??= hashPassword(testPassword)
  const site = await getSite(db, options.site ?? 'institutional')
  const email = options.email ?? `person${++people}@titrate.example`
  const groups = options.groups ?? ['learners']
  const user = await db
    .insertInto('users')
    .values({
      site_id: site.id,
      email,
      email_key: email.toLowerCase(),
      first_name: options.firstName ?? 'Ada',
      last_name: options.lastName ?? 'Okafor',
      search_key: searchKey(`${options.firstName ?? 'Ada'} ${options.lastName ?? 'Okafor'} ${email}`),
      password_hash: await passwordHash,
      is_active: true,
      joined_at: new Date(),
    })
    .returning(['id', 'uid', 'first_name', 'last_name'])
    .executeTakeFirstOrThrow()
  await db
    .insertInto('user_groups')
    .values(groups.map((name) => ({ user_id: user.id, name })))
    .execute()
  if (!options.isNew) await answerRequiredQuestions(db, user.id)
  const plan = options.plan === null ? null : await planOf(db, site.id, options.plan ?? 'Full Access')
  if (plan !== null) {
    await db
      .insertInto('subscriptions')
      .values({ site_id: site.id, user_id: user.id, type: 'paid', access_plan_id: plan })
      .execute()
  }
  return {
    id: user.id,
    uid: user.uid,
    siteId: site.id,
    email,
    firstName: user.first_name ?? '',
    lastName: user.last_name ?? '',
    groups,
    planId: plan,
    accessEndedAt: null,
  }
}

/** Answers each required question with its first option that needs no free text. */
export async function answerRequiredQuestions(db: Database, userId: number): Promise<void> {
  await sql`
    with first_options as (
      select distinct on (q.id) q.site_id, q.id as question_id, o.id as option_id
      from users u
        join profile_questions q on q.site_id = u.site_id and q.is_required
        join profile_options o on o.question_id = q.id and not o.allows_custom_answer
      where u.id = ${userId}
      order by q.id, o.position),
    answers as (
      insert into user_answers (site_id, user_id, question_id) select site_id, ${userId}, question_id from first_options
      on conflict do nothing returning id, question_id)
    insert into user_answer_options (answer_id, question_id, option_id)
    select answers.id, question_id, option_id from answers join first_options using (question_id)`.execute(db)
}

export async function planOf(db: Database, siteId: number, name: string): Promise<number> {
  const plan = await db
    .selectFrom('access_plans')
    .select('id')
    .where('site_id', '=', siteId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return plan.id
}
