import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { parseForm } from '~/forms/parse.ts'
import { isUid } from '~/lib/uid.ts'
import { Invalid } from './errors.ts'

/** Checks the input of a service with the schema of its form. Throws Invalid with a sentence for each field. */
export function parseInput<S extends z.ZodTypeAny>(schema: S, values: unknown): z.output<S> {
  const result = parseForm(schema, values)
  if (result.ok) return result.value
  throw new Invalid(Object.values(result.errors)[0] ?? 'Invalid input', result.errors)
}

/** Returns the uid of a new item. The client may choose it, so that a repeated request creates only one item. */
export function newUid(given: string | undefined): string {
  if (given === undefined) return randomUUID()
  if (!isUid(given)) throw new Invalid('The uid is not a UUID.')
  return given.toLowerCase()
}
