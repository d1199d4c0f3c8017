/** Limits and texts of the glossary's forms. */
import { z } from 'zod'
import { textField } from './text.ts'

export const glossaryLimits = { headline: 65, description: 250, name: 65, definition: 250 } as const

export const glossarySettingsForm = z.object({
  headline: textField({ max: glossaryLimits.headline, required: 'Headline is required' }),
  description: textField({ max: glossaryLimits.description, required: 'Description is required' }),
})

export const glossaryTermForm = z.object({
  name: textField({ max: glossaryLimits.name, required: 'Term is required' }),
  definition: textField({ max: glossaryLimits.definition, required: 'Definition is required' }),
})
