/** The statements of a site for admins, by person, verb, activity, registration and days. */
import { sql } from 'kysely'
import type { StatementFilters } from '~/forms/statements.ts'
import { daysFrom } from '~/lib/due.ts'
import { caseKey, cutText, emailKey, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { isDay, startOfDay } from '~/lib/zoned-time.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Invalid } from '../errors.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { type BrowsedStatement, browseStatements, type StatementFilter } from '../xapi/xapi.server.ts'
import { actorOf, courseIriOf } from './lms-terms.server.ts'

/** `learner` is the person of the site whose account the actor is. */
export type FoundStatement = BrowsedStatement & { learner: { uid: string; name: string } | null }

const statementsAtOnce = 25
/** The day after it has more digits than a day is written with. */
const lastDay = '9999-12-30'

/**
 * Lists a page of statements, newest first. Throws Invalid with a sentence for what cannot be searched for.
 */
export async function findStatements(
  ctx: Ctx,
  input: Partial<StatementFilters> & { languages?: string[] },
): Promise<{ items: FoundStatement[]; next: number | null }> {
  requireAdmin(ctx)
  const { before, languages } = input
  const filter = await filterOf(ctx, input)
  const page = await browseStatements(ctx, {
    filter,
    first: statementsAtOnce,
    ...(before && { before: Number(before) }),
    ...(languages && { languages }),
  })
  const homePage = await getInstallationValue(ctx.db, 'iri_base')
  const accountOf = (item: BrowsedStatement) => ownAccountOf(item, homePage)
  const names = await namesOf(
    ctx,
    page.items.flatMap((item) => accountOf(item) ?? []),
  )
  return {
    ...page,
    items: page.items.map((item) => {
      const uid = accountOf(item)
      const name = uid === null ? undefined : names.get(uid)
      return { ...item, learner: uid !== null && name !== undefined ? { uid, name } : null }
    }),
  }
}

async function filterOf(ctx: Ctx, input: Partial<StatementFilters>): Promise<StatementFilter> {
  const { person = '', verb = '', activity = '', registration = '', from = '', to = '', related = '' } = input
  if (registration !== '' && !isUid(registration)) {
    throw new Invalid('A registration looks like 6f9a1c0e-3a3b-4c57-8d2e-0b0d5a1f7e21.', { registration: 'No UUID' })
  }
  if (verb !== '' && !URL.canParse(verb)) {
    throw new Invalid('The verb must be an address, such as https://example.org/verb.', { verb: 'No IRI' })
  }
  for (const [name, day] of Object.entries({ from, to })) {
    if (day !== '' && (!isDay(day) || day > lastDay)) {
      throw new Invalid('A day looks like 2026-11-28, and has to exist.', { [name]: 'No day' })
    }
  }
  if (from !== '' && to !== '' && to < from) {
    throw new Invalid('The last day is before the first one.', { to: 'Before the first day' })
  }
  const { timeZone } = ctx.site
  return {
    ...(person && { agent: await agentOf(ctx, person) }),
    ...(verb && { verb }),
    ...(activity && (await activityOf(ctx, activity, { withMentioned: related !== '' }))),
    ...(registration && { registration: registration.toLowerCase() }),
    ...(related && { relatedAgents: person !== '', relatedActivities: activity !== '' }),
    // A statement is found if it was stored after `since` and not after `until`.
    ...(from && { since: startOfDay(from, timeZone).getTime() * 1000 - 1 }),
    ...(to && { until: startOfDay(daysFrom(to, 1), timeZone).getTime() * 1000 - 1 }),
  }
}

/**
 * A module by its title, or by a part of it that no other has: itself, its blocks and its units, in all of its versions. Content knows
 * them by the ids of their publisher, so these are where they are mentioned. Anything else is the IRI of an activity.
 */
async function activityOf(
  ctx: Ctx,
  text: string,
  { withMentioned }: { withMentioned: boolean },
): Promise<Pick<StatementFilter, 'activity' | 'activities'>> {
  const { rows } = await sql<{ uid: string; iri: string | null; publisherId: string | null }>`
    select distinct modules.uid, part.iri, part.publisher_id as "publisherId"
    from modules
      left join module_versions version on version.module_id = modules.id
      left join cmi5_packages package on package.module_version_id = version.id
      left join lateral (
        select iri, publisher_id from cmi5_units where package_id = package.id
        union all select iri, publisher_id from cmi5_blocks where package_id = package.id
        union all select null, package.publisher_id) part on true
    where modules.site_id = ${ctx.site.id} and modules.id = any(${await modulesNamed(ctx, text)})`.execute(ctx.db)
  if (rows.length === 0) {
    if (URL.canParse(text)) return { activity: text }
    const sentence = `No module here is called “${cutText(text, 60)}”. Choose one from the list, or enter the address of an activity, such as https://example.org/activity.`
    throw new Invalid(sentence, { activity: 'No such module' })
  }
  const courses = await Promise.all([...new Set(rows.map(({ uid }) => uid))].map((uid) => courseIriOf(ctx.db, uid)))
  const parts = rows.flatMap(({ iri, publisherId }) => [iri ?? [], (withMentioned && publisherId) || []].flat())
  const activities = [...new Set([...courses, ...parts])]
  if (activities.length > mostActivities) {
    const sentence = `“${cutText(text, 60)}” has too many parts to search for all of them. Enter the address of one.`
    throw new Invalid(sentence, { activity: 'Too many parts' })
  }
  return { activities }
}

async function modulesNamed(ctx: Ctx, text: string): Promise<number[]> {
  const { rows: exact } = await sql<{ id: number }>`
    select id from modules where site_id = ${ctx.site.id} and name_key = ${caseKey(text)}`.execute(ctx.db)
  const key = searchKey(text)
  if (exact.length > 0 || key === '') return exact.map(({ id }) => id)
  const { rows: alike } = await sql<{ id: number; name: string; isDeleted: boolean }>`
    select id, name::text, deleted_at is not null as "isDeleted" from modules
    where site_id = ${ctx.site.id} and ${isFoundBy(sql`search_key`, text)}
    order by "isDeleted", name_key limit ${mostAlike + 1}`.execute(ctx.db)
  // A module in the trash is meant if no other has such a title.
  const rows = alike.filter(({ isDeleted }) => isDeleted === alike[0]?.isDeleted)
  if (rows.length > 1) {
    const names = rows.slice(0, mostAlike).map(({ name }) => `“${cutText(name, 60)}”`)
    const more = rows.length > mostAlike ? ' and others' : ''
    const sentence = `“${cutText(text, 60)}” is in the titles of several modules. Enter one of ${names.join(', ')}${more}.`
    throw new Invalid(sentence, { activity: 'Several modules' })
  }
  return rows.map(({ id }) => id)
}

/** Each of them is looked up in an index of its own. */
const mostActivities = 100

/**
 * Somebody with an account of the site, by name, address or uid. Content may also name people by their address alone.
 */
async function agentOf(ctx: Ctx, person: string): Promise<NonNullable<StatementFilter['agent']>> {
  const isAccount: boolean = isUid(person)
  if (isAccount) return actorOf(ctx.db, person.toLowerCase())
  if (!person.includes('@')) return actorOf(ctx.db, await uidByName(ctx, person))
  const user = await ctx.db
    .selectFrom('users')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('email_key', '=', emailKey(person))
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  return user ? actorOf(ctx.db, user.uid) : { objectType: 'Agent', mbox: `mailto:${person}` }
}

/** The uid of the only person of the site with this name, or the only one whom a search of names and addresses finds. */
async function uidByName(ctx: Ctx, name: string): Promise<string> {
  // As the column is made (migration names-to-sort-by).
  const { rows } = await sql<{ uid: string; email: string | null }>`
    select uid, email from users
    where site_id = ${ctx.site.id} and name_key = lower(normalize(${name}, NFKC) collate "und-x-icu")
      and erased_at is null
    order by id limit ${mostAlike + 1}`.execute(ctx.db)
  const found = rows.length > 0 ? rows : await peopleAlike(ctx, name)
  const [only, ...others] = found
  if (!only) {
    const sentence = `Nobody here is called “${cutText(name, 60)}”. Enter the email address, a name or the ID of the account.`
    throw new Invalid(sentence, { person: 'No such name' })
  }
  if (others.length > 0) {
    const emails = found.slice(0, mostAlike).flatMap(({ email }) => email ?? [])
    const more = found.length > mostAlike ? ' and others' : ''
    const sentence = `Several people are called “${cutText(name, 60)}”, at least in part. Enter the email address of one: ${emails.join(', ')}${more}.`
    throw new Invalid(sentence, { person: 'Several people' })
  }
  return only.uid
}

async function peopleAlike(ctx: Ctx, name: string): Promise<{ uid: string; email: string | null }[]> {
  if (searchKey(name) === '') return []
  const { rows } = await sql<{ uid: string; email: string | null }>`
    select uid, email from users
    where site_id = ${ctx.site.id} and ${isFoundBy(sql`search_key`, name)} and erased_at is null
    order by name_key, id limit ${mostAlike + 1}`.execute(ctx.db)
  return rows
}

/** How many people or modules a sentence names. */
const mostAlike = 5

/** The uid that the actor's account names here. Other systems may use the same names for other people. */
function ownAccountOf({ statement }: BrowsedStatement, ourHomePage: string): string | null {
  const { name, homePage } = statement.actor.account ?? {}
  return homePage === ourHomePage && name !== undefined && isUid(name) ? name.toLowerCase() : null
}

async function namesOf(ctx: Ctx, accounts: string[]): Promise<Map<string, string>> {
  const uids = [...new Set(accounts)]
  if (uids.length === 0) return new Map()
  const { rows } = await sql<{ uid: string; name: string }>`
    select uid, coalesce(nullif(trim(concat_ws(' ', first_name, last_name)), ''), email, 'Erased person') as name
    from users where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[])`.execute(ctx.db)
  return new Map(rows.map(({ uid, name }) => [uid, name]))
}
