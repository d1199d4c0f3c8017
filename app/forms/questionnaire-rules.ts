/**
 * The form of the profile questionnaire, without any library: the names of its fields, how its answers are read, and
 * what is wrong with them, in the words of the specification. The page checks before it sends, and the service checks
 * again.
 */
type ProfileOption = { uid: string; text: string; isDefault: boolean; allowsCustomAnswer: boolean }

export type ProfileQuestion = {
  uid: string
  text: string
  type: 'single' | 'multiple'
  isRequired: boolean
  options: ProfileOption[]
}

/** The answer to one question as programs send it. Without an option it removes the earlier answer. */
export type AnswerInput = {
  question: string
  chosenOption?: string | null
  chosenOptions?: string[] | null
  customAnswer?: string | null
}

/** A person's answer to one question. */
export type Answered = { questionUid: string; optionUids: string[]; customAnswer: string | null }

/** Names of fields: the questions that a form asks, the options chosen, and the custom text. */
export const askedField = 'asked'
export const choiceField = (questionUid: string): string => `choice-${questionUid}`
export const customField = (questionUid: string): string => `custom-${questionUid}`

/** Reads the answers to the questions that this form asked. Answers to other questions stay unchanged. */
export function readAnswers(form: FormData, questions: ProfileQuestion[]): AnswerInput[] {
  const asked = new Set(form.getAll(askedField))
  return questions
    .filter(({ uid }) => asked.has(uid))
    .map(({ uid, type }) => {
      const chosen = form.getAll(choiceField(uid)).filter((value): value is string => typeof value === 'string')
      const options = chosen.filter((value) => value !== '')
      const custom = form.get(customField(uid))
      return {
        question: uid,
        ...(type === 'single' ? { chosenOption: options[0] ?? null } : { chosenOptions: options }),
        customAnswer: typeof custom === 'string' ? custom : null,
      }
    })
}

export function chosenOf(answer: AnswerInput): string[] {
  return [...(answer.chosenOption ? [answer.chosenOption] : []), ...(answer.chosenOptions ?? [])]
}

/** Returns whether a chosen option allows a text. Such an option also requires it. */
export function takesCustomAnswer(question: ProfileQuestion, answer: AnswerInput): boolean {
  const chosen = new Set(chosenOf(answer))
  return question.options.some(({ uid, allowsCustomAnswer }) => allowsCustomAnswer && chosen.has(uid))
}

export const longestCustomAnswer = 500

export function answerErrors(questions: ProfileQuestion[], answers: AnswerInput[]): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const answer of answers) {
    const question = questions.find(({ uid }) => uid === answer.question)
    if (!question || !takesCustomAnswer(question, answer)) continue
    const custom = answer.customAnswer ?? ''
    if (custom === '') errors[customField(question.uid)] = 'Please enter your answer'
    else if (!showsSomething.test(custom)) errors[customField(question.uid)] = 'Please enter a valid answer'
  }
  return errors
}

const showsSomething = /[\p{L}\p{N}\p{S}\p{P}]/u

export const nothingChosen = 'No answer is chosen yet. Please answer the required questions.'

export function hasChosenAny(answers: AnswerInput[]): boolean {
  return answers.some((answer) => chosenOf(answer).length > 0)
}
