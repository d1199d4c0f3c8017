import { chooseText } from '~/lib/language.ts'
import { tidyLine, withoutLoneSurrogates } from '~/lib/text.ts'
import { isActivity, isActor } from './identity.ts'
import type {
  Activity,
  ActivityDefinition,
  Actor,
  InteractionComponent,
  LanguageMap,
  Result,
  Statement,
  StatementObject,
} from './types.ts'
import { parseDuration } from './values.ts'

/** A statement as a sentence for people: `Ada Okafor completed “Reading a plate”, score 80%, 12 min`. Pure. */
export type StatementWords = {
  actor: string
  verb: string
  object: string
  /** The parts of the result, such as `score 80%` and `12 min`. */
  details: string[]
  sentence: string
}

type Options = {
  /** The actor's name, if known. Our own statements name people only by uid. */
  actorName?: string
  /** An Accept-Language header. */
  language?: string
}

/**
 * Verbs of cmi5 (9.3), of the video profile and of ADL's list that units often send, in the form that fits between a
 * person and a thing.
 */
const knownVerbs: Record<string, string> = {
  'http://adlnet.gov/expapi/verbs/launched': 'launched',
  'http://adlnet.gov/expapi/verbs/initialized': 'started',
  'http://adlnet.gov/expapi/verbs/completed': 'completed',
  'http://adlnet.gov/expapi/verbs/passed': 'passed',
  'http://adlnet.gov/expapi/verbs/failed': 'failed',
  'http://adlnet.gov/expapi/verbs/terminated': 'left',
  'https://w3id.org/xapi/adl/verbs/abandoned': 'abandoned',
  'https://w3id.org/xapi/adl/verbs/waived': 'was excused from',
  'https://w3id.org/xapi/adl/verbs/satisfied': 'satisfied',
  'https://w3id.org/xapi/video/verbs/played': 'played',
  'https://w3id.org/xapi/video/verbs/paused': 'paused',
  'https://w3id.org/xapi/video/verbs/seeked': 'moved within',
  'http://adlnet.gov/expapi/verbs/answered': 'answered',
  'http://adlnet.gov/expapi/verbs/attempted': 'attempted',
  'http://adlnet.gov/expapi/verbs/experienced': 'experienced',
  'http://adlnet.gov/expapi/verbs/interacted': 'interacted with',
  'http://adlnet.gov/expapi/verbs/progressed': 'progressed in',
  'http://adlnet.gov/expapi/verbs/scored': 'scored in',
  'http://adlnet.gov/expapi/verbs/voided': 'voided',
}

const answered = 'http://adlnet.gov/expapi/verbs/answered'
const extension = {
  progress: 'https://w3id.org/xapi/cmi5/result/extensions/progress',
  reason: 'https://w3id.org/xapi/cmi5/result/extensions/reason',
  videoProgress: 'https://w3id.org/xapi/video/extensions/progress',
  videoTime: 'https://w3id.org/xapi/video/extensions/time',
  videoFrom: 'https://w3id.org/xapi/video/extensions/time-from',
  videoTo: 'https://w3id.org/xapi/video/extensions/time-to',
}
/** The maximum length of a name or an answer here; the statement keeps all of it. */
const maxCharacters = 300

export function statementInWords(
  statement: Pick<Statement, 'actor' | 'verb' | 'object' | 'result'>,
  { actorName, language = 'en' }: Options = {},
): StatementWords {
  const actor = actorName ?? nameOfActor(statement.actor)
  const verb = verbInWords(statement.verb, language)
  const object = objectInWords(statement.object, language)
  const details = detailsOf(statement, language)
  return {
    actor,
    verb,
    object,
    details,
    sentence: [`${actor} ${verb} ${isActivity(statement.object) ? `“${object}”` : object}`, ...details].join(', '),
  }
}

function verbInWords({ id, display }: Statement['verb'], language: string): string {
  return knownVerbs[id] ?? (textOf(display, language) || lastPartOf(id))
}

function objectInWords(object: StatementObject, language: string): string {
  if (isActivity(object)) return nameOfActivity(object, language)
  if (isActor(object)) return nameOfActor(object)
  if (object.objectType === 'SubStatement') return `“${statementInWords(object, { language }).sentence}”`
  return `the statement ${object.id}`
}

function nameOfActivity({ id, definition }: Activity, language: string): string {
  // Questions often have no name or one like "Question 3", so their description says more.
  const isQuestion = definition?.interactionType !== undefined
  const [first, second] = isQuestion
    ? [definition?.description, definition?.name]
    : [definition?.name, definition?.description]
  return textOf(first, language) || textOf(second, language) || lastPartOf(id)
}

function nameOfActor(actor: Actor): string {
  const { name, mbox, openid, account } = actor
  const known = name || mbox?.replace(/^mailto:/i, '') || account?.name || openid
  if (known) return clipped(known) || 'Somebody'
  const members = actor.objectType === 'Group' ? (actor.member ?? []).slice(0, maxCharacters) : []
  return members.length > 0 ? clipped(members.map(nameOfActor).join(' and ')) : 'Somebody'
}

function detailsOf({ verb, object, result }: Pick<Statement, 'verb' | 'object' | 'result'>, language: string) {
  if (!result) return []
  const isQuestion = verb.id === answered || (isActivity(object) && object.definition?.interactionType !== undefined)
  return [
    result.response !== undefined &&
      result.response !== '' &&
      `answer: ${answerInWords(result.response, object, language)}`,
    successInWords(result, verb.id, isQuestion),
    result.completion === true && !/\/(completed|terminated)$/.test(verb.id) && 'complete',
    result.completion === false && 'not complete',
    scoreInWords(result),
    ...extensionsInWords(result),
    result.duration !== undefined && durationInWords(result.duration),
  ].filter((part): part is string => typeof part === 'string' && part !== '')
}

function successInWords({ success }: Result, verb: string, isQuestion: boolean): string | null {
  if (success === undefined || /\/(passed|failed)$/.test(verb)) return null
  if (isQuestion) return success ? 'right' : 'wrong'
  return success ? 'successful' : 'not successful'
}

function scoreInWords({ score }: Result): string | null {
  if (!score) return null
  if (score.scaled !== undefined) return `score ${rounded(score.scaled * 100)}%`
  if (score.raw === undefined) return null
  return score.max === undefined ? `score ${score.raw}` : `score ${score.raw} of ${score.max}`
}

function extensionsInWords({ extensions = {} }: Result): (string | null)[] {
  const number = (key: string) => (typeof extensions[key] === 'number' ? extensions[key] : null)
  const progress = number(extension.progress)
  const watched = number(extension.videoProgress)
  const [at, from, to] = [number(extension.videoTime), number(extension.videoFrom), number(extension.videoTo)]
  const reason = extensions[extension.reason]
  return [
    progress === null ? null : `progress ${rounded(progress)}%`,
    watched === null ? null : `watched ${rounded(watched * 100)}%`,
    at === null ? null : `at ${clockOf(at)}`,
    from === null || to === null ? null : `from ${clockOf(from)} to ${clockOf(to)}`,
    typeof reason === 'string' && reason !== '' ? `reason: ${clipped(reason)}` : null,
  ]
}

function answerInWords(response: string, object: StatementObject, language: string): string {
  const definition = isActivity(object) ? object.definition : undefined
  // No more parts are read than can be shown.
  const shown = response.split('[,]', maxCharacters).join('[,]')
  const chosen = chosenInWords(shown, definition, language)
  return clipped(chosen ?? shown.replaceAll('[,]', ', ').replaceAll('[:]', ' to '))
}

/**
 * The answer to a question with choices, with the texts of the choices in place of their ids (xAPI 1.0.3 data,
 * appendix C). What is no choice stays as it is. Null for other questions.
 */
export function chosenInWords(
  response: string,
  definition: ActivityDefinition | undefined,
  language = 'en',
): string | null {
  const namesOf = (list: InteractionComponent[] = []) => {
    // Of two with the same id, the first counts.
    const known = new Map(list.toReversed().map((component) => [component.id, component]))
    // A hostile answer names a choice with a long text thousands of times.
    const names = new Map<string, string>()
    return (id: string) => {
      const name = names.get(id) ?? (textOf(known.get(id)?.description, language) || id)
      names.set(id, name)
      return name
    }
  }
  const each = (separator: string, toWords: (part: string) => string) =>
    response.split('[,]').map(toWords).join(separator)
  const eachPair = (toWords: (first: string, second: string) => string) =>
    each(', ', (pair) => {
      const [first = '', second] = pair.split('[.]')
      return second === undefined ? pair : toWords(first, second)
    })
  switch (definition?.interactionType) {
    case 'choice':
      return each(', ', namesOf(definition.choices))
    case 'sequencing':
      return each(', then ', namesOf(definition.choices))
    case 'likert':
      return namesOf(definition.scale)(response)
    case 'matching': {
      const [source, target] = [namesOf(definition.source), namesOf(definition.target)]
      return eachPair((first, second) => `${source(first)} – ${target(second)}`)
    }
    case 'performance': {
      const step = namesOf(definition.steps)
      return eachPair((first, second) => `${step(first)}: ${second}`)
    }
    default:
      return null
  }
}

/** Formats a time as `45 s`, `12 min` or `1 h 5 min`, with seconds only below ten minutes. */
export function secondsInWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (whole < 600 && whole % 60 > 0) return `${minutes} min ${whole % 60} s`
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function durationInWords(duration: string): string | null {
  const seconds = parseDuration(duration)
  return seconds === null || seconds === 0 ? null : secondsInWords(seconds)
}

/** Formats a position in a film: 1:05, 1:02:05. */
function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const rest = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function textOf(map: LanguageMap | undefined, language: string): string {
  return clipped(chooseText(map ?? {}, language))
}

/** Returns one line of a text from a statement, cut if it is long. xAPI allows lone surrogates, which nothing can show. */
function clipped(text: string): string {
  // A statement may hold megabytes of text, of which no more than this is looked at.
  const line = tidyLine(withoutLoneSurrogates(text.slice(0, maxCharacters * 10)))
  const characters = [...line]
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** Returns the last part of an IRI, decoded: `http://example.org/verbs/took%20note` gives "took note". */
function lastPartOf(iri: string): string {
  const last = iri.split(/[/#:]/).findLast((part) => part !== '') ?? iri
  try {
    return clipped(decodeURIComponent(last))
  } catch {
    return clipped(last)
  }
}
