import { makeExecutableSchema } from '@graphql-tools/schema'
import type { Ctx } from '~/services/context.ts'
import type { Loaders } from './loaders.server.ts'
import { resolvers } from './resolvers/index.server.ts'
import { typeDefs } from './type-defs.ts'

export type GraphqlContext = { ctx: Ctx; loaders: Loaders; language: string; idempotencyKey: string | null }

export const schema = makeExecutableSchema<GraphqlContext>({ typeDefs, resolvers })
