/**
 * What each condition of an audience means: in SQL, in words, and what it finds in one person. The three stand side by
 * side, so that they agree; a test compares them person by person.
 *
 * Institutions, plans, answers and content are named by uid. Whatever no longer exists matches nobody, and a condition
 * that excludes something that no longer exists matches nobody either, because nobody knows any more whom it excluded.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type About,
  type AnswerAbout,
  aboutLabels,
  answerAbouts,
  type ChoiceCondition,
  type Condition,
  hasEnded,
  type JoinedCondition,
  type ProgressAbout,
  type ProgressCondition,
  type SeenCondition,
} from '~/forms/audiences.ts'
import { groupChoices, noneOfThem } from '~/forms/user-tables.ts'
import { formatDay } from '~/lib/dates.ts'
import { anyOf } from '../access/content-tables.server.ts'
import type { Ctx } from '../context.ts'
import { modulesThatStart } from '../progress/progress.server.ts'
import { daysAgo } from '../restorable.ts'

type Sql = RawBuilder<SqlBool>
type RuleCtx = Pick<Ctx, 'site' | 'now'>

/** The names of what conditions refer to, by kind and uid. What is missing no longer exists. */
export type Names = Map<string, string>

/** What is known about one person, as `factsOfPerson` selects it. */
export type Facts = {
  institution: { uid: string; name: string } | null
  plan: { uid: string; name: string; until: Date | null } | null
  groups: string[]
  /** The chosen answers, each with the text that the person added. */
  answers: { about: AnswerAbout; uid: string; text: string }[]
  modules: Learned[]
  courses: Learned[]
  seenAt: Date | null
  joinedAt: Date | null
}
type Learned = { uid: string; completedAt: Date | null }

type Kind<One extends Condition> = {
  sql: (ctx: RuleCtx, condition: One) => Clause
  /** A sentence without a full stop: "Institution is University of Basel". */
  words: (condition: One, names: Names) => string
  /** What the person has of it: "University of Basel". */
  own: (ctx: RuleCtx, condition: One, facts: Facts, names: Names) => string
}

/**
 * What a condition says about the one row that a person has or has not in another table. All such conditions of a rule
 * are put together, so that the table is read once for what must be there and once for what must not.
 */
type OnRow = { table: OneRow; isThere: boolean; when: Sql; also: Sql[] }
type OneRow = 'user_facets' | 'subscriptions'
type Clause = Sql | OnRow

// Institution, plan, group and answers

/** Conditions that name values: in SQL what these values mean, each never null, so that it can be negated. */
type Choice = {
  sql: (ctx: RuleCtx, condition: ChoiceCondition) => Clause
  special: Record<string, string>
  own: (facts: Facts, ctx: RuleCtx) => string[]
  none: string
}

function uidsIn({ values }: ChoiceCondition): string[] {
  return values.filter((value) => value !== noneOfThem && value !== hasEnded)
}

const ofSite = (table: 'universities' | 'access_plans') => (ctx: RuleCtx, uids: string[]) =>
  sql`array(select id from ${sql.table(table)} where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[]))`

/** Whoever excludes something that no longer exists excludes everybody. */
function requireAll(how: ChoiceCondition['how'], ids: RawBuilder<unknown>, uids: string[]): Sql[] {
  return how === 'is_not' && uids.length > 0 ? [allExist(ids, uids)] : []
}

const institution: Choice = {
  sql: (ctx, condition) => {
    const { how, values } = condition
    const uids = uidsIn(condition)
    const ids = ofSite('universities')(ctx, uids)
    const meant = [
      ...(uids.length > 0
        ? [sql<SqlBool>`(users.university_id is not null and users.university_id = any(${ids}))`]
        : []),
      ...(values.includes(noneOfThem) ? [sql<SqlBool>`(users.university_id is null)`] : []),
    ]
    if (how === 'is') return anyOf(meant)
    return allOf([...requireAll(how, ids, uids), ...meant.map((one) => sql<SqlBool>`not ${one}`)])
  },
  special: { [noneOfThem]: 'missing' },
  own: ({ institution }) => (institution ? [institution.name] : []),
  none: 'No institution',
}

/**
 * A condition about a table with at most one row for a person. `has`: the row has one of the values; `counts`: it is a
 * row that counts at all. "None of them" is the missing row, so it turns what must be there into what must not.
 */
function onRow(
  table: OneRow,
  { how, values }: ChoiceCondition,
  { has, counts, also }: { has: Sql | null; counts: Sql; also: Sql[] },
): OnRow {
  const withNone = values.includes(noneOfThem)
  const when = !withNone ? (has ?? sql<SqlBool>`false`) : has ? allOf([counts, sql<SqlBool>`not ${has}`]) : counts
  return { table, isThere: (how === 'is') !== withNone, when, also }
}

const plan: Choice = {
  sql: (ctx, condition) => {
    const uids = uidsIn(condition)
    const ids = ofSite('access_plans')(ctx, uids)
    const meant = [
      ...(uids.length > 0 ? [sql<SqlBool>`subscriptions.access_plan_id = any(${ids})`] : []),
      ...(condition.values.includes(hasEnded)
        ? [sql<SqlBool>`coalesce(subscriptions.valid_to <= ${ctx.now}, false)`]
        : []),
    ]
    return onRow('subscriptions', condition, {
      has: meant.length > 0 ? anyOf(meant) : null,
      counts: sql`true`,
      also: requireAll(condition.how, ids, uids),
    })
  },
  special: { [noneOfThem]: 'missing', [hasEnded]: 'ended' },
  own: ({ plan }, ctx) => {
    if (!plan) return []
    const isOver = plan.until !== null && plan.until <= ctx.now
    return [isOver ? `${plan.name}, ended on ${formatDay(plan.until ?? ctx.now, ctx.site.timeZone)}` : plan.name]
  },
  none: 'No access plan',
}

const group: Choice = {
  sql: (_, { how, values }) => {
    const inOne = sql<SqlBool>`exists (
      select from user_groups where user_groups.user_id = users.id and user_groups.name = any(${values}::text[]))`
    return how === 'is' ? inOne : sql`not ${inOne}`
  },
  special: Object.fromEntries(groupChoices.map(({ value, label }) => [value, label])),
  own: ({ groups }) => groupChoices.filter(({ value }) => groups.includes(value)).map(({ label }) => label),
  none: 'No group',
}

function answersTo(about: AnswerAbout): Choice {
  const options = (ctx: RuleCtx, which: RawBuilder<unknown>) => sql`array(
    select option.id from profile_options option
    join profile_questions question on question.id = option.question_id
    where question.site_id = ${ctx.site.id} and question.key = ${about} and ${which})`
  return {
    sql: (ctx, condition) => {
      const uids = uidsIn(condition)
      const ids = options(ctx, sql`option.uid = any(${uids}::uuid[])`)
      return onRow('user_facets', condition, {
        has: uids.length > 0 ? hasChosen(ids) : null,
        counts: hasChosen(options(ctx, sql`true`)),
        also: requireAll(condition.how, ids, uids),
      })
    },
    special: { [noneOfThem]: 'missing' },
    own: ({ answers }) => answers.filter((answer) => answer.about === about).map(({ text }) => text),
    none: 'No answer',
  }
}

/**
 * PostgreSQL expects one person in a hundred to have chosen one of several unknown options, and would then look up
 * everybody one by one. With `coalesce` it expects half of them.
 */
function hasChosen(ids: RawBuilder<unknown>): Sql {
  return sql`coalesce(user_facets.option_ids && ${ids}, false)`
}

function choiceKind({ sql, special, own, none }: Choice): Kind<ChoiceCondition> {
  return {
    sql,
    words: ({ about, how, values }, names) => {
      const list = values.map((value) => special[value] ?? nameOf(names, about, value))
      return `${aboutLabels[about]} ${how === 'is' ? 'is' : 'is not'} ${inWords(list, 'or')}`
    },
    own: (ctx, _, facts) => inWords(own(facts, ctx), 'and') || none,
  }
}

// Progress

function idsOf(ctx: RuleCtx, content: 'modules' | 'courses', uids: string[]): RawBuilder<unknown> {
  return sql`array(
    select id from ${sql.table(content)}
    where site_id = ${ctx.site.id} and deleted_at is null and uid = any(${uids}::uuid[]))`
}

/** SQL condition: somebody of `users` has a record of one of these that meets `more`. */
function hasRecord(about: ProgressAbout, ids: RawBuilder<unknown>, more: Sql = sql`true`): Sql {
  return about === 'module'
    ? sql`exists (
        select from module_progress own where own.user_id = users.id and own.module_id = any(${ids}) and ${more})`
    : sql`exists (
        select from course_progress own where own.user_id = users.id and own.course_id = any(${ids}) and ${more})`
}

const isCompleted = sql<SqlBool>`own.completed_at is not null`

/** A course is started with its first module, too. */
function startsOf(about: ProgressAbout, ids: RawBuilder<unknown>): Sql[] {
  return about === 'module'
    ? [hasRecord('module', ids)]
    : [hasRecord('course', ids), hasRecord('module', modulesThatStart(ids))]
}

function progressKind(about: ProgressAbout): Kind<ProgressCondition> {
  const content = about === 'module' ? 'modules' : 'courses'
  return {
    sql: (ctx, { how, values }) => {
      const ids = idsOf(ctx, content, values)
      if (how === 'completed') return hasRecord(about, ids, isCompleted)
      if (how === 'started') {
        // Each for itself: who has completed one of them may have started another.
        const unfinished = values.map((uid) => {
          const one = idsOf(ctx, content, [uid])
          if (about === 'module') return hasRecord(about, one, sql`own.completed_at is null`)
          return allOf([sql`not ${hasRecord(about, one, isCompleted)}`, anyOf(startsOf(about, one))])
        })
        return anyOf(unfinished)
      }
      const excluded = how === 'not_started' ? startsOf(about, ids) : [hasRecord(about, ids, isCompleted)]
      return allOf([allExist(ids, values), ...excluded.map((one) => sql<SqlBool>`not ${one}`)])
    },
    words: ({ how, values }, names) => {
      const list = values.map((value) => nameOf(names, about, value))
      if (how === 'completed') return `Has completed ${inWords(list, 'or')}`
      if (how === 'started') return `Has started ${inWords(list, 'or')} without completing it`
      return `Has not ${how === 'not_started' ? 'started' : 'completed'} ${inWords(list, 'or')}`
    },
    own: ({ site }, { values }, facts, names) => {
      const own = new Map(facts[content].map((one) => [one.uid, one]))
      const states = values.map((uid) => {
        const found = own.get(uid)
        const state = !found
          ? 'not started'
          : found.completedAt
            ? `completed on ${formatDay(found.completedAt, site.timeZone)}`
            : 'started, not completed'
        return values.length === 1 ? upperFirst(state) : `${nameOf(names, about, uid)}: ${state}`
      })
      return states.join('; ')
    },
  }
}

// Times

/** A login counts too: a visit is recorded only when somebody stays for a minute. */
const seenKind: Kind<SeenCondition> = {
  sql: (ctx, { how, days }) => {
    if (how === 'never' || days === null) {
      return sql`(users.last_login_at is null
        and not exists (select from visits where visits.user_id = users.id))`
    }
    const since = daysAgo(ctx, days)
    const seen = sql`
      select from visits
      where visits.user_id = users.id and visits.site_id = ${ctx.site.id} and visits.last_seen_at >= ${since}`
    return how === 'within'
      ? sql`(users.last_login_at >= ${since} or exists (${seen}))`
      : sql`((users.last_login_at >= ${since}) is not true and not exists (${seen}))`
  },
  words: ({ how, days }) => {
    if (how === 'never' || days === null) return 'Was never seen'
    return how === 'within' ? `Was seen in the last ${daysInWords(days)}` : `Not seen in the last ${daysInWords(days)}`
  },
  own: ({ site }, _, { seenAt }) => (seenAt ? `Last seen on ${formatDay(seenAt, site.timeZone)}` : 'Never seen'),
}

const joinedKind: Kind<JoinedCondition> = {
  sql: (ctx, { how, days }) => {
    const since = sql<SqlBool>`users.joined_at >= ${daysAgo(ctx, days)}`
    return how === 'within' ? since : sql`((${since}) is not true)`
  },
  words: ({ how, days }) =>
    how === 'within' ? `Joined in the last ${daysInWords(days)}` : `Did not join in the last ${daysInWords(days)}`,
  own: ({ site }, _, { joinedAt }) => (joinedAt ? `Joined on ${formatDay(joinedAt, site.timeZone)}` : 'Not joined yet'),
}

const kinds: { [One in Condition as One['about']]: Kind<One> } = {
  institution: choiceKind(institution),
  plan: choiceKind(plan),
  group: choiceKind(group),
  position: choiceKind(answersTo('position')),
  region: choiceKind(answersTo('region')),
  research_type: choiceKind(answersTo('research_type')),
  modality: choiceKind(answersTo('modality')),
  module: progressKind('module'),
  course: progressKind('course'),
  seen: seenKind,
  joined: joinedKind,
}

/** SQL condition on `users`: the person meets a condition of an audience. */
export function meets(ctx: RuleCtx, condition: Condition): Sql {
  return allOf(sqlOf([kindOf(condition).sql(ctx, condition)]))
}

/** Puts conditions about the same table together. */
function sqlOf(clauses: Clause[]): Sql[] {
  const onRows = clauses.filter((clause): clause is OnRow => 'table' in clause)
  const others = clauses.filter((clause): clause is Sql => !('table' in clause))
  const ofTables = (['user_facets', 'subscriptions'] as const).flatMap((table) => {
    const here = onRows.filter((clause) => clause.table === table)
    const row = (when: Sql) => sql<SqlBool>`exists (
      select from ${sql.table(table)} where ${sql.table(table)}.user_id = users.id and ${when})`
    const present = here.filter(({ isThere }) => isThere).map(({ when }) => when)
    const absent = here.filter(({ isThere }) => !isThere).map(({ when }) => when)
    return [
      ...(present.length > 0 ? [row(allOf(present))] : []),
      ...(absent.length > 0 ? [sql<SqlBool>`not ${row(anyOf(absent))}`] : []),
    ]
  })
  return [...onRows.flatMap(({ also }) => also), ...others, ...ofTables]
}

/** Says a condition in words: "Institution is University of Basel". */
export function conditionInWords(condition: Condition, names: Names): string {
  return kindOf(condition).words(condition, names)
}

/** Says what a person has of what a condition is about: "University of Basel". */
export function ownInWords(ctx: RuleCtx, condition: Condition, facts: Facts, names: Names): string {
  return kindOf(condition).own(ctx, condition, facts, names)
}

function kindOf(condition: Condition): Kind<Condition> {
  return kinds[condition.about] as Kind<Condition>
}

/** SQL condition on `users`: an account that its person can use. Others are in no audience. */
export function hasActiveAccount(ctx: RuleCtx): Sql {
  return sql`(users.site_id = ${ctx.site.id} and users.erased_at is null and users.is_active)`
}

/** SQL condition on `users`: the person meets all conditions. A rule without conditions is nobody's. */
export function isInRule(ctx: RuleCtx, conditions: Condition[]): Sql {
  if (conditions.length === 0) return sql`false`
  return allOf([hasActiveAccount(ctx), ...sqlOf(conditions.map((one) => kindOf(one).sql(ctx, one)))])
}

// Names

const unknown = 'something that no longer exists'

export function nameKey(about: About, uid: string): string {
  return `${about}:${uid}`
}

function nameOf(names: Names, about: About, uid: string): string {
  const name = names.get(nameKey(about, uid))
  return name === undefined ? unknown : `“${name}”`
}

/** The things that conditions refer to, by kind. */
export function referencesOf(conditions: Condition[]): { about: About; uid: string }[] {
  return conditions.flatMap((condition) => {
    if (!('values' in condition) || condition.about === 'group') return []
    return condition.values
      .filter((value) => value !== noneOfThem && value !== hasEnded)
      .map((uid) => ({ about: condition.about, uid }))
  })
}

/** Tells whether something that conditions refer to no longer exists. */
export function referToGone(conditions: Condition[], names: Names): boolean {
  return referencesOf(conditions).some(({ about, uid }) => !names.has(nameKey(about, uid)))
}

/** SQL query: kind, uid and name of everything that conditions of a site can refer to, for these uids. */
export function referredThings(ctx: RuleCtx, uids: string[]): RawBuilder<{ about: About; uid: string; name: string }> {
  const here = sql`site_id = ${ctx.site.id} and uid = any(${uids}::uuid[])`
  return sql`
    select 'institution' as about, uid, name::text from universities where ${here}
    union all select 'plan', uid, name::text from access_plans where ${here}
    union all select 'module', uid, name::text from modules where ${here} and deleted_at is null
    union all select 'course', uid, name::text from courses where ${here} and deleted_at is null
    union all
    select question.key, option.uid, option.text
    from profile_options option join profile_questions question on question.id = option.question_id
    where question.site_id = ${ctx.site.id} and question.key = any(${[...answerAbouts]}::text[])
      and option.uid = any(${uids}::uuid[])`
}

// Small parts

function allOf(conditions: Sql[]): Sql {
  return sql`(${sql.join(conditions, sql` and `)})`
}

/** `ids`: an array of the ids of those that exist. */
function allExist(ids: RawBuilder<unknown>, uids: string[]): Sql {
  return sql`cardinality(${ids}) = ${new Set(uids).size}::int`
}

function inWords(list: string[], word: 'and' | 'or'): string {
  if (list.length <= 1) return list[0] ?? ''
  return `${list.slice(0, -1).join(', ')} ${word} ${list.at(-1)}`
}

function daysInWords(days: number): string {
  return days === 1 ? 'day' : `${days.toLocaleString('en')} days`
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
