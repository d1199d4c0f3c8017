/** Limits and texts of the glossary's forms. */
import { z } from 'zod'
import { tidyText } from '~/lib/text.ts'
import { textField } from './text.ts'

const glossaryLimits = { name: 65, definition: 250 } as const

export const glossaryTermForm = z.object({
  name: textField({ max: glossaryLimits.name, required: 'Term is required' }),
  definition: textField({ max: glossaryLimits.definition, required: 'Definition is required', tidy: tidyText }),
})
