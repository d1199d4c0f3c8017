import { type FieldNode, GraphQLError, type ValidationContext, type ValidationRule } from 'graphql'

/** What no token may do: whatever proves who somebody is, and what cannot be undone. */
const never = new Set([
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

/** Refuses, before anything runs, what the token of this request may not ask for. */
export function bearerRule(scope: 'read' | 'write'): ValidationRule {
  return (context: ValidationContext) => ({
    Field(node: FieldNode) {
      const parent = context.getParentType()?.name
      if (parent !== 'Mutation' && parent !== 'Query') return
      const name = node.name.value
      if (never.has(name)) return refuse(context, node, `No token may be used for ${name}.`)
      const writes = parent === 'Mutation' || writingQueries.has(name)
      if (writes && scope === 'read') refuse(context, node, `This token may only read, and ${name} writes.`)
    },
  })
}

function refuse(context: ValidationContext, node: FieldNode, message: string): void {
  context.reportError(new GraphQLError(message, { nodes: node, extensions: { code: 'FORBIDDEN' } }))
}
