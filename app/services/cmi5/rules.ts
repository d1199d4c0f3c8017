import { Forbidden } from '../errors.ts'
import { type Context, isActivity, isUtc, type Statement, voidedVerb } from '../xapi/xapi.server.ts'
import type { LaunchData } from './launch-data.ts'
import { figuresOf } from './unit-state.ts'
import {
  categories,
  contextExtensions,
  type LaunchMode,
  resultExtensions,
  type UnitVerb,
  unitVerbOf,
} from './vocabulary.ts'

/*
 * The rules for the statements of a unit (cmi5 7.1, 9). A broken rule throws Forbidden (cmi5 6.3: 403, not 400). The
 * sentence cites the clause, because the author of the unit reads it. Pure.
 */
type LaunchFacts = {
  actor: { homePage: string; name: string }
  registrationUid: string
  sessionUid: string
  unitIri: string
  mode: LaunchMode
  launchData: LaunchData
}

/** `verb` is null for a "cmi5 allowed" statement (7.1.3). */
export type Judged = { statement: Statement; verb: UnitVerb | null }

/** Checks the rules that do not depend on earlier statements. */
export function judgeStatement(statement: Statement, launch: LaunchFacts): Judged {
  if (statement.verb.id === voidedVerb) refuse('A unit cannot void statements', '6.3')
  if (!statement.id) refuse('The statement has no id', '9.1')
  if (!statement.timestamp) refuse('The statement has no timestamp', '9.7')
  if (!isUtc(statement.timestamp)) refuse('The timestamp is not in UTC', '9.7')
  requireActor(statement, launch)
  requireContext(statement.context, launch)
  const verb = definedVerbOf(statement)
  requireProgress(statement)
  if (verb) requireDefined(statement, verb, launch)
  else if (hasCategory(statement.context, categories.moveOn)) {
    refuse('The category moveon belongs to cmi5 defined statements with success or completion', '9.6.2.2')
  }
  return { statement, verb }
}

function requireActor({ actor }: Statement, launch: LaunchFacts): void {
  const isLearner =
    actor.objectType !== 'Group' &&
    actor.account?.homePage === launch.actor.homePage &&
    actor.account.name === launch.actor.name
  if (!isLearner) refuse('The actor is not the learner of the launch', '9.2')
}

function requireContext(context: Context | undefined, launch: LaunchFacts): void {
  if (context?.registration !== launch.registrationUid) {
    refuse('context.registration is not the registration of the launch', '9.6.1')
  }
  if (context.extensions?.[contextExtensions.sessionId] !== launch.sessionUid) {
    refuse('context.extensions lacks the session id of the launch', '9.6.3.1')
  }
  const template = launch.launchData.contextTemplate
  for (const [key, value] of Object.entries(template.extensions ?? {})) {
    if (JSON.stringify(context.extensions[key]) !== JSON.stringify(value)) {
      refuse(`context.extensions lacks the value of the context template for ${key}`, '10.2.1')
    }
  }
  const grouping = new Set((context.contextActivities?.grouping ?? []).map(({ id }) => id))
  for (const { id } of template.contextActivities?.grouping ?? []) {
    if (!grouping.has(id)) refuse(`context.contextActivities.grouping lacks ${id} of the context template`, '10.2.1')
  }
}

function definedVerbOf(statement: Statement): UnitVerb | null {
  if (!hasCategory(statement.context, categories.cmi5)) return null
  const verb = unitVerbOf(statement.verb.id)
  if (!verb) refuse(`A unit cannot send the verb ${statement.verb.id} with the category cmi5`, '7.1.3')
  return verb
}

function hasCategory(context: Context | undefined, id: string): boolean {
  return context?.contextActivities?.category?.some((activity) => activity.id === id) ?? false
}

function requireProgress({ result }: Statement): void {
  const progress = result?.extensions?.[resultExtensions.progress]
  if (progress === undefined) return
  const isPercent = typeof progress === 'number' && Number.isInteger(progress) && progress >= 0 && progress <= 100
  if (!isPercent) refuse('The progress is not a whole number from 0 to 100', '9.5.5.1')
}

function requireDefined(statement: Statement, verb: UnitVerb, launch: LaunchFacts): void {
  const { object, result, context } = statement
  if (!isActivity(object) || object.id !== launch.unitIri) refuse('The object is not the launched activity', '9.4')
  if (launch.mode !== 'Normal' && verb !== 'initialized' && verb !== 'terminated') {
    refuse(`In ${launch.mode} mode a unit may send only initialized and terminated`, '10.2.2')
  }
  const success = verb === 'passed' ? true : verb === 'failed' ? false : undefined
  if (result?.success !== success) {
    refuse(success === undefined ? `${verb} must not have success` : `success must be ${success} in ${verb}`, '9.5.2')
  }
  const completion = verb === 'completed' ? true : undefined
  if (result?.completion !== completion) {
    refuse(completion ? 'completion must be true in completed' : `${verb} must not have completion`, '9.5.3')
  }
  if (verb !== 'initialized' && result?.duration === undefined) refuse(`${verb} must have a duration`, '9.5.4.1')
  const mustMoveOn = success !== undefined || completion !== undefined
  if (hasCategory(context, categories.moveOn) !== mustMoveOn) {
    refuse(mustMoveOn ? `${verb} lacks the category moveon` : `${verb} must not have the category moveon`, '9.6.2.2')
  }
  requireScore(statement, verb, launch)
}

function requireScore({ result, context }: Statement, verb: UnitVerb, { launchData }: LaunchFacts): void {
  const score = result?.score
  const given = context?.extensions?.[contextExtensions.masteryScore]
  const { masteryScore } = launchData
  if (score && verb !== 'passed' && verb !== 'failed') refuse(`${verb} must not have a score`, '9.5.1')
  if (!score) return
  const { scaled, raw, min, max } = score
  if (scaled !== undefined && (scaled < 0 || scaled > 1)) refuse('The scaled score is not between 0 and 1', '9.5.1')
  if (raw !== undefined && (min === undefined || max === undefined)) {
    refuse('A raw score needs min and max', '9.5.1')
  }
  // Judges a raw score by its position between min and max, which is also how it counts.
  const judged = figuresOf(result).score
  if (masteryScore === undefined || judged === undefined) return
  if (scaled !== undefined && given !== masteryScore) {
    refuse('context.extensions lacks the masteryScore of the launch', '9.6.3.2')
  }
  if (verb === 'passed' && judged < masteryScore) refuse('passed has a score below the masteryScore', '9.3.4')
  if (verb === 'failed' && judged >= masteryScore) refuse('failed has a score that reaches the masteryScore', '9.3.5')
}

/** What was accepted earlier, in the session and for the unit in its registration. */
export type History = {
  isInitialized: boolean
  isEnded: boolean
  /** Sent in this session. */
  hasCompleted: boolean
  hasPassed: boolean
  hasFailed: boolean
  /** Sent in the registration, in any session. */
  wasCompleted: boolean
  wasPassed: boolean
}

/** Checks the rules about order and number (cmi5 9.3) for one statement. Returns the history that includes it. */
export function admit(history: History, verb: UnitVerb | null): History {
  if (history.isEnded) refuse('The session has ended', '9.3.8')
  if (verb !== 'initialized' && !history.isInitialized) {
    refuse('The first statement of a session must be initialized', '7.1.1')
  }
  switch (verb) {
    case 'initialized':
      if (history.isInitialized) refuse('initialized was already sent in this session', '9.3.2')
      return { ...history, isInitialized: true }
    case 'completed':
      if (history.hasCompleted || history.wasCompleted) {
        refuse('completed was already sent in this registration', '9.3.3')
      }
      return { ...history, hasCompleted: true, wasCompleted: true }
    case 'passed':
      if (history.hasPassed || history.wasPassed) refuse('passed was already sent in this registration', '9.3.4')
      if (history.hasFailed) refuse('failed was already sent in this session', '9.3')
      return { ...history, hasPassed: true, wasPassed: true }
    case 'failed':
      if (history.hasFailed) refuse('failed was already sent in this session', '9.3')
      if (history.hasPassed || history.wasPassed) refuse('passed was already sent in this registration', '9.3')
      return { ...history, hasFailed: true }
    case 'terminated':
      return { ...history, isEnded: true }
    case null:
      return history
  }
}

function refuse(problem: string, clause: string): never {
  throw new Forbidden(`${problem} (cmi5 ${clause}).`, 'cmi5.rule')
}
