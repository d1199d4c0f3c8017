import { isStorable } from '~/lib/text.ts'
import { Invalid } from '../errors.ts'
import { isIri, isLanguageTag, isUuid } from './values.ts'

/** The building blocks of all format checks. They throw `Invalid` with the path in the sentence. */
export type Fields = Record<string, unknown>

type Kinds = { string: string; number: number; boolean: boolean }

export function fail(path: string, problem: string): never {
  throw new Invalid(`${path || 'statement'} ${problem}.`, {}, 'xapi.invalid')
}

const maxDepth = 100

/**
 * Refuses JSON that is nested too deeply. The limit allows any reasonable JSON and protects the stack of recursive
 * functions.
 */
export function requireShallow(value: unknown, what: string): void {
  if (!isWithin(maxDepth, value)) fail(what, `is nested deeper than ${maxDepth} levels`)
}

/** Never recurses deeper than `levels`. */
function isWithin(levels: number, value: unknown): boolean {
  if (levels < 0) return false
  if (typeof value !== 'object' || value === null) return true
  // For a list, `for … in` would make a string of each index.
  if (Array.isArray(value)) return value.every((item) => isWithin(levels - 1, item))
  for (const key in value) if (!isWithin(levels - 1, (value as Fields)[key])) return false
  return true
}

export function asObject(value: unknown, path: string): Fields {
  if (value === undefined) fail(path, 'is missing')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'must be an object')
  return value as Fields
}

export function requireType<K extends keyof Kinds>(kind: K, value: unknown, path: string): Kinds[K] {
  if (value === undefined) fail(path, 'is missing')
  // 1e999 is valid JSON but parses to Infinity, which cannot be written back.
  if (typeof value !== kind || Math.abs(value as number) === Number.POSITIVE_INFINITY) fail(path, `must be a ${kind}`)
  return value as Kinds[K]
}

export function isEnum<T extends string>(value: unknown, allowed: readonly T[]): value is T {
  return typeof value === 'string' && (allowed as readonly string[]).includes(value)
}

/** Refuses unknown properties and null (xAPI 1.0.3 data 2.2). */
export function refuseUnknown(fields: Fields, known: readonly string[], path: string): void {
  for (const key of Object.keys(fields)) {
    if (!known.includes(key)) fail(path ? `${path}.${key}` : key, 'is not a known property')
    if (fields[key] === null) fail(path ? `${path}.${key}` : key, 'must not be null')
  }
}

export function checkIri(value: unknown, path: string): void {
  const text = requireType('string', value, path)
  if (!isIri(text) || !isStorable(text)) fail(path, 'is not an absolute IRI')
}

export function checkUuid(value: unknown, path: string): void {
  if (!isUuid(requireType('string', value, path))) fail(path, 'is not a UUID')
}

export function checkLanguageMap(value: unknown, path: string): void {
  for (const [tag, text] of Object.entries(asObject(value, path))) {
    if (!isLanguageTag(tag)) fail(`${path}.${tag}`, 'is not a language tag (RFC 5646)')
    requireType('string', text, `${path}.${tag}`)
  }
}

/** Checks the keys of extensions. Values may be any JSON, including null (xAPI 1.0.3 data 4.1). */
export function checkExtensions(value: unknown, path: string): void {
  for (const key of Object.keys(asObject(value, path))) {
    if (!isIri(key)) fail(`${path}.${key}`, 'must be an IRI, like all keys of extensions')
  }
}
