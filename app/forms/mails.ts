/** The ledger of mails and the suppressed addresses in the console. */
import { z } from 'zod'
import type { TableDefinition } from '~/lib/table-query.ts'
import { emailKey, isStorable, tidyLine } from '~/lib/text.ts'
import { emailRequired } from './profile-rules.ts'
import { emailField } from './text.ts'

export const mailKinds = {
  message: 'Message',
  test: 'Test of a message',
  account: 'Account',
  reminder: 'Reminder',
  report: 'Report',
}

export const mailStates = {
  queued: 'Waiting',
  sending: 'Being sent',
  accepted: 'Sent',
  refused: 'Refused',
  in_doubt: 'In doubt',
  bounced: 'Came back',
  complained: 'Complaint',
  skipped: 'Left out',
}

export type MailKindName = keyof typeof mailKinds
export type MailState = keyof typeof mailStates

const oneOf = <Name extends string>(names: Record<Name, string>) =>
  z
    .custom<Name | ''>((value) => value === '' || (typeof value === 'string' && Object.hasOwn(names, value)))
    .catch('')
    .default('')

/** The filters of the list, as its address has them. Invalid values are ignored, because anybody can write one. */
export const mailFilters = z.object({
  address: z
    .string()
    .refine(isStorable)
    .transform((text) => emailKey([...tidyLine(text)].slice(0, 320).join('')))
    .catch('')
    .default(''),
  kind: oneOf(mailKinds),
  state: oneOf(mailStates),
  after: z.string().max(300).catch('').default(''),
})

export type MailFilters = z.output<typeof mailFilters>

export const suppressionReasons = {
  refused: 'Refused by the mail server',
  bounced: 'Mail came back',
  complained: 'Complaint',
  by_hand: 'Added by an admin',
}

export type SuppressionReason = keyof typeof suppressionReasons

export const suppressionsTable: TableDefinition = {
  prefix: '',
  sorts: ['since'],
  descendingFirst: ['since'],
  sizes: [50],
  filters: [],
}

export const addSuppressionForm = z.object({ email: emailField(emailRequired) })
