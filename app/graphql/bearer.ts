import { type FieldNode, GraphQLError, type ValidationContext, type ValidationRule } from 'graphql'

/** Operations that no token may use: those that prove a person's identity, and those that cannot be undone. */
const refusedToTokens = new Set([
  'login',
  'logout',
  'requestPasswordReset',
  'resetPassword',
  'changePassword',
  'confirmInvitation',
  'invitedUser',
  'deleteUser',
])

/** Queries that write: a launch begins an attempt. */
const writingQueries = new Set(['moduleLaunchInfo'])

/** Refuses the operations that this request's token may not use, before anything runs. */
export function bearerRule(scope: 'read' | 'write'): ValidationRule {
  return (context: ValidationContext) => ({
    Field(node: FieldNode) {
      const parent = context.getParentType()?.name
      if (parent !== 'Mutation' && parent !== 'Query') return
      const name = node.name.value
      if (refusedToTokens.has(name)) return refuse(context, node, `No token may be used for ${name}.`)
      const writes = parent === 'Mutation' || writingQueries.has(name)
      if (writes && scope === 'read') refuse(context, node, `This token may only read, and ${name} writes.`)
    },
  })
}

function refuse(context: ValidationContext, node: FieldNode, message: string): void {
  context.reportError(new GraphQLError(message, { nodes: node, extensions: { code: 'FORBIDDEN' } }))
}
