/** The functions of a cmi5 client library that the player needs. Each of the two published libraries has an adapter. */
export type Answer = {
  questionId: string
  question: string
  choices: { id: string; text: string }[]
  correct: string[]
  chosen: string[]
  isCorrect: boolean
}

export type Session = { masteryScore: number | null; mode: string; returnUrl: string | null; bookmark: Bookmark }

/** Saved with the State resource, so that the next visit opens where this one ended. */
export type Bookmark = {
  page: number
  seen: number[]
  /** The choices by question, from the last try. */
  answers: Record<string, string[]>
  /** The questions that were answered wrong once and may be answered again. */
  secondTries?: string[]
  sent?: Sent
  /** Answers that were given but are not recorded yet. */
  untold?: Answer[]
}

/**
 * The statements that this visit or an earlier one recorded in this attempt: cmi5 (9.3) refuses most of them the second
 * time.
 */
export type Sent = {
  percent: number
  isCompleted: boolean
  /** `passed` or `failed` was sent. */
  isJudged: boolean
  /** False after `failed`: the next session may send another result (cmi5 9.3). */
  isPassed?: boolean
}

export type Recorder = {
  start(): Promise<Session>
  saveBookmark(bookmark: Bookmark): Promise<void>
  progress(percent: number): Promise<void>
  answered(answer: Answer): Promise<void>
  completed(): Promise<void>
  judged(scaled: number, hasPassed: boolean): Promise<void>
  terminate(): Promise<void>
  /**
   * True if the session accepts no more statements, because it was ended or the module was opened in another window.
   */
  isOver(): Promise<boolean>
}

/** Both clients put the status into the error's message; only there can it be found in both. */
export function wasRefused(error: unknown): boolean {
  return error instanceof Error && /status code 40[13]\b/.test(error.message)
}

export const emptyBookmark: Bookmark = { page: 0, seen: [], answers: {} }
export const bookmarkId = 'bookmark'
export const answeredVerb = 'http://adlnet.gov/expapi/verbs/answered'
export const progressedVerb = 'http://adlnet.gov/expapi/verbs/progressed'
export const progressExtension = 'https://w3id.org/xapi/cmi5/result/extensions/progress'

/** The object of an `answered` statement (xAPI 1.0.3, appendix C: choice). */
export function choiceActivity(activityId: string, answer: Answer) {
  return {
    objectType: 'Activity' as const,
    id: `${activityId}/question/${answer.questionId}`,
    definition: {
      type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
      interactionType: 'choice' as const,
      description: { en: answer.question },
      choices: answer.choices.map(({ id, text }) => ({ id, description: { en: text } })),
      correctResponsesPattern: [answer.correct.join('[,]')],
    },
  }
}
