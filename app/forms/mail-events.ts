/** What a program reports about a mail of ours, as docs/operations.md describes it. */
import { z } from 'zod'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const mail = new RegExp(`^(?:${uuid}|<?${uuid}@[^\\s<>@]+>?)$`, 'i')
const text = (message: string) => z.string({ required_error: message, invalid_type_error: message })

export const mailEventForm = z
  .object(
    {
      kind: z.enum(['bounce', 'complaint', 'delayed'], {
        errorMap: () => ({ message: 'kind must be bounce, complaint or delayed.' }),
      }),
      mail: text('mail must be the token of a mail or its Message-ID.').regex(
        mail,
        'mail must be the token of a mail or its Message-ID.',
      ),
      permanent: z.boolean({ invalid_type_error: 'permanent must be true or false.' }).default(false),
      recipient: text('recipient must be an address.').max(2000, 'recipient must be an address.').optional(),
      words: text('words must be text.').max(10_000, 'words must have at most 10,000 characters.').default(''),
    },
    { invalid_type_error: 'The body must be a JSON object.' },
  )
  .refine(({ kind, recipient }) => kind === 'complaint' || recipient !== undefined, {
    message: 'recipient is missing: the address that could not be reached.',
    path: ['recipient'],
  })

export type MailEvent = z.input<typeof mailEventForm>

/** The token or uid in what `mail` holds. */
export function mailIn(value: string): string {
  return new RegExp(uuid, 'i').exec(value)?.[0].toLowerCase() ?? ''
}
