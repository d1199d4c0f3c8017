import { z } from 'zod'
import { passwordField, textField } from './text.ts'
import { uidField } from './uids.ts'

/** How many days a token can last. The form suggests the second value. */
const tokenLifetimes = ['30', '90', '365'] as const

const ofList = (message: string) => ({ errorMap: () => ({ message }) })

export const newAccessTokenForm = z.object({
  uid: uidField('This page was open for too long. Please send it again.'),
  name: textField({ max: 100, required: 'Please enter a name for the token' }),
  scope: z.enum(['read', 'write'], ofList('Please choose what the token may do')),
  days: z.enum(tokenLifetimes, ofList('Please choose how long the token lasts')).transform(Number),
  currentPassword: passwordField()
    .default('')
    .refine((value) => value !== '', 'Please enter your password'),
})
