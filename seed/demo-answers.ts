import type { AnswerInput } from '../app/forms/questionnaire-rules.ts'
import type { Ctx, Viewer } from '../app/services/context.ts'
import { listProfileQuestions, saveUserAnswers } from '../app/services/questionnaire/questionnaire.server.ts'

/** What a demo person says of herself, in the order of the questions; an empty text leaves one out. */
export type Said = string[]

/** As if the person had filled in the questionnaire, so that only who is new meets it. */
export async function answerQuestions(
  ctx: Ctx,
  person: Pick<Viewer, 'uid' | 'firstName' | 'lastName' | 'email'>,
  said: Said,
): Promise<void> {
  const viewer: Viewer = { ...person, id: 0, siteId: ctx.site.id, groups: [], planId: null }
  const own = { ...ctx, viewer }
  const questions = await listProfileQuestions(own)
  const answers = questions.flatMap(({ uid, type, options }, index): AnswerInput[] => {
    const option = options.find(({ text }) => text === said[index])
    if (!option) return []
    return [{ question: uid, ...(type === 'single' ? { chosenOption: option.uid } : { chosenOptions: [option.uid] }) }]
  })
  await saveUserAnswers(own, { answers })
}
