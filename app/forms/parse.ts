import type { z } from 'zod'

type FormResult<T> = { ok: true; value: T } | { ok: false; errors: Record<string, string> }

/** Parses values with a form's schema; `errors` holds the first message of each field by its path. */
export function parseForm<S extends z.ZodTypeAny>(schema: S, values: unknown): FormResult<z.output<S>> {
  const result = schema.safeParse(values)
  if (result.success) return { ok: true, value: result.data }
  const errors: Record<string, string> = {}
  for (const issue of result.error.issues) errors[issue.path.join('.')] ??= issue.message
  return { ok: false, errors }
}
