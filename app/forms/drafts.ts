/** The schema of drafts of console forms. */
import { z } from 'zod'
import { storableText } from '~/lib/text.ts'
import { type DraftFields, isDraftKey, isKeptInDrafts } from './draft-fields.ts'

/** We chose these limits: more than the longest course has. */
const limits = { fields: 1000, characters: 900_000 }

const unreadable = 'The draft could not be read.'
const tooLong = 'This form is too long to keep as a draft.'

const fields = z
  .array(z.tuple([z.string().min(1).max(200), z.string()]), { errorMap: () => ({ message: unreadable }) })
  .max(limits.fields, tooLong)
  .refine(
    (list) => list.reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= limits.characters,
    tooLong,
  )
  .transform(
    (list): DraftFields =>
      // A draft loses only the characters that cannot be stored.
      list.filter(([name]) => isKeptInDrafts(name)).map(([name, value]) => [storableText(name), storableText(value)]),
  )

export const draftForm = z.object({
  formKey: z.string().refine(isDraftKey, 'There is no such form.'),
  fields: z.preprocess((value) => (typeof value === 'string' ? parsed(value) : value), fields),
  /** When it was typed, by the clock of the browser, in milliseconds. */
  typedAt: z.coerce
    .number({ errorMap: () => ({ message: unreadable }) })
    .int()
    .min(0)
    .max(8.64e15),
})

/** Reads the fields of a draft that a browser sends back; null if they cannot be read. */
export function readDraftFields(value: string): DraftFields | null {
  const result = fields.safeParse(parsed(value))
  return result.success ? result.data : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
