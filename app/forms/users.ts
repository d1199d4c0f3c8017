import { z } from 'zod'
import { emailRequired, longestName, nameRequired } from './profile-rules.ts'
import { emailField, textField } from './text.ts'

const subscriptionTypes = ['subsidized', 'free', 'paid'] as const

const typeRequired = 'Subscription Type is required'

/** The new address of an account. */
export const newEmail = emailField(emailRequired)

/** The fields to change; programs may send null for the others. Answers have their own form. */
export const updateUserForm = z.object({
  firstName: textField({ max: longestName, required: nameRequired.firstName }).nullish(),
  lastName: textField({ max: longestName, required: nameRequired.lastName }).nullish(),
  email: newEmail.nullish(),
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
