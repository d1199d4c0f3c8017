import { parse as parseIsoDuration } from 'tinyduration'
import type { XapiVersion } from './types.ts'

/** The simple values of xAPI: IRIs, UUIDs, timestamps, durations, language tags. Pure. */

// RFC 3987 allows nearly everything beyond ASCII; what can be checked is the scheme and the characters that no IRI
// may hold (xAPI 1.0.3 data 4.6).
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const iri = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\u0000-\u001f\u007f]+$/i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const timestamp = /^(\d{4}-\d{2}-\d{2})([T ])(\d{2}:\d{2})(:\d{2})?(?:[.,](\d+))?(Z|[+-]\d{2}(?::?\d{2})?)?$/i
const mediaType = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+ *(?:;[\t\x20-\x7e]*)?$/i
const longestMediaType = 300
// RFC 5646 section 2.1, without the registry.
const languageTag = new RegExp(
  '^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\\d{3}))?' +
    '(?:-(?:[a-z0-9]{5,8}|\\d[a-z0-9]{3}))*(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?' +
    '|x(?:-[a-z0-9]{1,8})+|i-[a-z]{2,8}|en-gb-oed|sgn-be-fr|sgn-be-nl|sgn-ch-de)$',
  'i',
)

// PostgreSQL has no year 0, and years have four digits.
const firstMillis = Date.parse('0001-01-02T00:00:00Z')
const lastMillis = Date.parse('9999-12-31T23:59:59Z')

export function isIri(value: string): boolean {
  return iri.test(value)
}

export function isUuid(value: string): boolean {
  return uuid.test(value)
}

export function isMediaType(value: string): boolean {
  return value.length <= longestMediaType && mediaType.test(value)
}

export function isLanguageTag(value: string): boolean {
  return languageTag.test(value) && !(value.includes('-') && repeatsSubtag(value))
}

/** Finds a repeated variant or extension (RFC 5646 2.2.5 and 2.2.6). Ignores what follows `-x-`, which is private. */
function repeatsSubtag(value: string): boolean {
  const [tag = ''] = value.toLowerCase().split(/-x-|^x-/)
  const [languages = '', ...extensions] = tag.split(/-(?=[a-wyz0-9]-)/)
  const variants = languages.split('-').filter((subtag) => /^(?:[a-z0-9]{5,8}|\d[a-z0-9]{3})$/.test(subtag))
  const singletons = extensions.map((extension) => extension[0])
  return new Set(variants).size < variants.length || new Set(singletons).size < singletons.length
}

/**
 * Returns microseconds since 1970, or null if the text is not a timestamp (xAPI 1.0.3 data 4.5). Refuses `-00:00`,
 * which means "zone unknown" in RFC 3339. A missing zone is refused by 2.0 and read as UTC by 1.0.3. A space instead of
 * the T is allowed by RFC 3339, which 2.0 follows, but not by ISO 8601. Without a version both forms are accepted,
 * because stored statements contain both.
 */
export function parseTimestamp(value: string, version?: XapiVersion): number | null {
  const match = timestamp.exec(value)
  if (!match) return null
  const [, day, separator, minute, second = ':00', fraction = '', zone] = match
  if ((version === '2.0.0' && !zone) || (version === '1.0.3' && separator === ' ')) return null
  if (zone && /^-00(:?00)?$/.test(zone)) return null
  const offset = !zone || /^z$/i.test(zone) ? 'Z' : withColon(zone)
  const millis = Date.parse(`${day}T${minute}${second}${offset}`)
  if (Number.isNaN(millis) || !isRealDay(day as string)) return null
  if (millis < firstMillis || millis > lastMillis) return null
  const micros = millis * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
  // Before 1684 and after 2255 a number cannot hold the fraction; rounding could change the second or even the year.
  return Number.isSafeInteger(micros) ? micros : millis * 1000
}

function withColon(zone: string): string {
  if (zone.length === 3) return `${zone}:00`
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
}

/** Checks that the day exists, because Date.parse turns February 31 into a day in March. Each month has 28 days. */
function isRealDay(day: string): boolean {
  if (Number(day.slice(-2)) <= 28) return true
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/**
 * Converts a timestamp to UTC with all its digits (2.0 4.2.7, 1.0.3 data 4.5). Returns it unchanged if it has no zone.
 */
export function toUtc(value: string): string {
  const [, , separator, , , fraction, zone] = timestamp.exec(value) ?? []
  const micros = parseTimestamp(value)
  if (!zone || micros === null || (separator !== ' ' && /^z$/i.test(zone))) return value
  return `${formatMicros(micros).slice(0, 19)}${fraction ? `.${fraction}` : ''}Z`
}

/** Tells whether the timestamp is in UTC: it ends with Z or +00:00 (cmi5 9.7). */
export function isUtc(value: string): boolean {
  return /(?:Z|\+00(?::?00)?)$/i.test(value)
}

/** Formats `stored` to the microsecond, so that a client can use it as an exact `since`. */
export function formatMicros(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000)
  const rest = String(micros - seconds * 1_000_000).padStart(6, '0')
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${rest}Z`
}

export function dateOfMicros(micros: number): Date {
  return new Date(Math.floor(micros / 1000))
}

/** Matches what ISO 8601 4.4.3.2 does not allow: weeks with other units, a fraction before the last unit, a sign. */
const brokenDuration = /^[+-]|^(?=.*W)(?!P[\d.,]+W$)|[.,]\d+[A-Z](?=.)|T$/

/**
 * Returns the seconds of an ISO 8601 duration, or null if it is not one. A year counts as 365 days and a month as 30.
 */
export function parseDuration(value: string): number | null {
  if (brokenDuration.test(value)) return null
  try {
    const parts = parseIsoDuration(value)
    if (parts.negative) return null
    const days = (parts.years ?? 0) * 365 + (parts.months ?? 0) * 30 + (parts.weeks ?? 0) * 7 + (parts.days ?? 0)
    return days * 86_400 + (parts.hours ?? 0) * 3600 + (parts.minutes ?? 0) * 60 + (parts.seconds ?? 0)
  } catch {
    return null
  }
}

/** Formats a duration in hundredths of a second, the precision that xAPI requires (1.0.3 data 4.6). */
export function formatDuration(seconds: number): string {
  return `PT${Math.max(0, Math.round(seconds * 100) / 100)}S`
}
