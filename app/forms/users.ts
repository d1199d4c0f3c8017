import { z } from 'zod'
import { isMailAddress } from '~/lib/mail-text.ts'
import { caseKey } from '~/lib/text.ts'
import { emailInvalid, emailRequired, longestEmail, longestName, nameRequired } from './profile-rules.ts'
import { textField } from './text.ts'

const subscriptionTypes = ['subsidized', 'free', 'paid'] as const

const typeRequired = 'Subscription Type is required'

/** An address that can get mail. One character may become many in another Unicode form. */
export const emailField = textField({ max: longestEmail, required: emailRequired })
  .refine(isMailAddress, emailInvalid)
  .refine((email) => [...caseKey(email)].length <= 200, `At most ${longestEmail} characters`)

/** The fields to change; programs may send null for the others. Answers have their own form. */
export const updateUserForm = z.object({
  firstName: textField({ max: longestName, required: nameRequired.firstName }).nullish(),
  lastName: textField({ max: longestName, required: nameRequired.lastName }).nullish(),
  email: emailField.nullish(),
  university: textField({ max: 200, required: 'Institution is required' }).nullish(),
  accessPlanUid: textField({ max: 100, required: 'Access Plan is required' }).nullish(),
  subscriptionType: z
    .string()
    .min(1, typeRequired)
    .pipe(
      z.enum(subscriptionTypes, {
        errorMap: () => ({ message: 'The subscription type is subsidized, free or paid' }),
      }),
    )
    .nullish(),
})

export type UserChanges = z.input<typeof updateUserForm>
