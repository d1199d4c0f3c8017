import type { Ctx } from '~/services/context.ts'
import type { Loaders } from './loaders.server.ts'

/** Every resolver gets the viewer's context, this request's loaders, and its language and idempotency key. */
export type GraphqlContext = { ctx: Ctx; loaders: Loaders; language: string; idempotencyKey: string | null }
