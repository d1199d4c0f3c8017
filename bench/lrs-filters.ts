/**
 * The filters of GET /statements, alone and in combinations drawn with a fixed seed, with values that are common,
 * uncommon, rare, and in no statement.
 */
import {
  actorOf,
  courseOf,
  filmOf,
  groupOf,
  instructorOf,
  type Made,
  quizOf,
  randomOf,
  unitOf,
  verbs,
} from './lrs-statements.ts'

export type Filter = Record<string, string>
/** What the filters are made of besides the generator's own names. */
export type Facts = {
  registrations: string[]
  /** Activities with three statements, and their parents. */
  rareActivities: string[]
  rareParents: string[]
  /** When the first and the last statement were stored. */
  first: Date
  last: Date
}

const adl = (name: string) => `http://adlnet.gov/expapi/verbs/${name}`
const none = 'https://content.bench.example/none'

/** Collects facts from some statements, in the order of storing. */
export function factsOf(sample: Made[], { first, last }: { first: Date; last: Date }): Facts {
  const visits = sample.filter(({ object }) => object.id.includes('/exhibits/')).slice(0, 20)
  const contextOf = (made: Made) => made.context as { registration?: string } | undefined
  return {
    registrations: sample.flatMap((made) => contextOf(made)?.registration ?? []).slice(0, 200),
    rareActivities: visits.map(({ object }) => object.id),
    rareParents: visits.map(({ object }) => object.id.replace('exhibits', 'tours')),
    first,
    last,
  }
}

type Choices = Record<'agent' | 'verb' | 'activity' | 'parent' | 'registration', string[]>

/** Common values first, those of no statement last. */
function choicesOf({ registrations, rareActivities, rareParents }: Facts): Choices {
  const agents = [actorOf(0), groupOf(0), instructorOf(0), actorOf(40), actorOf(900), groupOf(39), actorOf(1499)]
  const [activity = none] = rareActivities
  const [parent = none] = rareParents
  return {
    agent: [...agents, actorOf(999_999)].map((agent) => JSON.stringify(agent)),
    verb: [verbs.answered, adl('initialized'), verbs.completed, adl('commented'), adl('launched'), adl('voided'), none],
    activity: [unitOf(0), filmOf(0), quizOf(0), unitOf(20), filmOf(150), activity, courseOf(0), parent, none],
    parent: [courseOf(0), 'https://w3id.org/xapi/cmi5/context/categories/cmi5', courseOf(39), quizOf(3), parent, none],
    registration: [...registrations.slice(0, 4), '00000000-0000-4000-8000-000000000000'],
  }
}

/** Points in time, as parts of the time in which statements were stored. */
const sinces = ['', '', '0.01', '0.5', '0.99', '2']
const untils = ['', '', '0.02', '0.5', '0.98', '-1']
const limits = ['1', '25', '100', '0']

/** Each value alone and with related ones, and each range, ascending and descending. */
export function singleFilters(facts: Facts): Filter[] {
  const { agent, verb, activity, parent, registration } = choicesOf(facts)
  const alone: Filter[] = [
    {},
    ...agent.flatMap((value): Filter[] => [{ agent: value }, { agent: value, related_agents: 'true' }]),
    ...verb.map((value) => ({ verb: value })),
    ...activity.flatMap((value): Filter[] => [{ activity: value }, { activity: value, related_activities: 'true' }]),
    ...parent.map((value) => ({ activity: value, related_activities: 'true' })),
    ...registration.map((value) => ({ registration: value })),
    ...sinces.flatMap((part): Filter[] => (part ? [{ since: timeOf(facts, part) }] : [])),
    ...untils.flatMap((part): Filter[] => (part ? [{ until: timeOf(facts, part) }] : [])),
  ]
  return alone.flatMap((filter, index) => [
    { ...filter, limit: limits[index % limits.length] as string },
    { ...filter, limit: '25', ascending: 'true' },
  ])
}

/** Combinations of two to six filters. */
export function combinedFilters(facts: Facts, count: number, seed = 4): Filter[] {
  const random = randomOf(seed)
  const choices = choicesOf(facts)
  const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T
  const chance = (part: number) => random() < part
  const draw = (): Filter => {
    const isRelated = chance(0.5)
    const since = pick(sinces)
    const until = pick(untils)
    return {
      ...(chance(0.6) && { agent: pick(choices.agent), ...(chance(0.4) && { related_agents: 'true' }) }),
      ...(chance(0.6) && { verb: pick(choices.verb) }),
      ...(chance(0.7) && {
        activity: pick(isRelated ? [...choices.parent, ...choices.activity] : choices.activity),
        ...(isRelated && { related_activities: 'true' }),
      }),
      ...(chance(0.15) && { registration: pick(choices.registration) }),
      ...(since && { since: timeOf(facts, since) }),
      ...(until && { until: timeOf(facts, until) }),
      ...(chance(0.4) && { ascending: 'true' }),
      limit: pick(limits),
    }
  }
  const drawn: Filter[] = []
  const isCombined = (filter: Filter) =>
    Object.keys(filter).filter((name) => !/^(limit|ascending|related_)/.test(name)).length > 1
  while (drawn.length < count) {
    const filter = draw()
    if (isCombined(filter)) drawn.push(filter)
  }
  return drawn
}

function timeOf({ first, last }: Facts, part: string): string {
  return new Date(first.getTime() + Number(part) * (last.getTime() - first.getTime())).toISOString()
}
