import { z } from 'zod'
import { textField } from './text.ts'

export const deleteTagsForm = z.object({
  tagsToDelete: z
    .array(textField({ max: 100 }))
    .min(1, 'Name at least one tag')
    .max(1000, 'At most 1,000 tags'),
})
