/** A GraphQL request with one file, by the multipart request convention: `operations`, then `map`, then the file. */
import type { Readable } from 'node:stream'
import { Kind } from 'graphql'
import { parseLimited } from '~/graphql/limits.ts'
import { UploadPart } from '~/graphql/upload-scalar.ts'
import { type FormFields, fieldOf, MultipartRefused, readMultipart } from '~/http/multipart.server.ts'

export type Operation = { query: string; variables: Record<string, unknown>; operationName?: unknown }

const limits = { maxBytes: 3_000_000, maxFields: 2, maxFieldBytes: 100_000, maxFiles: 1 }

/** Runs the operation while the file is still arriving. Throws MultipartRefused if the body is not such a request. */
export async function runWithFile(
  body: Readable,
  contentType: string,
  run: (operation: Operation) => Promise<void>,
): Promise<void> {
  let hasRun = false
  await readMultipart(body, contentType, {
    ...limits,
    onFile: async (file, fields) => {
      const { operation, variable } = readOperation(fields, file.field)
      const part = new UploadPart(file.fileName, file.wholeSource())
      hasRun = true
      await run({ ...operation, variables: { ...operation.variables, [variable]: part } })
    },
  })
  if (!hasRun) throw malformed('There is no file in this request.')
}

function readOperation(fields: FormFields, fileField: string): { operation: Operation; variable: string } {
  const operation = readObject(fieldOf(fields, 'operations'))
  const map = readObject(fieldOf(fields, 'map'))
  if (!operation || !map) throw malformed('"operations" and "map" must be JSON objects and come before the file.')
  const { query, variables, operationName } = operation
  const places = Object.hasOwn(map, fileField) && Object.keys(map).length === 1 ? map[fileField] : null
  const place = Array.isArray(places) && places.length === 1 ? String(places[0]) : ''
  const variable = /^variables\.([a-z]\w{0,50})$/i.exec(place)?.[1]
  if (
    variable === undefined ||
    !isObject(variables) ||
    !Object.hasOwn(variables, variable) ||
    variables[variable] !== null
  ) {
    throw malformed('"map" must lead from the one file to one variable, which is null in "operations".')
  }
  if (typeof query !== 'string' || !isUploadCsv(query)) throw malformed('Only uploadCsv takes a file.')
  return { operation: { query, variables, operationName }, variable }
}

/** True if the operation is `uploadCsv`, the only one that takes a file. The schema checks the operation later. */
function isUploadCsv(query: string): boolean {
  try {
    return parseLimited(query).definitions.every((definition) => {
      if (definition.kind !== Kind.OPERATION_DEFINITION) return false
      const [field, ...more] = definition.selectionSet.selections
      return more.length === 0 && field?.kind === Kind.FIELD && field.name.value === 'uploadCsv'
    })
  } catch {
    return false
  }
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(sentence: string): MultipartRefused {
  return new MultipartRefused(400, sentence)
}
