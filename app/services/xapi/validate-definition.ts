import type { componentLists } from './types.ts'
import {
  asObject,
  checkExtensions,
  checkIri,
  checkLanguageMap,
  type Fields,
  fail,
  isEnum,
  refuseUnknown,
  requireType,
} from './validate-fields.ts'

/** Checks definitions of activities, including interactions (xAPI 1.0.3 data 2.4.4.1). */
const interactionTypes = [
  'true-false',
  'choice',
  'fill-in',
  'long-fill-in',
  'matching',
  'performance',
  'sequencing',
  'likert',
  'numeric',
  'other',
] as const

/** The interaction types that each list of components belongs to. */
export const typesOfComponents: Record<(typeof componentLists)[number], readonly string[]> = {
  choices: ['choice', 'sequencing'],
  scale: ['likert'],
  source: ['matching'],
  target: ['matching'],
  steps: ['performance'],
}

export function checkDefinition(value: unknown, path: string): void {
  const fields = asObject(value, path)
  const interaction = ['interactionType', 'correctResponsesPattern', ...Object.keys(typesOfComponents)]
  refuseUnknown(fields, ['name', 'description', 'type', 'moreInfo', 'extensions', ...interaction], path)
  if (fields.name !== undefined) checkLanguageMap(fields.name, `${path}.name`)
  if (fields.description !== undefined) checkLanguageMap(fields.description, `${path}.description`)
  if (fields.type !== undefined) checkIri(fields.type, `${path}.type`)
  if (fields.moreInfo !== undefined) checkIri(fields.moreInfo, `${path}.moreInfo`)
  if (fields.extensions !== undefined) checkExtensions(fields.extensions, `${path}.extensions`)
  checkInteraction(fields, path)
}

function checkInteraction(fields: Fields, path: string): void {
  const type = fields.interactionType
  if (type !== undefined && !isEnum(type, interactionTypes)) {
    fail(`${path}.interactionType`, `must be one of ${interactionTypes.join(', ')}`)
  }
  const pattern = fields.correctResponsesPattern
  if (pattern !== undefined) {
    if (type === undefined) fail(`${path}.interactionType`, 'is missing')
    if (!Array.isArray(pattern)) fail(`${path}.correctResponsesPattern`, 'must be a list')
    ;(pattern as unknown[]).forEach((item, index) => {
      requireType('string', item, `${path}.correctResponsesPattern[${index}]`)
    })
  }
  for (const [key, types] of Object.entries(typesOfComponents)) {
    if (fields[key] === undefined) continue
    if (type === undefined) fail(`${path}.interactionType`, 'is missing')
    if (!types.includes(type as string)) fail(`${path}.${key}`, `does not belong to the interaction type ${type}`)
    checkComponents(fields[key], `${path}.${key}`)
  }
}

function checkComponents(value: unknown, path: string): void {
  if (!Array.isArray(value)) fail(path, 'must be a list')
  const ids = new Set<string>()
  ;(value as unknown[]).forEach((item, index) => {
    const fields = asObject(item, `${path}[${index}]`)
    refuseUnknown(fields, ['id', 'description'], `${path}[${index}]`)
    const id = requireType('string', fields.id, `${path}[${index}].id`)
    if (ids.has(id)) fail(`${path}[${index}].id`, 'occurs twice')
    ids.add(id)
    if (fields.description !== undefined) checkLanguageMap(fields.description, `${path}[${index}].description`)
  })
}
