import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  type Source,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql'

/**
 * These limits refuse abuse before it costs anything (contract README, "Sessions and headers"). Introspection is 15
 * levels deep.
 */
const maxTokens = 2000
export const maxBodyBytes = 1_000_000
const maxDepth = 12
const maxAliasesOfOneField = 10

/** The rules that depend only on the document. `costRule` is the one that depends on the variables too. */
export function documentRules(): ValidationRule[] {
  return [maxDepthRule({ ...common, n: maxDepth }), oneFieldRule]
}

/** The rule reports a violation like any other mistake of the query. If it threw, it would count as our fault. */
const common = {
  ignoreIntrospection: true,
  flattenFragments: true,
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => {
      context?.reportError(error)
    },
  ],
}

export function parseLimited(source: string | Source): DocumentNode {
  try {
    return parse(source, { maxTokens })
  } catch (error) {
    // graphql calls this a syntax error.
    const isTooLong = error instanceof GraphQLError && error.message.includes(`${maxTokens} tokens`)
    throw isTooLong ? new GraphQLError(`This document is too long: at most ${maxTokens} tokens are allowed.`) : error
  }
}

const longestKept = 20_000
const mostKept = 200
const documents = new Map<string, DocumentNode>()
const valid = new WeakSet<DocumentNode>()

/**
 * Parses a document, or returns the result of an earlier call: programs send the same few documents again and again.
 */
export function parseOnce(source: string | Source): DocumentNode {
  const text = typeof source === 'string' ? source : source.body
  const known = documents.get(text)
  if (known) return known
  const document = parseLimited(source)
  if (text.length > longestKept) return document
  const [oldest] = documents.keys()
  if (documents.size >= mostKept && oldest !== undefined) documents.delete(oldest)
  documents.set(text, document)
  return document
}

const maxErrors = 5

/** Validates a document without its variables. A valid document is not validated again. */
export function validateOnce(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  if (valid.has(document)) return []
  const errors = validate(schema, document, [...specifiedRules, ...documentRules()], { maxErrors })
  if (errors.length === 0) valid.add(document)
  return errors
}

/** Refuses many aliases of one field, which would multiply its work. */
function oneFieldRule(context: ValidationContext) {
  const aliases = new Map<string, number>()
  return {
    Field(node: FieldNode) {
      if (!node.alias) return
      const field = `${context.getParentType()?.name}.${node.name.value}`
      const times = (aliases.get(field) ?? 0) + 1
      aliases.set(field, times)
      if (times === maxAliasesOfOneField + 1) {
        context.reportError(
          new GraphQLError(`Too many aliases of ${field}: at most ${maxAliasesOfOneField}.`, { nodes: node }),
        )
      }
    },
  }
}
