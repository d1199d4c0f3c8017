/**
 * Statements as a platform gets them: people watch films, answer questions and work through units, each in a session.
 * A few activities have most of the statements, and many have only three. Courses are parents and never objects. Some
 * sessions belong to a group with members, some statements name an instructor. They are made from a seed, so that two
 * runs store the same ones.
 */

export type Made = {
  id: string
  timestamp: string
  actor: object
  verb: { id: string }
  object: { id: string }
} & Record<string, unknown>

type Writer = {
  /** The next `count` statements of consecutive sessions. */
  take: (count: number) => Made[]
}

export const crowd = { actors: 1500, films: 200, quizzes: 120, units: 400, groups: 40, instructors: 8 }
export type Crowd = typeof crowd
/** A site that has a dozen activities. */
export const smallCrowd: Crowd = { ...crowd, films: 4, quizzes: 2, units: 3 }
const home = 'https://people.bench.example'
const begin = Date.UTC(2026, 0, 1)
/** Milliseconds between two statements, so that a million of them span a year. */
const spread = 31_000

/** A small `actors` narrows the crowd, so that many simultaneous writers name the same people. */
export function aWriter(seed: number, some: Partial<Crowd> = {}): Writer {
  const people = { ...crowd, ...some }
  const { actors } = people
  const random = randomOf(seed)
  const pick = (below: number) => Math.floor(random() * below)
  /** Favors small numbers: the first of 400 is picked in every seventh case. */
  const favor = (below: number) => Math.floor(below * random() ** 3)
  /** Favors them less: the busiest of 1,500 people has one statement in forty. */
  const aPerson = () => actorOf(Math.floor(actors * random() ** 2))
  const from: Source = { pick, favor, people }
  let count = 0
  const waiting: Made[] = []
  const hex = (digits: number) =>
    pick(16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  // Writers may come to the same random numbers after millions of them, so each has ids of its own.
  const own = seed.toString(16).padStart(6, '0')
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(6)}${own}`
  const aStatement = (part: object) => {
    count += 1
    return { id: uuid(), timestamp: new Date(begin + count * spread).toISOString(), ...part } as Made
  }
  const session = (): Made[] => {
    const actor = pick(25) === 0 ? groupOf(favor(people.groups), actors) : aPerson()
    const registration = uuid()
    const kind = pick(200)
    const parts =
      kind < 60 ? film(from, registration) : kind < 120 ? quiz(from, registration) : unit(from, registration)
    const made = (kind === 199 ? visit(seed, count, registration) : parts).map((part) => aStatement({ actor, ...part }))
    // Sometimes somebody comments on an earlier statement.
    if (pick(40) === 0) made.push(aStatement({ actor: aPerson(), ...commentOn(made[0] as Made) }))
    return made
  }
  return {
    take: (wanted) => {
      while (waiting.length < wanted) waiting.push(...session())
      return waiting.splice(0, wanted)
    },
  }
}

export const actorOf = (n: number) => ({
  objectType: 'Agent',
  account: { homePage: home, name: `person-${String(n).padStart(5, '0')}` },
})
/** Ten people who learn together. */
export const groupOf = (n: number, actors: number = crowd.actors) => ({
  objectType: 'Group',
  account: { homePage: home, name: `group-${n}` },
  member: Array.from({ length: 10 }, (_, index) => actorOf((n * 31 + index) % actors)),
})
export const instructorOf = (n: number) => ({
  objectType: 'Agent',
  account: { homePage: home, name: `instructor-${n}` },
})
export const filmOf = (n: number) => `https://content.bench.example/films/${n}`
export const unitOf = (n: number) => `https://content.bench.example/courses/${n % 40}/units/${n}`
export const courseOf = (n: number) => `https://content.bench.example/courses/${n}`
export const visitOf = (place: string) => `https://content.bench.example/exhibits/${place}`
export const tourOf = (place: string) => `https://content.bench.example/tours/${place}`
export const quizOf = (n: number) => `https://content.bench.example/quizzes/${n}`
export const verbs = {
  played: 'https://w3id.org/xapi/video/verbs/played',
  answered: 'http://adlnet.gov/expapi/verbs/answered',
  completed: 'http://adlnet.gov/expapi/verbs/completed',
}

type Pick = (below: number) => number
type Source = { pick: Pick; favor: Pick; people: Crowd }
const verb = (id: string, name: string) => ({ id, display: { en: name } })
const adl = (name: string) => verb(`http://adlnet.gov/expapi/verbs/${name}`, name)
const filmVerb = (name: string) => verb(`https://w3id.org/xapi/video/verbs/${name}`, name)
const ofFilm = 'https://w3id.org/xapi/video/extensions/'

function film({ pick, favor, people }: Source, registration: string): object[] {
  const number = favor(people.films)
  const length = 300 + (number % 600)
  const object = {
    objectType: 'Activity',
    id: filmOf(number),
    definition: {
      name: { en: `Screening assays, part ${number}` },
      description: { en: 'How a hypothesis becomes a measurement that can be believed, and which controls tell.' },
      type: 'https://w3id.org/xapi/video/activity-type/video',
      extensions: { [`${ofFilm}length`]: length },
    },
  }
  const context = {
    registration,
    language: 'en',
    platform: 'Bench',
    contextActivities: {
      category: [{ id: 'https://w3id.org/xapi/video' }],
      parent: [{ id: courseOf(number % 40), objectType: 'Activity' }],
    },
    extensions: {
      [`${ofFilm}session-id`]: registration,
      [`${ofFilm}length`]: length,
      [`${ofFilm}screen-size`]: '1920x1080',
      [`${ofFilm}user-agent`]: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
    },
  }
  const at = (seconds: number) => ({
    extensions: {
      [`${ofFilm}time`]: seconds,
      [`${ofFilm}progress`]: seconds / length,
      [`${ofFilm}played-segments`]: `0[.]${seconds}`,
    },
  })
  const middle = 20 + pick(200)
  return [
    { verb: adl('initialized'), object, context },
    { verb: filmVerb('played'), object, result: at(0), context },
    { verb: filmVerb('paused'), object, result: at(middle), context },
    { verb: filmVerb('played'), object, result: at(middle), context },
    { verb: adl('completed'), object, result: { ...at(length), completion: true, duration: `PT${length}S` }, context },
    { verb: adl('terminated'), object, result: at(length), context },
  ]
}

function quiz({ pick, favor, people }: Source, registration: string): object[] {
  const number = favor(people.quizzes)
  const context = {
    registration,
    language: 'en',
    instructor: instructorOf(pick(people.instructors)),
    contextActivities: {
      parent: [{ id: `https://content.bench.example/quizzes/${number}`, objectType: 'Activity' }],
      grouping: [{ id: courseOf(number % 40), objectType: 'Activity' }],
    },
    extensions: { 'https://content.bench.example/extensions/attempt': 1 + pick(3) },
  }
  const choices = ['alpha', 'beta', 'gamma', 'delta'].map((id) => ({
    id,
    description: { en: `It is the ${id} of the four that the protocol names.` },
  }))
  const answers = Array.from({ length: 6 }, (_, index) => ({
    verb: adl('answered'),
    object: {
      objectType: 'Activity',
      id: `https://content.bench.example/quizzes/${number}/questions/${index}`,
      definition: {
        type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
        name: { en: `Question ${index + 1}` },
        description: { en: 'Which of these statements about the assay is supported by the data that was shown?' },
        interactionType: 'choice',
        correctResponsesPattern: ['beta'],
        choices,
      },
    },
    result: { response: choices[pick(4)]?.id, success: pick(2) === 0, duration: `PT${5 + pick(60)}S` },
    context,
  }))
  const scaled = pick(101) / 100
  const object = {
    objectType: 'Activity',
    id: `https://content.bench.example/quizzes/${number}`,
    definition: { type: 'http://adlnet.gov/expapi/activities/assessment', name: { en: `Quiz ${number}` } },
  }
  const result = { score: { scaled, raw: scaled * 100, min: 0, max: 100 }, success: scaled >= 0.7, duration: 'PT4M2S' }
  return [...answers, { verb: adl(scaled >= 0.7 ? 'passed' : 'failed'), object, result, context }]
}

function unit({ pick, favor, people }: Source, registration: string): object[] {
  const number = favor(people.units)
  const object = {
    objectType: 'Activity',
    id: unitOf(number),
    definition: {
      name: { en: `Unit ${number}: from target to candidate` },
      description: { en: 'What is known of the target, what would disprove it, and who decides on which evidence.' },
      type: 'http://adlnet.gov/expapi/activities/lesson',
    },
  }
  const contextOf = (isMoving: boolean) => ({
    registration,
    contextActivities: {
      grouping: [{ id: `https://publisher.bench.example/units/${number}`, objectType: 'Activity' }],
      category: [
        { id: 'https://w3id.org/xapi/cmi5/context/categories/cmi5' },
        ...(isMoving ? [{ id: 'https://w3id.org/xapi/cmi5/context/categories/moveon' }] : []),
      ],
    },
    extensions: {
      'https://w3id.org/xapi/cmi5/context/extensions/sessionid': registration,
      'https://w3id.org/xapi/cmi5/context/extensions/masteryscore': 0.8,
      'https://w3id.org/xapi/cmi5/context/extensions/launchmode': 'Normal',
      'https://w3id.org/xapi/cmi5/context/extensions/launchurl': `https://content.bench.example/units/${number}/index.html?language=en`,
    },
  })
  const page = (index: number) => ({
    verb: adl('experienced'),
    object: {
      objectType: 'Activity',
      id: `${unitOf(number)}/pages/${index}`,
      definition: { name: { en: `Page ${index}` } },
    },
    context: contextOf(false),
  })
  const duration = `PT${60 + pick(900)}S`
  const score = { scaled: 0.8 + pick(21) / 100 }
  return [
    { verb: adl('initialized'), object, context: contextOf(false) },
    page(1),
    page(2),
    { verb: adl('completed'), object, result: { completion: true, duration }, context: contextOf(true) },
    { verb: adl('passed'), object, result: { success: true, score, duration }, context: contextOf(true) },
    { verb: adl('terminated'), object, result: { duration }, context: contextOf(false) },
  ]
}

/** An activity that has three statements and then none. */
function visit(seed: number, count: number, registration: string): object[] {
  const place = `${seed}-${count}`
  const object = { objectType: 'Activity', id: visitOf(place), definition: { name: { en: `Exhibit ${place}` } } }
  const context = { registration, contextActivities: { parent: [{ id: tourOf(place) }] } }
  return ['launched', 'interacted', 'exited'].map((name) => ({ verb: adl(name), object, context }))
}

function commentOn({ id }: Made): object {
  return {
    verb: adl('commented'),
    object: { objectType: 'StatementRef', id },
    result: { response: 'Look at the controls again: what would have to be seen if the effect were not there?' },
  }
}

/** mulberry32: small, even enough, and the same everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
