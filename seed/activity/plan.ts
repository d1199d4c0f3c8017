/** What each person of the demo does, and when: worked out of their line in people.ts alone, before anything is written. Pure. */
import type { SiteKey } from '../../app/config/brands.ts'
import type { StudyUnitType } from '../../app/forms/favorites.ts'
import { type ModuleSource, type Question, questionsByPage, type UnitSource } from '../build-package.ts'
import type { DemoPerson } from './people.ts'
import { type Random, randomOf } from './random.ts'

/** One opening of a unit. */
export type Visit = {
  module: string
  unitIndex: number
  courseSlug: string | null
  isRetake: boolean
  /** The visit only takes a failed test again, in the same attempt. */
  isTestAgain: boolean
  minutes: number
  /** Pages that were seen before, and after. */
  from: number
  to: number
  pages: Question[][]
  /** All answers of the attempt until the end of this visit, by question. */
  answers: Record<string, string[]>
  /** Of these questions in this visit, in order. */
  answered: Question[]
  /** Set where the visit finishes the unit; `scaled` is null where it asks nothing. */
  result: { scaled: number | null; hasPassed: boolean } | null
}

export type Watched = { kind: 'lecture' | 'video'; slug: string; percent: number }

/** One stay on the site. */
export type Sitting = {
  at: Date
  visit: Visit | null
  film: Watched | null
  search: Search | null
  saved: { type: StudyUnitType; slug: string }[]
}

export type Search = { query: string; results: number }

/** A module as somebody takes it. */
export type Taken = {
  module: string
  courseSlug?: string
  /** How many answers are wrong in each unit; 0 if left out. */
  wrong?: number[]
  /** Stops for good in this unit, after so many pages. */
  until?: { unitIndex: number; pages: number }
  /**
   * How many answers are wrong in each unit the second time: of the tests that must still be passed or, if there are
   * none, of a retake.
   */
  again?: number[]
}

const dayMs = 86_400_000

/** The visits of a module, unit by unit; some units take two. */
export function visitsOf(random: Random, source: ModuleSource, module: string, taken: Omit<Taken, 'module'>): Visit[] {
  const { courseSlug = null, wrong = [], until, again } = taken
  const units = source.units.slice(0, until ? until.unitIndex + 1 : undefined)
  const first = units.flatMap((unit, unitIndex) => {
    const pages = questionsByPage(unit.markdown)
    const isLast = until?.unitIndex === unitIndex
    const end = isLast ? Math.min(until.pages, pages.length - 1) : pages.length
    const stops = end > 3 && random.isLucky(0.3) ? [random.between(2, end - 1), end] : [end]
    const given = answersOf(random, pages.flat(), wrong[unitIndex] ?? 0)
    return stops.map((to, index): Visit => {
      const from = stops[index - 1] ?? 0
      const known = pages.slice(0, to).flat()
      const answered = pages.slice(from, to).flat()
      return {
        module,
        unitIndex,
        courseSlug,
        isRetake: false,
        isTestAgain: false,
        minutes: (to - from) * random.between(2, 4) + answered.length + 1,
        from,
        to,
        pages,
        answers: Object.fromEntries(known.map(({ id }) => [id, given.chosen[id] ?? []])),
        answered,
        result: to < pages.length ? null : resultOf(pages.flat(), given.missed, unit.masteryScore),
      }
    })
  })
  if (!again) return first
  const open = first.filter(({ unitIndex, result }) => result && !result.hasPassed && asksToPass(units[unitIndex]))
  if (open.length > 0) return [...first, ...open.map((visit) => testAgain(random, visit, units, again))]
  const retake = visitsOf(random, source, module, { wrong: again })
  return [...first, ...retake.map((visit, index) => ({ ...visit, isRetake: index === 0 }))]
}

function asksToPass(unit: UnitSource | undefined): boolean {
  return unit?.moveOn === 'Passed' || unit?.moveOn === 'CompletedAndPassed'
}

/** As the player opens a unit again whose test was failed: at the first question, without the earlier answers. */
function testAgain(random: Random, visit: Visit, units: UnitSource[], wrong: number[]): Visit {
  const { pages, unitIndex } = visit
  const questions = pages.flat()
  const given = answersOf(random, questions, wrong[unitIndex] ?? 0)
  return {
    ...visit,
    isTestAgain: true,
    minutes: questions.length + random.between(2, 5),
    from: pages.findIndex((page) => page.length > 0),
    answers: given.chosen,
    answered: questions,
    result: resultOf(questions, given.missed, units[unitIndex]?.masteryScore ?? null),
  }
}

function answersOf(random: Random, questions: Question[], wrong: number) {
  const missed = new Set(random.shuffle(questions.map(({ id }) => id)).slice(0, wrong))
  const choose = (question: Question) => (missed.has(question.id) ? wrongChoice(random, question) : question.correct)
  const chosen: Record<string, string[]> = Object.fromEntries(
    questions.map((question) => [question.id, choose(question)]),
  )
  return { chosen, missed: missed.size }
}

/** As the player counts (seed/player/player.ts). */
function resultOf(questions: Question[], missed: number, mastery: number | null): NonNullable<Visit['result']> {
  if (questions.length === 0) return { scaled: null, hasPassed: true }
  const scaled = Math.round(((questions.length - missed) / questions.length) * 10_000) / 10_000
  return { scaled, hasPassed: scaled >= (mastery ?? 0) }
}

function wrongChoice(random: Random, { choices, correct }: Question): string[] {
  const wrong = choices.filter(({ id }) => !correct.includes(id)).map(({ id }) => id)
  return [random.pick(wrong)]
}

/** The order in which people come across modules: the site's own, then along the process, as the modules page has it. */
const modulesInOrder = [
  'crossing-the-blood-brain-barrier',
  'biomarkers-of-the-living-brain',
  'slow-diseases-and-subjective-scales',
  'safety-of-medicines-for-the-brain',
  'defining-an-unmet-clinical-need',
  'listening-to-patients',
  'choosing-and-validating-a-drug-target',
  'human-genetics-as-evidence',
  'high-throughput-screening',
  'reading-a-dose-response-curve',
  'lead-optimization',
  'adme-and-early-dosing',
  'choosing-an-animal-model',
  'glp-toxicology-before-the-first-dose',
  'from-data-package-to-application',
  'endpoints-and-estimands',
  'randomisation-and-blinding',
  'first-in-human',
  'finding-the-dose',
  'pharmacovigilance-and-risk-management',
]

const courseOf: Record<string, string> = {
  'crossing-the-blood-brain-barrier': 'medicines-for-the-nervous-system',
  'biomarkers-of-the-living-brain': 'medicines-for-the-nervous-system',
  'slow-diseases-and-subjective-scales': 'medicines-for-the-nervous-system',
  'safety-of-medicines-for-the-brain': 'medicines-for-the-nervous-system',
  'defining-an-unmet-clinical-need': 'foundations-of-target-discovery',
  'choosing-and-validating-a-drug-target': 'foundations-of-target-discovery',
  'high-throughput-screening': 'reading-assay-data',
  'lead-optimization': 'from-compound-to-candidate',
  'glp-toxicology-before-the-first-dose': 'safety-across-the-life-of-a-medicine',
  'endpoints-and-estimands': 'designing-trials-that-answer',
  'first-in-human': 'the-first-people',
}

const lectures = [
  'what-patients-lack',
  'evidence-from-human-genetics',
  'screens-that-can-be-believed',
  'from-hit-to-candidate',
  'what-animals-can-tell',
  'setting-the-first-dose',
  'a-trial-that-answers',
  'after-the-approval',
]
const videos = [
  'why-half-lives-matter',
  'reaching-steady-state',
  'how-an-antibody-finds-its-target',
  'phases-of-a-programme',
  'attrition-in-numbers',
  'an-expert-on-biomarkers',
  'an-expert-on-stopping',
  'an-expert-on-consent',
  'case-a-dose-too-low',
  'case-an-interim-look',
  'case-a-signal-that-held',
  'case-a-formulation-saved',
]

/** With how much the search finds of it on a demo site; what is looked for in vain belongs to the report, too. */
export const searches: Search[] = [
  { query: 'dose response', results: 5 },
  { query: 'half-life', results: 6 },
  { query: 'estimand', results: 5 },
  { query: 'toxicology', results: 4 },
  { query: 'blinding', results: 3 },
  { query: 'clearance', results: 8 },
  { query: 'biomarker', results: 3 },
  { query: 'informed consent', results: 1 },
  { query: 'first in human', results: 6 },
  { query: 'crispr', results: 0 },
]

/** Everything that a person does, in order; each on a day of its own. `today` is the midnight before the seed. */
export function sittingsOf(person: DemoPerson, sources: ReadonlyMap<string, ModuleSource>, today: Date): Sitting[] {
  const { name, joined, lastSeen, plan } = person
  if (lastSeen === null) return []
  const random = randomOf(name)
  const modules = modulesInOrder.filter((module) => sources.has(module))
  const visits = modulesOf(person, modules, random).flatMap(({ module, ...taken }) =>
    visitsOf(random, sourceOf(sources, module), module, taken),
  )
  const days = joined - lastSeen
  const others = Math.max(3, Math.round(visits.length / 2))
  const canOpen = plan === 'subsidized' || plan === 'full'
  // Somebody with little time leaves the rest undone.
  const stays: (Visit | null)[] = mixed(random, visits, others).slice(0, days)
  const dates = daysOf(random, stays, days)
  return stays.map((visit, index) => ({
    at: momentOf(random, today, joined - (dates[index] ?? days)),
    visit,
    film: canOpen && (visit === null || random.isLucky(0.15)) ? watched(random) : null,
    search: random.isLucky(0.2) ? random.pick(searches) : null,
    saved: canOpen && visit === null && random.isLucky(0.4) ? [savedOf(random, modules)] : [],
  }))
}

/**
 * The days of the stays, the last on day `days`: no two on one day. Whoever has begun a module soon comes back to
 * finish it, and then stays away for longer. So most of what is begun in the last weeks is completed in them, too.
 */
function daysOf(random: Random, stays: (Visit | null)[], days: number): number[] {
  const gaps = stays.map((_, index) => (index === 0 || isMidway(stays, index) ? 0.05 : 0.5 + random.next()))
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  const spare = days - (stays.length - 1)
  let passed = 0
  return gaps.map((gap, index) => {
    passed += gap
    return index === stays.length - 1 ? days : index + Math.floor((spare * passed) / whole)
  })
}

/** True if the module that was visited last before this stay is the one that is visited next. */
function isMidway(stays: (Visit | null)[], index: number): boolean {
  const before = stays.slice(0, index).findLast((visit) => visit !== null)
  const next = stays.slice(index).find((visit) => visit !== null)
  return before !== undefined && before.module === next?.module
}

function momentOf(random: Random, today: Date, daysAgo: number): Date {
  const minutes = random.between(7 * 60, 20 * 60)
  return new Date(today.getTime() - Math.max(daysAgo, 1) * dayMs + minutes * 60_000)
}

function mixed(random: Random, visits: Visit[], others: number): (Visit | null)[] {
  const all: (Visit | null)[] = [...visits]
  for (let n = 0; n < others; n++) all.splice(random.between(0, all.length), 0, null)
  return all
}

function modulesOf({ modules, skill }: DemoPerson, offered: string[], random: Random): Taken[] {
  if (modules === 0) return []
  const begin = random.pick([0, 0, 2, 4, 7, 9, 11])
  const list = [...offered.slice(begin), ...offered.slice(0, begin)]
    .filter(() => random.isLucky(0.85))
    .slice(0, modules)
  return list.flatMap((module, index): Taken[] => {
    const wrong = [0, 1, 2].map(() => [0, 1, 2].filter(() => !random.isLucky(skill)).length)
    const course = courseOf[module]
    const taken = { module, wrong, ...(course && random.isLucky(0.6) && { courseSlug: course }) }
    // What was begun last is sometimes not done yet, and now and then something is left.
    const isLeft = random.isLucky(index === list.length - 1 ? 0.25 : 0.12)
    if (isLeft) return [{ ...taken, until: { unitIndex: 0, pages: random.between(1, 5) } }]
    const isTakenAgain = wrong.some((count) => count >= 2) && random.isLucky(0.6)
    return [isTakenAgain ? { ...taken, again: [random.between(0, 1), 0] } : taken]
  })
}

function watched(random: Random): Watched {
  const percent = random.isLucky(0.7) ? 100 : random.between(15, 85)
  return random.isLucky(0.55)
    ? { kind: 'lecture', slug: random.pick(lectures.slice(0, 7)), percent }
    : { kind: 'video', slug: random.pick(videos), percent }
}

function savedOf(random: Random, modules: string[]): Sitting['saved'][number] {
  const type = random.pick(['module', 'module', 'course', 'lecture', 'video'] as const)
  const courses = modules.flatMap((module) => courseOf[module] ?? [])
  const lists = { module: modules, course: courses, lecture: lectures, video: videos }
  return { type, slug: random.pick(lists[type]) }
}

function sourceOf(sources: ReadonlyMap<string, ModuleSource>, module: string): ModuleSource {
  const source = sources.get(module)
  if (!source) throw new Error(`There is no demo module "${module}"`)
  return source
}

/** How long before the seed the demo learner joined, and was here last. */
export const adaJoined = 150

/**
 * Three modules that are not finished, one more on Titrate NS, and seven that are done: one of them was taken twice, and
 * the test of another was passed the second time.
 */
const adaTakes: Taken[] = [
  { module: 'defining-an-unmet-clinical-need', courseSlug: 'foundations-of-target-discovery' },
  { module: 'listening-to-patients', courseSlug: 'foundations-of-target-discovery', wrong: [1], again: [0] },
  {
    module: 'choosing-and-validating-a-drug-target',
    courseSlug: 'foundations-of-target-discovery',
    wrong: [2],
    again: [0],
  },
  { module: 'human-genetics-as-evidence', courseSlug: 'foundations-of-target-discovery', wrong: [1] },
  { module: 'high-throughput-screening', courseSlug: 'reading-assay-data' },
  { module: 'reading-a-dose-response-curve', courseSlug: 'reading-assay-data', wrong: [1] },
  { module: 'adme-and-early-dosing', courseSlug: 'from-compound-to-candidate', wrong: [1, 0] },
  { module: 'lead-optimization', courseSlug: 'from-compound-to-candidate', until: { unitIndex: 0, pages: 5 } },
  {
    module: 'endpoints-and-estimands',
    courseSlug: 'designing-trials-that-answer',
    until: { unitIndex: 1, pages: 3 },
    wrong: [1, 0],
  },
  { module: 'choosing-an-animal-model', until: { unitIndex: 0, pages: 2 } },
  {
    module: 'crossing-the-blood-brain-barrier',
    courseSlug: 'medicines-for-the-nervous-system',
    until: { unitIndex: 0, pages: 4 },
  },
]

const adaWatches: Watched[] = [
  { kind: 'lecture', slug: 'what-patients-lack', percent: 100 },
  { kind: 'video', slug: 'why-half-lives-matter', percent: 100 },
  { kind: 'lecture', slug: 'evidence-from-human-genetics', percent: 100 },
  { kind: 'video', slug: 'an-expert-on-biomarkers', percent: 62 },
  { kind: 'lecture', slug: 'screens-that-can-be-believed', percent: 45 },
  { kind: 'video', slug: 'case-an-interim-look', percent: 100 },
]

const adaSaves: Sitting['saved'] = [
  { type: 'lecture', slug: 'a-trial-that-answers' },
  { type: 'course', slug: 'safety-across-the-life-of-a-medicine' },
  { type: 'video', slug: 'an-expert-on-consent' },
  { type: 'module', slug: 'randomisation-and-blinding' },
  { type: 'module', slug: 'pharmacovigilance-and-risk-management' },
]

export type AdaAssigned = {
  daysAgo: number
  kind: 'module' | 'course'
  slugs: string[]
  site?: SiteKey
  /** In how many days it is due, and why. */
  due?: { inDays: number; note: string }
}

/** Modules and courses that Ada was asked to learn, on both sites or on one, and how many days ago. */
export const adaAssigned: AdaAssigned[] = [
  { daysAgo: 140, kind: 'course', slugs: ['foundations-of-target-discovery'] },
  { daysAgo: 62, kind: 'module', slugs: ['reading-a-dose-response-curve', 'choosing-an-animal-model'] },
  { daysAgo: 20, kind: 'course', slugs: ['medicines-for-the-nervous-system'], site: 'ns' },
  { daysAgo: 12, kind: 'course', slugs: ['designing-trials-that-answer', 'the-first-people'] },
  {
    daysAgo: 5,
    kind: 'module',
    slugs: ['first-in-human', 'glp-toxicology-before-the-first-dose'],
    due: { inDays: 20, note: 'Please complete this before the seminar on safety.' },
  },
]

export function sittingsOfAda(sources: ReadonlyMap<string, ModuleSource>, today: Date): Sitting[] {
  const random = randomOf('learner')
  const takes = adaTakes.filter(({ module }) => sources.has(module))
  const visits = takes.flatMap(({ module, ...taken }) => visitsOf(random, sourceOf(sources, module), module, taken))
  // She joined during a day, so her first stay is on the next.
  const firstDay = adaJoined - 1
  const dates = daysOf(random, visits, firstDay - 1)
  return visits.map((visit, index) => ({
    at: momentOf(random, today, firstDay - (dates[index] ?? 0)),
    visit,
    film: index % 3 === 1 ? (adaWatches[Math.floor(index / 3)] ?? null) : null,
    search: index % 4 === 2 ? random.pick(searches) : null,
    saved: index % 3 === 2 ? adaSaves.slice(Math.floor(index / 3)).slice(0, 1) : [],
  }))
}
