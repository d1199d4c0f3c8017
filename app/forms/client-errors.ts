import { z } from 'zod'
import { cutText, normalizeText } from '~/lib/text.ts'

/**
 * Limits of `/client-error/`. Longer texts are cut, not refused, because a report of a fault is useful even if it is
 * too long.
 */
const reportLimits = { message: 300, stack: 2000, build: 60, path: 300, request: 40 }

const text = (max: number) => z.string().transform((value) => cutText(normalizeText(value), max))

export const clientErrorForm = z.object({
  kind: z.enum(['answer', 'error', 'page']),
  message: text(reportLimits.message),
  stack: text(reportLimits.stack).nullish(),
  path: text(reportLimits.path).default(''),
  build: text(reportLimits.build).default(''),
  status: z.number().int().min(100).max(999).nullish(),
  attempt: z.number().int().min(1).max(9).nullish(),
  request: text(reportLimits.request).nullish(),
})
