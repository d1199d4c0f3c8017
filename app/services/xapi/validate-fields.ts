import { isStorable } from '~/lib/text.ts'
import { Invalid } from '../errors.ts'
import { isIri, isLanguageTag, isUuid } from './values.ts'

/** The steps that every format check is made of. They throw `Invalid` with the path in the sentence. */
export type Fields = Record<string, unknown>

type Kinds = { string: string; number: number; boolean: boolean }

export function fail(path: string, problem: string): never {
  throw new Invalid(`${path || 'statement'} ${problem}.`, {}, 'xapi.invalid')
}

const maxDepth = 100

/**
 * Deeper than any honest JSON, and less deep than what would exhaust the stack of those who walk it. Walks without
 * recursion.
 */
export function requireShallow(value: unknown, what: string): void {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) fail(what, `is nested deeper than ${maxDepth} levels`)
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
}

export function asObject(value: unknown, path: string): Fields {
  if (value === undefined) fail(path, 'is missing')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'must be an object')
  return value as Fields
}

export function wants<K extends keyof Kinds>(kind: K, value: unknown, path: string): Kinds[K] {
  if (value === undefined) fail(path, 'is missing')
  // 1e999 is JSON, and no number that could be given back.
  if (typeof value !== kind || Math.abs(value as number) === Number.POSITIVE_INFINITY) fail(path, `must be a ${kind}`)
  return value as Kinds[K]
}

export function isEnum<T extends string>(value: unknown, allowed: readonly T[]): value is T {
  return typeof value === 'string' && (allowed as readonly string[]).includes(value)
}

/** xAPI 1.0.3 data 2.2: unknown properties and null are refused, whatever they are for. */
export function refuseUnknown(fields: Fields, known: readonly string[], path: string): void {
  for (const [key, value] of Object.entries(fields)) {
    const full = path ? `${path}.${key}` : key
    if (!known.includes(key)) fail(full, 'is not a known property')
    if (value === null) fail(full, 'must not be null')
  }
}

export function checkIri(value: unknown, path: string): void {
  const text = wants('string', value, path)
  if (!isIri(text) || !isStorable(text)) fail(path, 'is not an absolute IRI')
}

export function checkUuid(value: unknown, path: string): void {
  if (!isUuid(wants('string', value, path))) fail(path, 'is not a UUID')
}

export function checkLanguageMap(value: unknown, path: string): void {
  for (const [tag, text] of Object.entries(asObject(value, path))) {
    if (!isLanguageTag(tag)) fail(`${path}.${tag}`, 'is not a language tag (RFC 5646)')
    wants('string', text, `${path}.${tag}`)
  }
}

/** Any JSON may be a value in extensions, null included (xAPI 1.0.3 data 4.1). */
export function checkExtensions(value: unknown, path: string): void {
  for (const key of Object.keys(asObject(value, path))) {
    if (!isIri(key)) fail(`${path}.${key}`, 'is not an IRI, as the keys of extensions must be')
  }
}
