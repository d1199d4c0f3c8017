import { isStorable } from '~/lib/text.ts'
import { Invalid } from '../errors.ts'
import type { Statement, XapiVersion } from './types.ts'
import { contextActivityKinds, voidedVerb } from './types.ts'
import { checkDefinition } from './validate-definition.ts'
import {
  asObject,
  checkExtensions,
  checkIri,
  checkLanguageMap,
  checkUuid,
  type Fields,
  fail,
  isEnum,
  refuseUnknown,
  requireShallow,
  requireType,
} from './validate-fields.ts'
import { isLanguageTag, isMediaType, parseDuration, parseTimestamp } from './values.ts'

/*
 * Checks the format of statements (xAPI 1.0.3 data 2 to 4, xAPI 2.0 4.2). Each error names the path. Changes only what
 * an LRS must change: a single context activity becomes a list of one (1.0.3 data 2.4.6.2).
 */
const ifiKeys = ['mbox', 'mbox_sha1sum', 'openid', 'account'] as const
export const maxBatch = 5_000

/** Parses the statements of a request: one, or a list (xAPI 1.0.3 communication 2.1.2). */
export function parseStatements(input: unknown, version: XapiVersion): Statement[] {
  const list = Array.isArray(input) ? input : [input]
  if (list.length > maxBatch) throw new Invalid(`At most ${maxBatch} statements are accepted at once.`)
  requireShallow(input, 'The request')
  const statements = list.map((item, index) => parseStatement(item, Array.isArray(input) ? `[${index}]` : '', version))
  const seen = new Set<string>()
  for (const { id } of statements) {
    if (!id) continue
    if (seen.has(id)) throw new Invalid(`The statement id ${id} occurs twice in this request.`)
    seen.add(id)
  }
  return statements
}

function parseStatement(input: unknown, prefix: string, version: XapiVersion): Statement {
  const at = (key: string) => (prefix ? `${prefix}.${key}` : key)
  const fields = asObject(input, prefix || 'statement')
  refuseUnknown(
    fields,
    [
      'id',
      'actor',
      'verb',
      'object',
      'result',
      'context',
      'timestamp',
      'stored',
      'authority',
      'version',
      'attachments',
    ],
    prefix,
  )
  if (fields.id !== undefined) checkUuid(fields.id, at('id'))
  if (fields.stored !== undefined) checkTimestamp(fields.stored, at('stored'), version)
  if (fields.version !== undefined) {
    const value = requireType('string', fields.version, at('version'))
    // A 1.0.x store accepts only 1.0.x (1.0.3 data 2.4.10). 2.0 accepts statements of both versions.
    const known = version === '2.0.0' ? /^[12]\.0(\.\d+)?$/ : /^1\.0(\.\d+)?$/
    if (!known.test(value)) fail(at('version'), `must be ${version === '2.0.0' ? '1.0.x or 2.0.x' : '1.0.x'}`)
  }
  if (fields.authority !== undefined) checkAuthority(fields.authority, at('authority'))
  checkCore(fields, at, version, false)
  const statement = fields as Statement
  if (statement.id) statement.id = statement.id.toLowerCase()
  return statement
}

/** Checks what statements and SubStatements have in common. */
function checkCore(fields: Fields, at: (key: string) => string, version: XapiVersion, isNested: boolean): void {
  for (const key of ['actor', 'verb', 'object']) if (fields[key] === undefined) fail(at(key), 'is missing')
  checkActor(fields.actor, at('actor'))
  checkVerb(fields.verb, at('verb'))
  checkObject(fields.object, at('object'), version, isNested)
  if ((fields.verb as Fields).id === voidedVerb && (fields.object as Fields).objectType !== 'StatementRef') {
    fail(at('object'), 'must be a StatementRef, because the verb is "voided" (xAPI 2.3.2)')
  }
  if (fields.result !== undefined) checkResult(fields.result, at('result'))
  if (fields.context !== undefined) {
    const type = (fields.object as Fields).objectType ?? 'Activity'
    checkContext(fields.context, at('context'), version, type === 'Activity')
  }
  if (fields.timestamp !== undefined) checkTimestamp(fields.timestamp, at('timestamp'), version)
  if (fields.attachments !== undefined) checkAttachments(fields.attachments, at('attachments'))
}

function checkTimestamp(value: unknown, path: string, version: XapiVersion): void {
  const text = requireType('string', value, path)
  if (parseTimestamp(text, version) === null) {
    fail(path, 'is not a timestamp such as 2026-01-31T12:00:00.000Z')
  }
}

/** Checks an Agent or a Group from a parameter or a statement (xAPI 1.0.3 data 2.4.2). */
export function checkActor(value: unknown, path: string): void {
  const fields = asObject(value, path)
  const type = fields.objectType ?? 'Agent'
  if (!isEnum(type, ['Agent', 'Group'])) fail(`${path}.objectType`, 'must be "Agent" or "Group"')
  refuseUnknown(fields, ['objectType', 'name', ...ifiKeys, ...(type === 'Group' ? ['member'] : [])], path)
  if (fields.name !== undefined) requireType('string', fields.name, `${path}.name`)
  const ifis = ifiKeys.filter((key) => fields[key] !== undefined)
  if (ifis.length > 1) fail(path, `must have one identifier, not ${ifis.join(' and ')}`)
  if (ifis.length === 0 && (type === 'Agent' || fields.member === undefined)) {
    fail(path, `must have an identifier: ${ifiKeys.join(', ')}${type === 'Group' ? ', or members' : ''}`)
  }
  checkIdentifier(fields, path)
  if (fields.member !== undefined) {
    if (!Array.isArray(fields.member)) fail(`${path}.member`, 'must be a list')
    const members = fields.member as unknown[]
    if (members.length === 0 && ifis.length === 0) fail(`${path}.member`, 'must not be empty')
    members.forEach((member, index) => {
      const memberPath = `${path}.member[${index}]`
      if (asObject(member, memberPath).objectType === 'Group') fail(memberPath, 'must be an Agent, not a Group')
      checkActor(member, memberPath)
    })
  }
}

function checkIdentifier(fields: Fields, path: string): void {
  if (fields.mbox !== undefined) {
    const mbox = requireType('string', fields.mbox, `${path}.mbox`)
    if (!/^mailto:[^\s@]+@[^\s@]+$/.test(mbox) || !isStorable(mbox)) {
      fail(`${path}.mbox`, 'must be like mailto:name@example.org')
    }
  }
  if (fields.mbox_sha1sum !== undefined) {
    const sum = requireType('string', fields.mbox_sha1sum, `${path}.mbox_sha1sum`)
    if (!/^[0-9a-f]{40}$/i.test(sum)) fail(`${path}.mbox_sha1sum`, 'must be 40 hexadecimal digits')
  }
  if (fields.openid !== undefined) checkIri(fields.openid, `${path}.openid`)
  if (fields.account !== undefined) {
    const account = asObject(fields.account, `${path}.account`)
    refuseUnknown(account, ['homePage', 'name'], `${path}.account`)
    checkIri(account.homePage, `${path}.account.homePage`)
    const name = requireType('string', account.name, `${path}.account.name`)
    if (!isStorable(name)) fail(`${path}.account.name`, 'contains characters that cannot be stored')
  }
}

/** Checks an authority. A Group is an OAuth consumer and a user (xAPI 1.0.3 data 2.4.9). */
function checkAuthority(value: unknown, path: string): void {
  checkActor(value, path)
  const fields = value as { objectType?: string; member?: unknown[] }
  if (fields.objectType === 'Group' && (hasIfi(fields) || fields.member?.length !== 2)) {
    fail(path, 'as a Group must be anonymous, with exactly two members')
  }
}

function hasIfi(fields: Fields): boolean {
  return ifiKeys.some((key) => fields[key] !== undefined)
}

function checkVerb(value: unknown, path: string): void {
  const fields = asObject(value, path)
  refuseUnknown(fields, ['id', 'display'], path)
  checkIri(fields.id, `${path}.id`)
  if (fields.display !== undefined) checkLanguageMap(fields.display, `${path}.display`)
}

function checkObject(value: unknown, path: string, version: XapiVersion, isNested: boolean): void {
  const fields = asObject(value, path)
  const type = fields.objectType ?? 'Activity'
  if (type === 'Activity') checkActivity(fields, path)
  else if (type === 'Agent' || type === 'Group') checkActor(fields, path)
  else if (type === 'StatementRef') checkStatementRef(fields, path)
  else if (type === 'SubStatement') {
    if (isNested) fail(path, 'must not be a SubStatement inside a SubStatement')
    const known = ['objectType', 'actor', 'verb', 'object', 'result', 'context', 'timestamp', 'attachments']
    refuseUnknown(fields, known, path)
    checkCore(fields, (key) => `${path}.${key}`, version, true)
  } else fail(`${path}.objectType`, 'must be Activity, Agent, Group, StatementRef or SubStatement')
}

function checkStatementRef(value: unknown, path: string): void {
  const fields = asObject(value, path)
  refuseUnknown(fields, ['objectType', 'id'], path)
  if (fields.objectType !== 'StatementRef') fail(`${path}.objectType`, 'must be "StatementRef"')
  checkUuid(fields.id, `${path}.id`)
  fields.id = (fields.id as string).toLowerCase()
}

function checkActivity(value: unknown, path: string): void {
  const fields = asObject(value, path)
  refuseUnknown(fields, ['objectType', 'id', 'definition'], path)
  if (fields.objectType !== undefined && fields.objectType !== 'Activity') {
    fail(`${path}.objectType`, 'must be "Activity"')
  }
  checkIri(fields.id, `${path}.id`)
  if (fields.definition !== undefined) checkDefinition(fields.definition, `${path}.definition`)
}

function checkResult(value: unknown, path: string): void {
  const fields = asObject(value, path)
  refuseUnknown(fields, ['score', 'success', 'completion', 'response', 'duration', 'extensions'], path)
  if (fields.score !== undefined) checkScore(fields.score, `${path}.score`)
  if (fields.success !== undefined) requireType('boolean', fields.success, `${path}.success`)
  if (fields.completion !== undefined) requireType('boolean', fields.completion, `${path}.completion`)
  if (fields.response !== undefined) requireType('string', fields.response, `${path}.response`)
  if (fields.duration !== undefined) {
    const text = requireType('string', fields.duration, `${path}.duration`)
    if (parseDuration(text) === null) fail(`${path}.duration`, 'is not an ISO 8601 duration such as PT1H30M')
  }
  if (fields.extensions !== undefined) checkExtensions(fields.extensions, `${path}.extensions`)
}

function checkScore(value: unknown, path: string): void {
  const fields = asObject(value, path)
  refuseUnknown(fields, ['scaled', 'raw', 'min', 'max'], path)
  for (const key of ['scaled', 'raw', 'min', 'max']) {
    if (fields[key] !== undefined) requireType('number', fields[key], `${path}.${key}`)
  }
  const { scaled, raw, min, max } = fields as { scaled?: number; raw?: number; min?: number; max?: number }
  if (scaled !== undefined && (scaled < -1 || scaled > 1)) fail(`${path}.scaled`, 'must be between -1 and 1')
  if (min !== undefined && max !== undefined && min >= max) fail(`${path}.min`, 'must be below max')
  if (raw !== undefined && min !== undefined && raw < min) fail(`${path}.raw`, 'must not be below min')
  if (raw !== undefined && max !== undefined && raw > max) fail(`${path}.raw`, 'must not be above max')
}

function checkContext(value: unknown, path: string, version: XapiVersion, aboutActivity: boolean): void {
  const fields = asObject(value, path)
  const known = ['registration', 'instructor', 'team', 'contextActivities', 'revision', 'platform', 'language']
  const ofVersion2 = version === '2.0.0' ? ['contextAgents', 'contextGroups'] : []
  refuseUnknown(fields, [...known, 'statement', 'extensions', ...ofVersion2], path)
  if (fields.registration !== undefined) {
    checkUuid(fields.registration, `${path}.registration`)
    fields.registration = (fields.registration as string).toLowerCase()
  }
  if (fields.instructor !== undefined) checkActor(fields.instructor, `${path}.instructor`)
  if (fields.team !== undefined) {
    checkActor(fields.team, `${path}.team`)
    if ((fields.team as Fields).objectType !== 'Group') fail(`${path}.team`, 'must be a Group')
  }
  if (fields.contextActivities !== undefined) checkContextActivities(fields, `${path}.contextActivities`)
  checkContextActors(fields.contextAgents, `${path}.contextAgents`, 'contextAgent', 'agent')
  checkContextActors(fields.contextGroups, `${path}.contextGroups`, 'contextGroup', 'group')
  for (const key of ['revision', 'platform']) {
    if (fields[key] === undefined) continue
    requireType('string', fields[key], `${path}.${key}`)
    if (!aboutActivity) fail(`${path}.${key}`, 'is only for statements about an Activity')
  }
  if (fields.language !== undefined) {
    const tag = requireType('string', fields.language, `${path}.language`)
    if (!isLanguageTag(tag)) fail(`${path}.language`, 'is not a language tag (RFC 5646)')
  }
  if (fields.statement !== undefined) checkStatementRef(fields.statement, `${path}.statement`)
  if (fields.extensions !== undefined) checkExtensions(fields.extensions, `${path}.extensions`)
}

function checkContextActivities(context: Fields, path: string): void {
  const fields = asObject(context.contextActivities, path)
  refuseUnknown(fields, [...contextActivityKinds], path)
  for (const [kind, value] of Object.entries(fields)) {
    const list = Array.isArray(value) ? value : [value]
    list.forEach((activity, index) => {
      checkActivity(activity, `${path}.${kind}[${index}]`)
    })
    fields[kind] = list
  }
}

function checkContextActors(value: unknown, path: string, objectType: string, key: 'agent' | 'group'): void {
  if (value === undefined) return
  if (!Array.isArray(value)) fail(path, 'must be a list')
  ;(value as unknown[]).forEach((item, index) => {
    const itemPath = `${path}[${index}]`
    const fields = asObject(item, itemPath)
    refuseUnknown(fields, ['objectType', key, 'relevantTypes'], itemPath)
    if (fields.objectType !== objectType) fail(`${itemPath}.objectType`, `must be "${objectType}"`)
    checkActor(fields[key], `${itemPath}.${key}`)
    const isGroup = (fields[key] as Fields).objectType === 'Group'
    if (isGroup !== (key === 'group')) fail(`${itemPath}.${key}`, `must be ${key === 'group' ? 'a Group' : 'an Agent'}`)
    if (fields.relevantTypes === undefined) return
    if (!Array.isArray(fields.relevantTypes) || fields.relevantTypes.length === 0) {
      fail(`${itemPath}.relevantTypes`, 'must be a list that is not empty')
    }
    ;(fields.relevantTypes as unknown[]).forEach((type, at) => {
      checkIri(type, `${itemPath}.relevantTypes[${at}]`)
    })
  })
}

function checkAttachments(value: unknown, path: string): void {
  if (!Array.isArray(value)) fail(path, 'must be a list')
  ;(value as unknown[]).forEach((item, index) => {
    const itemPath = `${path}[${index}]`
    const fields = asObject(item, itemPath)
    const known = ['usageType', 'display', 'description', 'contentType', 'length', 'sha2', 'fileUrl']
    refuseUnknown(fields, known, itemPath)
    checkIri(fields.usageType, `${itemPath}.usageType`)
    if (fields.display === undefined) fail(`${itemPath}.display`, 'is missing')
    checkLanguageMap(fields.display, `${itemPath}.display`)
    if (fields.description !== undefined) checkLanguageMap(fields.description, `${itemPath}.description`)
    if (!isMediaType(requireType('string', fields.contentType, `${itemPath}.contentType`))) {
      fail(`${itemPath}.contentType`, 'is not a media type')
    }
    const length = requireType('number', fields.length, `${itemPath}.length`)
    if (!Number.isInteger(length) || length < 0) fail(`${itemPath}.length`, 'must be a whole number')
    const sha2 = requireType('string', fields.sha2, `${itemPath}.sha2`)
    if (!/^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i.test(sha2)) {
      fail(`${itemPath}.sha2`, 'is not a SHA-2 sum in hexadecimal digits')
    }
    if (fields.fileUrl !== undefined) checkIri(fields.fileUrl, `${itemPath}.fileUrl`)
  })
}
