import type { AnswerInput, ProfileQuestion } from '~/forms/questionnaire-rules.ts'

/** Answers each question with its first option. */
export function answersTo(questions: ProfileQuestion[]): AnswerInput[] {
  return questions.map(({ uid, type, options }) => {
    const first = options[0]?.uid ?? ''
    return { question: uid, ...(type === 'single' ? { chosenOption: first } : { chosenOptions: [first] }) }
  })
}

export function questionNamed(questions: ProfileQuestion[], name: string | RegExp): ProfileQuestion {
  const found = questions.find(({ text }) => (typeof name === 'string' ? text === name : name.test(text)))
  if (!found) throw new Error(`There is no question ${name}`)
  return found
}

export function optionOf(question: ProfileQuestion, text: string): string {
  const found = question.options.find((option) => option.text === text)
  if (!found) throw new Error(`"${question.text}" has no option "${text}"`)
  return found.uid
}
