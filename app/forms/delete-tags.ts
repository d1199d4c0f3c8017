import { z } from 'zod'
import { normalizeText } from '~/lib/text.ts'
import { textField } from './text.ts'

/** The texts stay as they are, so that each of two tags that look alike can be named. */
export const deleteTagsForm = z.object({
  tagsToDelete: z
    .array(textField({ max: 100, tidy: normalizeText }))
    .min(1, 'Name at least one tag')
    .max(1000, 'At most 1,000 tags'),
})
