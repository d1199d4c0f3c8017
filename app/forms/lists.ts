import { z } from 'zod'

/**
 * A list without duplicates. A form sends one value as text, several as a list and none as nothing; programs may send
 * null.
 */
export function listField<Item extends z.ZodTypeAny>(
  item: Item,
  options: { max: number; tooMany: string; required?: string },
) {
  const { max, tooMany, required } = options
  return z
    .preprocess(
      (value) => (value === undefined || value === null || value === '' ? [] : [value].flat()),
      z.array(item).max(max, tooMany),
    )
    .transform((values): z.output<Item>[] => [...new Set(values)])
    .refine((values) => required === undefined || values.length > 0, required)
}
