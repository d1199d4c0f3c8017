/** What a unit of the demo says during a visit: the statements of its player (seed/player), with the times of the visit. */
import type { UnitSession } from '../../app/services/cmi5/cmi5.server.ts'
import {
  categories,
  contextExtensions,
  resultExtensions,
  type VerbName,
  verbs,
} from '../../app/services/cmi5/vocabulary.ts'
import { formatDuration } from '../../app/services/xapi/xapi.server.ts'
import type { Question } from '../build-package.ts'
import { answeredVerb, type Bookmark, choiceActivity, progressedVerb } from '../player/recorder.ts'
import type { Visit } from './plan.ts'

type StatementParts = { verb: string; result?: object; object?: object; categories?: string[]; extensions?: object }

/** In order, from initialized to terminated; `idOf` gives the id of the n-th. */
export function statementsOfVisit(session: UnitSession, visit: Visit, at: Date, idOf: (n: number) => string): object[] {
  const parts = partsOfVisit(session, visit)
  // From the launch to the end of the visit, which is when the last one is sent.
  const step = (visit.minutes * 60_000) / (parts.length - 1)
  const { contextTemplate } = session.launchData
  return parts.map(({ verb, result, object, categories = [], extensions }, index) => ({
    id: idOf(index),
    actor: session.actor,
    verb: { id: verb, display: { en: verb.split('/').at(-1) } },
    object: object ?? { objectType: 'Activity', id: session.unitIri },
    ...(result && { result }),
    context: {
      registration: session.registrationUid,
      contextActivities: {
        ...contextTemplate.contextActivities,
        ...(categories.length > 0 && { category: categories.map((id) => ({ id })) }),
      },
      extensions: { ...contextTemplate.extensions, ...extensions },
    },
    timestamp: new Date(at.getTime() + Math.round(index * step)).toISOString(),
  }))
}

function partsOfVisit({ unitIri, launchData }: UnitSession, visit: Visit): StatementParts[] {
  const { result, minutes } = visit
  const duration = formatDuration(minutes * 60 - 5)
  const defined = (verb: VerbName, rest: Omit<StatementParts, 'verb'> = {}): StatementParts => ({
    verb: verbs[verb],
    categories: [categories.cmi5],
    ...rest,
  })
  const moveOn = [categories.cmi5, categories.moveOn]
  const mastery =
    launchData.masteryScore === undefined ? {} : { [contextExtensions.masteryScore]: launchData.masteryScore }
  return [
    defined('initialized'),
    ...stepsOfVisit(unitIri, visit),
    ...(result && !visit.isTestAgain ? [saidOfClarity(unitIri, visit)] : []),
    ...(result && !visit.isTestAgain
      ? [defined('completed', { result: { completion: true, duration }, categories: moveOn })]
      : []),
    ...(result && result.scaled !== null
      ? [
          defined(result.hasPassed ? 'passed' : 'failed', {
            result: { success: result.hasPassed, score: { scaled: result.scaled }, duration },
            categories: moveOn,
            extensions: mastery,
          }),
        ]
      : []),
    defined('terminated', { result: { duration } }),
  ]
}

/** A report for each new page and each answer. The last is left out where `completed` says so instead. */
function stepsOfVisit(unitIri: string, visit: Visit): StatementParts[] {
  if (visit.isTestAgain) return visit.answered.map((question) => answered(unitIri, visit, question))
  let done = visit.from + visit.pages.slice(0, visit.from).flat().length
  const steps = visit.pages.slice(visit.from, visit.to).flatMap((questions) => {
    const page = progressed(visit, ++done)
    return [page, ...questions.flatMap((question) => [answered(unitIri, visit, question), progressed(visit, ++done)])]
  })
  return visit.result ? steps.slice(0, -1) : steps
}

function progressed(visit: Visit, done: number): StatementParts {
  return { verb: progressedVerb, result: { extensions: { [resultExtensions.progress]: percentDone(visit, done) } } }
}

/** `done` counts the pages that were seen and the questions that were answered. */
function percentDone({ pages }: Visit, done: number): number {
  return Math.min(99, Math.floor((done / (pages.length + pages.flat().length)) * 100))
}

function answered(unitIri: string, visit: Visit, question: Question): StatementParts {
  const { chosen, isCorrect } = answerOf(visit, question)
  const { id, text, choices, correct } = question
  const object = choiceActivity(unitIri, { questionId: id, question: text, choices, correct, chosen, isCorrect })
  return { verb: answeredVerb, object, result: { response: chosen.join('[,]'), success: isCorrect } }
}

const clarityId = 'clarity'
const clarity = ['Very clear', 'Clear', 'In parts', 'Unclear'].map((text, index) => ({ id: `c${index + 1}`, text }))
const clarityQuestion = 'How clear was this unit?'

/** A question without a right answer, at the end of a unit. Who did well mostly found it clear. */
function saidOfClarity(unitIri: string, { minutes, answered, result }: Visit): StatementParts {
  const lift = (result?.scaled ?? 1) < 0.8 ? 1 : 0
  const choice = clarity[Math.min(((minutes + answered.length) % 3) + lift, clarity.length - 1)]
  return {
    verb: answeredVerb,
    object: {
      objectType: 'Activity',
      id: `${unitIri}/question/${clarityId}`,
      definition: {
        type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
        interactionType: 'choice',
        description: { en: clarityQuestion },
        choices: clarity.map(({ id, text }) => ({ id, description: { en: text } })),
      },
    },
    result: { response: choice?.id ?? '' },
  }
}

function answerOf(visit: Visit, { id, correct }: Question): { chosen: string[]; isCorrect: boolean } {
  const chosen = visit.answers[id] ?? []
  return { chosen, isCorrect: chosen.length === correct.length && correct.every((one) => chosen.includes(one)) }
}

/** What the player keeps of the place, so that the next visit opens where this one ended. */
export function bookmarkOf(visit: Visit): Bookmark {
  const { to, answers, result } = visit
  const isJudged = (result?.scaled ?? null) !== null
  const sent = {
    percent: percentDone(visit, to + Object.keys(answers).length),
    isCompleted: result !== null,
    isJudged,
    ...(isJudged && { isPassed: result?.hasPassed }),
  }
  return { page: to - 1, seen: Array.from({ length: to }, (_, page) => page), answers, sent, untold: [] }
}

/** The activities that a visit may name, which are numbered before its transaction. */
export function questionIris(unitIri: string, { pages }: Visit): string[] {
  return [...pages.flat().map(({ id }) => id), clarityId].map((id) => `${unitIri}/question/${id}`)
}

/** Those that are not of cmi5, for the same reason. */
export const unitVerbs = [answeredVerb, progressedVerb]
