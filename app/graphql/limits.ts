import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  parse,
  type Source,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'
import { costRule } from './cost.ts'

/** Abuse is refused before it costs anything (contract README, "Sessions and headers"). Introspection is 15 levels deep. */
export const maxTokens = 2000
export const maxBodyBytes = 1_000_000
const maxDepth = 12
const maxAliasesOfOneField = 10

export function limitRules(maxCost: number, variables?: Readonly<Record<string, unknown>> | null): ValidationRule[] {
  return [maxDepthRule({ ...common, n: maxDepth }), costRule(maxCost, variables), oneFieldRule]
}

/** Reported as any other mistake of the query; thrown, it would be a fault of ours. */
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
  return parse(source, { maxTokens })
}

/** The same field again and again under other names multiplies its work. */
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
