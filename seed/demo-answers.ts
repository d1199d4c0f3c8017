import type { AnswerInput } from '../app/forms/questionnaire-rules.ts'
import type { Ctx, Viewer } from '../app/services/context.ts'
import { listProfileQuestions, saveUserAnswers } from '../app/services/questionnaire/questionnaire.server.ts'

/** A demo person's answers in the order of the questions; an empty text skips one. */
export type DemoAnswers = string[]

/** Answers the questionnaire for a person, so that only new people see it. */
export async function answerQuestions(
  ctx: Ctx,
  person: Pick<Viewer, 'uid' | 'firstName' | 'lastName' | 'email'>,
  profileAnswers: DemoAnswers,
): Promise<void> {
  const viewer: Viewer = { ...person, id: 0, siteId: ctx.site.id, groups: [], planId: null, accessEndedAt: null }
  const own = { ...ctx, viewer }
  const questions = await listProfileQuestions(own)
  const answers = questions.flatMap(({ uid, type, options }, index): AnswerInput[] => {
    const option = options.find(({ text }) => text === profileAnswers[index])
    if (!option) return []
    return [{ question: uid, ...(type === 'single' ? { chosenOption: option.uid } : { chosenOptions: [option.uid] }) }]
  })
  await saveUserAnswers(own, { answers })
}
