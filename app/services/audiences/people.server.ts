/** The people of audiences: who they are, and why somebody is in or out. For admins. */
import { type RawBuilder, sql } from 'kysely'
import { audiencePeopleTable } from '~/forms/audience-tables.ts'
import type { Condition } from '~/forms/audiences.ts'
import { isStorable, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { startedCourses } from '../progress/progress.server.ts'
import { isFoundBy } from '../search-conditions.server.ts'
import { type Audience, findNames, getAudienceRule } from './audiences.server.ts'
import { conditionInWords, type Facts, hasActiveAccount, isInRule, meets, ownInWords } from './conditions.server.ts'

/**
 * SQL query for other domains: the ids of the people who are in an audience now. It stands in a statement of theirs:
 *
 *     insert into … select … from users where users.id in (${peopleOfAudience(ctx, audience)})
 */
export function peopleOfAudience(
  ctx: Pick<Ctx, 'site' | 'now'>,
  audience: Pick<Audience, 'conditions'>,
): RawBuilder<{ id: number }> {
  return sql`select users.id from users where ${isInRule(ctx, audience.conditions)}`
}

/** Counts the people who are in an audience now. */
export async function countAudience(ctx: Ctx, input: { audienceUid: string }): Promise<number> {
  const audience = await getAudienceRule(ctx, input)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from users where ${isInRule(ctx, audience.conditions)}`.execute(ctx.db)
  return rows[0]?.count ?? 0
}

export type AudiencePerson = {
  uid: string
  name: string
  email: string
  institution: string | null
  plan: string | null
}

const fullName = sql`
  coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email, '')`

/** Lists one page of the people who are in an audience now, by name. */
export async function listAudiencePeople(
  ctx: Ctx,
  input: { audienceUid: string; search?: string } & NumberedPageInput,
): Promise<{ items: AudiencePerson[]; total: number }> {
  const { search = '' } = input
  const audience = await getAudienceRule(ctx, input)
  if (!isStorable(search)) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage({ size: audiencePeopleTable.sizes[0], ...input })
  // Found before they are put in order: along the index on names, a small audience would take a look at everybody.
  const { rows } = await sql<{ total: number; items: AudiencePerson[] }>`
    with people as materialized (
      select users.id, users.name_key from users
      where ${isInRule(ctx, audience.conditions)} and ${isFoundBy(sql`users.search_key`, search)}),
    page as (select id, name_key from people order by name_key, id limit ${limit} offset ${offset})
    select (select count(*)::int from people) as total, coalesce((
      select jsonb_agg(jsonb_build_object('uid', users.uid, 'name', ${fullName}, 'email', coalesce(users.email, ''),
        'institution', universities.name, 'plan', access_plans.name) order by page.name_key, page.id)
      from page
      join users on users.id = page.id
      left join universities on universities.id = users.university_id
      left join subscriptions on subscriptions.user_id = users.id
      left join access_plans on access_plans.id = subscriptions.access_plan_id), '[]') as items`.execute(ctx.db)
  return rows[0] ?? { items: [], total: 0 }
}

export type PersonToExplain = { uid: string; name: string; email: string; isIn: boolean }

/** Finds people of the site by name or address, in the audience or not, up to `most`. Erased people are left out. */
export async function findPeopleToExplain(
  ctx: Ctx,
  input: { audienceUid: string; search: string; most: number },
): Promise<PersonToExplain[]> {
  const audience = await getAudienceRule(ctx, input)
  if (!isStorable(input.search) || searchKey(input.search) === '') return []
  const { rows } = await sql<PersonToExplain>`
    select users.uid, ${fullName} as name, coalesce(users.email, '') as email,
      coalesce(${isInRule(ctx, audience.conditions)}, false) as "isIn"
    from users
    where users.id = any(array(
      select users.id from users
      where users.site_id = ${ctx.site.id} and users.erased_at is null
        and ${isFoundBy(sql`users.search_key`, input.search)}
      order by users.name_key, users.id limit ${input.most}))
    order by users.name_key, users.id`.execute(ctx.db)
  return rows
}

/** A condition, whether the person meets it, and what the person has of it. */
export type ExplainedCondition = { condition: string; isMet: boolean; own: string }

export type Membership = {
  audience: { uid: string; name: string }
  person: { uid: string; name: string; email: string }
  isIn: boolean
  /** Why nobody with such an account is in any audience; null for an account that can be used. */
  account: 'disabled' | 'invited' | null
  conditions: ExplainedCondition[]
}

type Explained = {
  name: string
  email: string
  isIn: boolean
  isActive: boolean
  isPending: boolean
  met: boolean[]
  facts: Stored<Facts>
}

/** Facts as JSON has them, with dates as texts. */
type Stored<T> = T extends Date ? string : T extends object ? { [Key in keyof T]: Stored<T[Key]> } : T

/** Says condition by condition why a person of the site is in an audience or not. */
export async function explainMembership(
  ctx: Ctx,
  input: { audienceUid: string; userUid: string },
): Promise<Membership> {
  const audience = await getAudienceRule(ctx, input)
  if (!isUid(input.userUid)) throw new NotFound()
  const { conditions } = audience
  const verdicts = conditions.map((condition) => sql`coalesce(${meets(ctx, condition)}, false)`)
  const [{ rows }, names] = await Promise.all([
    sql<Explained>`
      select ${fullName} as name, coalesce(users.email, '') as email,
        coalesce(${isInRule(ctx, conditions)}, false) as "isIn",
        ${hasActiveAccount(ctx)} as "isActive",
        exists (select from user_groups where user_id = users.id and name = 'pending_users') as "isPending",
        array[${sql.join(verdicts)}]::boolean[] as met,
        ${factsOf(conditions)} as facts
      from users
      where users.uid = ${input.userUid} and users.site_id = ${ctx.site.id} and users.erased_at is null`.execute(
      ctx.db,
    ),
    findNames(ctx, conditions),
  ])
  const [row] = rows
  if (!row) throw new NotFound()
  const facts = datesIn(row.facts)
  return {
    audience: { uid: audience.uid, name: audience.name },
    person: { uid: input.userUid.toLowerCase(), name: row.name, email: row.email },
    isIn: row.isIn,
    account: row.isActive ? null : row.isPending ? 'invited' : 'disabled',
    conditions: conditions.map((condition, index) => ({
      condition: conditionInWords(condition, names),
      isMet: row.met[index] ?? false,
      own: ownInWords(ctx, condition, facts, names),
    })),
  }
}

/** SQL: what conditions can ask about one of `users`, as JSON. Progress only in the content that they name. */
function factsOf(conditions: Condition[]): RawBuilder<Stored<Facts>> {
  const uidsOf = (about: 'module' | 'course') =>
    conditions.flatMap((condition) => (condition.about === about ? condition.values : []))
  return sql`jsonb_build_object(
    'institution', (
      select jsonb_build_object('uid', uid, 'name', name) from universities where id = users.university_id),
    'plan', (
      select jsonb_build_object('uid', plan.uid, 'name', plan.name, 'until', subscription.valid_to)
      from subscriptions subscription join access_plans plan on plan.id = subscription.access_plan_id
      where subscription.user_id = users.id),
    'groups', (select coalesce(jsonb_agg(name), '[]') from user_groups where user_id = users.id),
    'answers', (
      select coalesce(jsonb_agg(jsonb_build_object('about', question.key, 'uid', option.uid,
        'text', option.text || coalesce(': ' || nullif(case when option.allows_custom_answer
          then trim(answer.custom_answer) end, ''), '')) order by option.position, option.id), '[]')
      from user_answers answer
      join profile_questions question on question.id = answer.question_id and question.key is not null
      join user_answer_options picked on picked.answer_id = answer.id
      join profile_options option on option.id = picked.option_id
      where answer.user_id = users.id),
    'modules', (
      select coalesce(jsonb_agg(jsonb_build_object('uid', modules.uid, 'completedAt', own.completed_at)), '[]')
      from module_progress own join modules on modules.id = own.module_id
      where own.user_id = users.id and modules.uid = any(${uidsOf('module')}::uuid[])),
    'courses', (
      select coalesce(jsonb_agg(jsonb_build_object('uid', courses.uid, 'completedAt', own.completed_at)), '[]')
      from ${startedCourses(sql`users.id`)} own join courses on courses.id = own.course_id
      where courses.uid = any(${uidsOf('course')}::uuid[])),
    'seenAt', greatest(users.last_login_at, (
      select max(last_seen_at) from visits where visits.user_id = users.id)),
    'joinedAt', users.joined_at)`
}

function datesIn(facts: Stored<Facts>): Facts {
  const date = (text: string | null) => (text === null ? null : new Date(text))
  const learned = (one: { uid: string; completedAt: string | null }) => ({
    uid: one.uid,
    completedAt: date(one.completedAt),
  })
  return {
    ...facts,
    plan: facts.plan && { ...facts.plan, until: date(facts.plan.until) },
    modules: facts.modules.map(learned),
    courses: facts.courses.map(learned),
    seenAt: date(facts.seenAt),
    joinedAt: date(facts.joinedAt),
  }
}
