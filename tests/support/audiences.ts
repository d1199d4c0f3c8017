/** People with all that conditions of audiences ask about, and what a rule says of them, computed without SQL. */
import { sql } from 'kysely'
import type { AnswerAbout, Condition } from '~/forms/audiences.ts'
import type { Ctx, GroupName } from '~/services/context.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { projectFacetsOf } from '~/services/questionnaire/questionnaire.server.ts'
import { aModule } from './cmi5.ts'
import { aContext, aUser } from './context.ts'
import { aCourseOf } from './courses.ts'

const dayMs = 86_400_000

/** What one person has. Days count backward from now. */
export type Person = {
  uid: string
  id: number
  institution: string | null
  plan: string | null
  isPlanOver: boolean
  groups: GroupName[]
  answers: Partial<Record<AnswerAbout, string>>
  /** By uid of the module or course. */
  learned: Map<string, 'started' | 'completed'>
  seenDaysAgo: number | null
  joinedDaysAgo: number | null
  isActive: boolean
}

export type World = {
  people: Person[]
  institutions: string[]
  plans: string[]
  modules: string[]
  courses: string[]
  options: Record<AnswerAbout, string[]>
}

/** The same numbers in each run. */
function anySequence(): (below: number) => number {
  let state = 20_261_127
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const abouts = ['position', 'region', 'research_type', 'modality'] as const

/** Makes people of many kinds: some disabled, one of the other site, one erased. */
export async function aWorldOfPeople(ctx: Ctx, count: number): Promise<World> {
  const { db } = ctx
  const any = anySequence()
  const pick = <T>(list: readonly T[]): T => list[any(list.length)] as T
  const institutions: string[] = []
  for (const name of ['Basel University', 'Bern College', 'Chur Institute'])
    institutions.push((await ensureUniversity(ctx, { name })).uid)
  const plans = await db.selectFrom('access_plans').select(['uid', 'name']).where('site_id', '=', ctx.site.id).execute()
  const modules = [await aModule(ctx, { name: 'Assays' }), await aModule(ctx, { name: 'Targets' })]
  const courses = [await aCourseOf(ctx, modules.slice(0, 1)), await aCourseOf(ctx, modules.slice(1))]
  const rows = await db
    .selectFrom('profile_options as option')
    .innerJoin('profile_questions as question', 'question.id', 'option.question_id')
    .select(['question.key', 'question.id as questionId', 'option.id', 'option.uid'])
    .where('question.site_id', '=', ctx.site.id)
    .where('question.key', 'in', [...abouts])
    .orderBy('option.position')
    .execute()
  const optionsOf = (about: AnswerAbout) => rows.filter(({ key }) => key === about)
  const people: Person[] = []
  for (let n = 0; n < count; n++) {
    const site = n === 1 ? 'ns' : 'institutional'
    const groups = pick<GroupName[]>([['learners'], ['learners'], ['learners', 'authors'], ['admins'], ['instructors']])
    const plan = site === 'ns' ? null : pick([null, ...plans])
    const viewer = await aUser(db, { site, groups, plan: plan?.name ?? null, isNew: true, lastName: `Number ${n}` })
    const person: Person = {
      uid: viewer.uid,
      id: viewer.id,
      institution: site === 'ns' ? null : pick([null, ...institutions]),
      plan: plan?.uid ?? null,
      isPlanOver: plan !== null && any(3) === 0,
      groups,
      answers: {},
      learned: new Map(),
      seenDaysAgo: pick([null, 1, 20, 45, 400]),
      joinedDaysAgo: pick([null, 2, 60]),
      isActive: any(8) > 0,
    }
    await db
      .updateTable('users')
      .set({
        university_id: person.institution
          ? db.selectFrom('universities').select('id').where('uid', '=', person.institution)
          : null,
        joined_at: person.joinedDaysAgo === null ? null : before(ctx, person.joinedDaysAgo),
        is_active: person.isActive,
        // Every second person is known by the last login, the others by a visit.
        last_login_at: person.seenDaysAgo !== null && n % 2 === 0 ? before(ctx, person.seenDaysAgo) : null,
      })
      .where('id', '=', person.id)
      .execute()
    if (person.isPlanOver) {
      await db
        .updateTable('subscriptions')
        .set({ valid_to: before(ctx, 1) })
        .where('user_id', '=', person.id)
        .execute()
    }
    if (person.seenDaysAgo !== null && n % 2 === 1) {
      const at = before(ctx, person.seenDaysAgo)
      const visits = [at, before(ctx, person.seenDaysAgo + 100)].map((last_seen_at) => ({
        site_id: viewer.siteId,
        user_id: person.id,
        started_at: last_seen_at,
        last_seen_at,
      }))
      await db.insertInto('visits').values(visits).execute()
    }
    if (site === 'institutional') {
      for (const about of abouts) {
        const option = pick([null, ...optionsOf(about)])
        if (!option) continue
        person.answers[about] = option.uid
        await sql`
          with answer as (
            insert into user_answers (site_id, user_id, question_id)
            values (${viewer.siteId}, ${person.id}, ${option.questionId}) returning id, question_id)
          insert into user_answer_options (answer_id, question_id, option_id)
          select id, question_id, ${option.id} from answer`.execute(db)
      }
      for (const [index, module] of modules.entries()) {
        const state = pick([null, 'started', 'completed'] as const)
        const course = courses[index]
        if (state === null || !course) continue
        person.learned.set(module.uid, state)
        await db
          .insertInto('module_progress')
          .values({
            site_id: viewer.siteId,
            user_id: person.id,
            module_id: module.id,
            completed_at: state === 'completed' ? before(ctx, 3) : null,
          })
          .execute()
        // A module that was begun is a course that was started. Only some complete it.
        const isDone = state === 'completed' && any(2) === 0
        person.learned.set(course.uid, isDone ? 'completed' : 'started')
        if (!isDone) continue
        await sql`
          insert into course_progress (site_id, user_id, course_id, completed_at)
          select ${viewer.siteId}, ${person.id}, id, ${before(ctx, 2)} from courses where uid = ${course.uid}`.execute(
          db,
        )
      }
    }
    people.push(person)
  }
  await projectFacetsOf(ctx, { userUids: people.map(({ uid }) => uid) })
  return {
    people,
    institutions,
    plans: plans.map(({ uid }) => uid),
    modules: modules.map(({ uid }) => uid),
    courses: courses.map(({ uid }) => uid),
    options: Object.fromEntries(
      abouts.map((about) => [about, optionsOf(about).map(({ uid }) => uid)]),
    ) as World['options'],
  }
}

function before({ now }: Ctx, days: number): Date {
  return new Date(now.getTime() - days * dayMs)
}

/** What a condition says of a person, by reading the rules of audiences as a person would. */
export function isMetBy(person: Person, condition: Condition): boolean {
  const { about } = condition
  if (about === 'seen') {
    if (condition.how === 'never') return person.seenDaysAgo === null
    const isSeen = person.seenDaysAgo !== null && person.seenDaysAgo <= (condition.days ?? 0)
    return condition.how === 'within' ? isSeen : !isSeen
  }
  if (about === 'joined') {
    const hasJoined = person.joinedDaysAgo !== null && person.joinedDaysAgo <= condition.days
    return condition.how === 'within' ? hasJoined : !hasJoined
  }
  if (about === 'module' || about === 'course') {
    const states = condition.values.map((uid) => person.learned.get(uid))
    if (condition.how === 'completed') return states.includes('completed')
    if (condition.how === 'started') return states.includes('started')
    if (condition.how === 'not_started') return states.every((state) => state === undefined)
    return !states.includes('completed')
  }
  const isOne = condition.values.some((value) => {
    if (about === 'group') return person.groups.some((group) => group === value)
    if (about === 'institution') return (person.institution ?? 'none') === value
    if (about !== 'plan') return (person.answers[about] ?? 'none') === value
    return (person.plan ?? 'none') === value || (value === 'ended' && person.isPlanOver)
  })
  return condition.how === 'is' ? isOne : !isOne
}

/** Another site's admin, for tests that nothing crosses. */
export async function anNsAdmin(ctx: Ctx): Promise<Ctx> {
  return aContext(ctx.db, { site: 'ns', viewer: await aUser(ctx.db, { site: 'ns', groups: ['admins'], plan: null }) })
}
