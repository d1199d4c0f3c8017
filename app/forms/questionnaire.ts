import { z } from 'zod'
import { normalizeText } from '~/lib/text.ts'
import { longestCustomAnswer } from './questionnaire-rules.ts'
import { textField } from './text.ts'

const one = z.string().max(100).toLowerCase()

/** The form of the answers. The service knows the questions and checks whether the answers fit them. */
export const userAnswersForm = z
  .array(
    z.object({
      question: one,
      chosenOption: one.nullish(),
      chosenOptions: z.array(one).max(100, 'At most 100 options').nullish(),
      customAnswer: textField({ max: longestCustomAnswer, tidy: normalizeText }).nullish(),
    }),
  )
  .max(100, 'At most 100 answers')
