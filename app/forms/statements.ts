/** The filters of the statement browser, as its address has them. Unlike other lists, it says what it cannot search for. */
import { z } from 'zod'
import { isStorable, tidyLine } from '~/lib/text.ts'

/**
 * The verbs to choose from: those of cmi5 (9.3), and what content often sends besides, with the word of our sentences where
 * it differs. Any other can be in the address.
 */
export const statementVerbs: Record<string, string> = {
  'http://adlnet.gov/expapi/verbs/launched': 'Launched',
  'http://adlnet.gov/expapi/verbs/initialized': 'Initialized (started)',
  'http://adlnet.gov/expapi/verbs/completed': 'Completed',
  'http://adlnet.gov/expapi/verbs/passed': 'Passed',
  'http://adlnet.gov/expapi/verbs/failed': 'Failed',
  'http://adlnet.gov/expapi/verbs/terminated': 'Terminated (left)',
  'https://w3id.org/xapi/adl/verbs/abandoned': 'Abandoned',
  'https://w3id.org/xapi/adl/verbs/waived': 'Waived (excused)',
  'https://w3id.org/xapi/adl/verbs/satisfied': 'Satisfied',
  'http://adlnet.gov/expapi/verbs/answered': 'Answered',
  'http://adlnet.gov/expapi/verbs/experienced': 'Experienced',
  'http://adlnet.gov/expapi/verbs/interacted': 'Interacted',
  'http://adlnet.gov/expapi/verbs/progressed': 'Progressed',
  'http://adlnet.gov/expapi/verbs/voided': 'Voided',
}

const line = (most: number) =>
  z
    .string()
    .refine(isStorable)
    .transform((text) => [...tidyLine(text)].slice(0, most).join(''))
    .catch('')
    .default('')

export const statementFilters = z.object({
  person: line(320),
  verb: line(2000),
  activity: line(2000),
  registration: line(100),
  from: line(20),
  to: line(20),
  related: z.enum(['', '1']).catch('').default(''),
  before: z
    .string()
    .regex(/^\d{1,16}$/)
    .catch('')
    .default(''),
})

export type StatementFilters = z.output<typeof statementFilters>
