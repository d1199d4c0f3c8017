import type { z } from 'zod'
import { parseForm } from '~/forms/parse.ts'
import { Invalid } from './errors.ts'

/** What a door does first with its input: the form's schema, whoever sends it. */
export function parseInput<S extends z.ZodTypeAny>(schema: S, values: unknown): z.output<S> {
  const result = parseForm(schema, values)
  if (result.ok) return result.value
  throw new Invalid(Object.values(result.errors)[0] ?? 'Invalid input', result.errors)
}
