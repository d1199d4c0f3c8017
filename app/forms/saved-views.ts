/** Views of reports that somebody saved under a name. */
import { z } from 'zod'
import { tickOr } from './optional-fields.ts'
import { textField } from './text.ts'

/** `views` is how many one person can have. */
export const savedViewLimits = { name: 100, views: 100, page: 50 } as const

export const savedViewForm = z.object({
  name: textField({ max: savedViewLimits.name, required: 'Name is required' }),
  isShared: tickOr(false),
})

/** `3` or `-3`, as the address of a report says by which column its lines are in order. */
export const sortPattern = /^-?\d{1,3}$/
