import { type FieldNode, GraphQLError, type ValidationContext } from 'graphql'

/** Visitors cannot read the schema: it costs more than anything else that they may ask for. */
export function noIntrospectionRule(context: ValidationContext) {
  return {
    Field(node: FieldNode) {
      if (node.name.value !== '__schema' && node.name.value !== '__type') return
      context.reportError(
        new GraphQLError('Log in, or send an access token, to read the schema.', {
          nodes: node,
          extensions: { code: 'LOGIN_REQUIRED' },
        }),
      )
    },
  }
}
