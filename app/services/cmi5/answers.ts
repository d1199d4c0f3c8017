import { storableText } from '~/lib/text.ts'
import type { AnswerRow } from '../progress/progress.server.ts'
import {
  type ActivityDefinition,
  chosenInWords,
  isActivity,
  type LanguageMap,
  type Statement,
} from '../xapi/xapi.server.ts'

/**
 * An answer to a question, for reports: from a statement about an interaction or one with the verb `answered`. Pure.
 */
type Answer = Omit<AnswerRow, 'seq' | 'answeredAt'>

const answeredVerb = 'http://adlnet.gov/expapi/verbs/answered'
const interactionType = 'http://adlnet.gov/expapi/activities/cmi.interaction'
const maxText = 10_000

/**
 * Returns the answer that a statement contains, or null. A question with a right answer is a quiz, one without is a
 * survey.
 */
export function answerOf({ verb, object, result }: Statement): Answer | null {
  if (!isActivity(object)) return null
  const { definition } = object
  const isInteraction = definition?.interactionType !== undefined || definition?.type === interactionType
  if (!isInteraction && verb.id !== answeredVerb) return null
  const isQuiz = result?.success !== undefined || (definition?.correctResponsesPattern?.length ?? 0) > 0
  return {
    kind: isQuiz ? 'quiz' : 'survey',
    questionIri: object.id,
    question: textOf(definition?.description) ?? textOf(definition?.name),
    interactionType: definition?.interactionType ?? null,
    response: result?.response === undefined ? null : responseIn(result.response, definition),
    isCorrect: result?.success ?? null,
    score: result?.score?.scaled ?? null,
  }
}

/** What was chosen, in words: reports have no other names for choices. */
function responseIn(response: string, definition: ActivityDefinition | undefined): string {
  const text = storable(response)
  return storable(chosenInWords(text, definition) ?? text)
}

function textOf(map: LanguageMap | undefined): string | null {
  const [first] = Object.values(map ?? {})
  return first === undefined ? null : storable(first)
}

/** Drops the characters that a text column refuses. The stored statement keeps them all. */
function storable(text: string): string {
  return storableText(text.slice(0, maxText))
}
